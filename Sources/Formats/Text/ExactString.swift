/// A string that equals only strings with the same bytes.
///
/// Swift's strings are also equal if they only look alike, such as `é` as one scalar and as `e` with an accent.
public struct ExactString: Sendable {
    /// The string.
    public let text: String

    /// Wraps a string.
    public init(_ text: String) {
        self.text = text
    }
}

extension ExactString: Hashable {
    /// Whether both have the same bytes.
    public static func == (one: ExactString, other: ExactString) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactString: Comparable {
    /// Compares the bytes.
    public static func < (one: ExactString, other: ExactString) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension ExactString: ExpressibleByStringLiteral {
    /// Wraps a literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
