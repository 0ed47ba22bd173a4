/// Reads choices from the front of an input, and zeros after its end.
struct ChoiceReader {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    /// Whether the input is exhausted.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next byte.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The unread rest of the input.
    mutating func remaining() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
