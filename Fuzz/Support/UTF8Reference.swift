/// A validator based on table 3-7 of the Unicode standard, byte by byte and independent of the code under test.
struct UTF8Reference {
    /// The verdict on bytes that may be the beginning of a text.
    enum Verdict: Equatable {
        /// The bytes are a complete text.
        case whole
        /// The bytes can become a text.
        case beginning
        /// No continuation makes the bytes a text.
        case invalid
    }

    /// The verdict on the bytes so far.
    private(set) var verdict = Verdict.whole
    /// The ranges of the required following bytes, the next one first.
    private var expected: [ClosedRange<UInt8>] = []

    /// Returns the verdict on bytes as the beginning of a text.
    static func judge(_ bytes: some Sequence<UInt8>) -> Verdict {
        var reference = UTF8Reference()
        reference.take(bytes)
        return reference.verdict
    }

    /// Processes further bytes.
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
