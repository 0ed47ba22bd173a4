/// Takes choices from the front of an input; one that is used up gives zeros.
struct ChoiceReader {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    /// Whether all of the input has been taken.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next byte.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// What is left, as it is.
    mutating func remaining() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
