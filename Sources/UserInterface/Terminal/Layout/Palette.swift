import WSCore

/// The colors of transcripts and notices.
///
/// They are colors of the 256-color palette with a contrast of at least 4 on white and on black. The basic cyan, green, and
/// blue are pale on one of them in many terminals.
package struct Palette {
    /// The roles that have a color. Their names are those of `WSX_COLORS`.
    package enum Style: String, CaseIterable {
        case sent
        case received
        case binary
        /// Pings, pongs, sizes, and times.
        case quiet
        case close
        /// The name and topic of an event.
        case heading
        case failure = "error"
        case key
        case string
        case number
        case literal
        /// A search match.
        case match

        /// The parameters of the escape sequence (ECMA-48 §8.3.117, Select Graphic Rendition).
        fileprivate var code: String {
            switch self {
            case .sent, .number: "38;5;30"
            case .received, .string: "38;5;28"
            case .binary, .literal: "38;5;163"
            case .quiet: "2"
            case .close, .heading: "1"
            case .failure: "38;5;161"
            case .key: "1;38;5;27"
            case .match: "7"
            }
        }
    }

    /// Whether colors are used.
    let isEnabled: Bool
    /// The codes that differ from ``Style/code``.
    private var changed: [Style: String] = [:]

    /// Creates the usual colors.
    init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Changes colors.
    /// - Parameter text: The value of `WSX_COLORS`, such as `sent=36:key=1;34`.
    /// - Returns: What is wrong with it, or `nil`. The valid parts are used anyway.
    mutating func change(to text: String) -> String? {
        var problem: String?
        for part in text.split(separator: ":") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let style = Style(rawValue: String(sides[0])) else {
                let names = Style.allCases.map(\.rawValue).joined(separator: ", ")
                problem = "unknown name '\(escapingControls(String(sides[0])))'; expected \(names)"
                continue
            }
            guard sides.count == 2, sides[1].utf8.allSatisfy({ "0123456789;".utf8.contains($0) }) else {
                problem = "expected \(style.rawValue)=NUMBERS, such as \(style.rawValue)=1;34"
                continue
            }
            changed[style] = String(sides[1])
        }
        return problem
    }

    /// Sent messages.
    package func sent(_ text: String) -> String { styled(text, .sent) }
    /// Received messages.
    package func received(_ text: String) -> String { styled(text, .received) }
    /// Control frames, sizes, and times.
    package func quiet(_ text: String) -> String { styled(text, .quiet) }
    /// Errors.
    package func failure(_ text: String) -> String { styled(text, .failure) }

    /// The text in a style; nil: unchanged.
    package func styled(_ text: String, _ style: Style?) -> String {
        beginning(of: style) + text + end(of: style)
    }

    /// The escape sequence that starts a style.
    func beginning(of style: Style?) -> String {
        guard isEnabled, let style else { return "" }
        return "\u{1B}[\(changed.isEmpty ? style.code : changed[style] ?? style.code)m"
    }

    /// The escape sequence that ends it.
    func end(of style: Style?) -> String {
        isEnabled && style != nil ? "\u{1B}[0m" : ""
    }
}
