/// A string that equals only strings with the same bytes.
///
/// Swift's strings are also equal if they only look alike, such as `é` as one scalar and as `e` with an accent.
package struct ExactString: Sendable {
    /// The string.
    package let text: String

    /// Wraps a string.
    package init(_ text: String) {
        self.text = text
    }
}

extension ExactString: Hashable {
    /// Whether both have the same bytes.
    package static func == (one: ExactString, other: ExactString) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactString: Comparable {
    /// Compares the bytes.
    package static func < (one: ExactString, other: ExactString) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension ExactString: ExpressibleByStringLiteral {
    /// Wraps a literal.
    package init(stringLiteral text: String) {
        self.init(text)
    }
}
