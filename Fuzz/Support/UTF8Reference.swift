/// UTF-8 by table 3-7 of the Unicode standard, byte by byte and without the code under test.
struct UTF8Reference {
    /// What is known of bytes that may be the beginning of a text.
    enum Verdict: Equatable {
        /// They are a text.
        case whole
        /// They can become one.
        case beginning
        /// Nothing that follows makes them one.
        case invalid
    }

    /// What is known of the bytes so far.
    private(set) var verdict = Verdict.whole
    /// The ranges of the bytes that must follow, the next one first.
    private var expected: [ClosedRange<UInt8>] = []

    /// Judges bytes as the beginning of a text.
    static func judge(_ bytes: some Sequence<UInt8>) -> Verdict {
        var reference = UTF8Reference()
        reference.take(bytes)
        return reference.verdict
    }

    /// Takes more bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where verdict != .invalid {
            if let range = expected.first {
                expected.removeFirst()
                verdict = !range.contains(byte) ? .invalid : expected.isEmpty ? .whole : .beginning
            } else if let ranges = Self.following(byte) {
                expected = ranges
                verdict = ranges.isEmpty ? .whole : .beginning
            } else {
                verdict = .invalid
            }
        }
    }

    private static func following(_ first: UInt8) -> [ClosedRange<UInt8>]? {
        let tail: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0x00...0x7F: return []
        case 0xC2...0xDF: return [tail]
        case 0xE0: return [0xA0...0xBF, tail]
        case 0xE1...0xEC, 0xEE...0xEF: return [tail, tail]
        case 0xED: return [0x80...0x9F, tail]
        case 0xF0: return [0x90...0xBF, tail, tail]
        case 0xF1...0xF3: return [tail, tail, tail]
        case 0xF4: return [0x80...0x8F, tail, tail]
        default: return nil
        }
    }
}
