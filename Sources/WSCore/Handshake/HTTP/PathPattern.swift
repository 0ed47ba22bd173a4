/// A pattern of request paths: `*` stands for any text within a segment, and `**` for any text.
///
///     /chat/*   /chat/a, but neither /chat nor /chat/a/b
///     /chat/**  /chat/a/b, too
///
/// Both the pattern and paths are compared in normalized form (RFC 3986 §6.2.2).
package struct PathPattern: Equatable, Sendable {
    private enum Element: Equatable {
        case byte(UInt8)
        case textOfSegment
        case text
    }

    private let elements: [Element]

    /// Parses a pattern. Returns `nil` if no path can match, because the text begins with neither a slash nor `**`, contains
    /// a query, a fragment, a blank, or a control character, or has a malformed escape.
    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "/") || text.utf8.starts(with: "**".utf8),
            !text.utf8.contains(where: { ASCII.isControl($0) || " ?#".utf8.contains($0) }),
            let normalized = try? PercentEncoding.normalize(text)
        else { return nil }
        var elements: [Element] = []
        for byte in normalized.utf8 {
            if byte != UInt8(ascii: "*") {
                elements.append(.byte(byte))
            } else if elements.last == .textOfSegment {
                elements[elements.count - 1] = .text
            } else if elements.last != .text {
                elements.append(.textOfSegment)
            }
        }
        self.elements = elements
    }

    /// Whether the path of a request matches, without its query. The time is proportional to the product of both lengths.
    /// - Parameter path: See ``RequestHead/normalizedPath``.
    package func matches(_ path: String) -> Bool {
        // Whether each number of elements can match what has been read.
        var states = [true] + elements.map { _ in false }
        skipTexts(&states)
        for byte in path.utf8 {
            var next = [Bool](repeating: false, count: states.count)
            for (index, element) in elements.enumerated() where states[index] {
                switch element {
                case .byte(byte): next[index + 1] = true
                case .byte: break
                case .textOfSegment: next[index] = byte != UInt8(ascii: "/")
                case .text: next[index] = true
                }
            }
            skipTexts(&next)
            states = next
        }
        return states[elements.count]
    }

    /// Adds the states that follow from empty texts.
    private func skipTexts(_ states: inout [Bool]) {
        for (index, element) in elements.enumerated() where states[index] {
            switch element {
            case .textOfSegment, .text: states[index + 1] = true
            case .byte: break
            }
        }
    }
}
