import Testing

/// A text of the Autobahn TestSuite's cases 6.5–6.23, which follow Markus Kuhn's UTF-8 stress test.
struct NumberedText: Sendable, CustomTestStringConvertible {
    /// The case number in the suite's reports.
    let number: String
    let bytes: [UInt8]
    /// The offset of the first invalid byte, the length of the text if it is truncated, or nil if it is valid.
    let failsAt: Int?

    var testDescription: String { number }

    static let all: [NumberedText] = [
        some, prefixes, firstAndLast, borders, strays, missingContinuations, impossible, overlong, surrogates,
        noncharacters, specials,
    ].flatMap(\.self)

    /// Creates a group of texts that fail at the same offset.
    private static func group(_ group: Int, _ texts: [[UInt8]], failAt offset: Int? = nil) -> [NumberedText] {
        texts.enumerated().map { index, bytes in
            NumberedText(number: "6.\(group).\(index + 1)", bytes: bytes, failsAt: offset)
        }
    }

    // 6.5: scalars of each length.
    private static let some = group(
        5, ["hello$world", "hello¢world", "hello€world", "hello𤭢world"].map { Array($0.utf8) } + [UTF8Vectors.kosme])

    /// 6.6: prefixes of a text, valid where a scalar ends.
    private static let prefixes = (1...UTF8Vectors.kosme.count).map { count in
        NumberedText(
            number: "6.6.\(count)", bytes: Array(UTF8Vectors.kosme[..<count]),
            failsAt: [2, 5, 7, 9, 11].contains(count) ? nil : count)
    }

    // 6.7–6.10: the first and last sequence of each length. Those above U+10FFFF are not valid UTF-8.
    private static let firstAndLast = [
        group(7, [[0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80]]),
        group(8, [[0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]], failAt: 0),
        group(9, [[0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF]]),
        group(
            10, [[0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]],
            failAt: 0),
    ].flatMap(\.self)

    // 6.11: scalars around the surrogates, the replacement character, and U+10FFFF.
    private static let borders =
        group(11, [[0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xF4, 0x8F, 0xBF, 0xBF]])
        + [NumberedText(number: "6.11.5", bytes: [0xF4, 0x90, 0x80, 0x80], failsAt: 1)]

    /// 6.12, 6.13: continuation bytes without a lead byte, and lead bytes followed by spaces.
    private static let strays: [NumberedText] = {
        let alternating: [UInt8] = [0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF]
        let continuations = [[0x80], [0xBF]] + (2...6).map { Array(alternating[..<$0]) } + [Array(0x80..<0xBF)]
        let beginnings: [(Range<UInt8>, Int)] = [
            (0xC0..<0xDF, 0), (0xE0..<0xEF, 1), (0xF0..<0xF7, 1), (0xF8..<0xFB, 0), (0xFC..<0xFD, 0),
        ]
        return group(12, continuations, failAt: 0)
            + beginnings.enumerated().map { index, beginning in
                NumberedText(
                    number: "6.13.\(index + 1)", bytes: beginning.0.flatMap { [$0, 0x20] }, failsAt: beginning.1)
            }
    }()

    /// 6.14, 6.15: sequences without their last byte, separately and joined.
    private static let missingContinuations: [NumberedText] = {
        let sequences: [(bytes: [UInt8], failsAt: Int)] = [
            ([0xC0], 0), ([0xE0, 0x80], 1), ([0xF0, 0x80, 0x80], 1), ([0xF8, 0x80, 0x80, 0x80], 0),
            ([0xFC, 0x80, 0x80, 0x80, 0x80], 0), ([0xDF], 1), ([0xEF, 0xBF], 2), ([0xF7, 0xBF, 0xBF], 0),
            ([0xFB, 0xBF, 0xBF, 0xBF], 0), ([0xFD, 0xBF, 0xBF, 0xBF, 0xBF], 0),
        ]
        let single = sequences.enumerated().map { index, sequence in
            NumberedText(number: "6.14.\(index + 1)", bytes: sequence.bytes, failsAt: sequence.failsAt)
        }
        return single + group(15, [sequences.flatMap(\.bytes)], failAt: 0)
    }()

    // 6.16: bytes that never occur in UTF-8.
    private static let impossible = group(16, [[0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF]], failAt: 0)

    /// 6.17–6.19: overlong forms, in two to six bytes, of "/", the last scalar of the next shorter length, and NUL.
    private static let overlong: [NumberedText] = {
        let slash: [[UInt8]] = [
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xF8, 0x80, 0x80, 0x80, 0xAF],
            [0xFC, 0x80, 0x80, 0x80, 0x80, 0xAF],
        ]
        let last: [[UInt8]] = [
            [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF8, 0x87, 0xBF, 0xBF, 0xBF],
            [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF],
        ]
        let null: [[UInt8]] = slash.map { Array($0.dropLast()) + [0x80] }
        // Of these lead bytes, only 0xE0 and 0xF0 are valid.
        let failsAt = [0, 1, 1, 0, 0]
        return zip(17...19, [slash, last, null]).flatMap { group, sequences in
            sequences.enumerated().map { index, bytes in
                NumberedText(number: "6.\(group).\(index + 1)", bytes: bytes, failsAt: failsAt[index])
            }
        }
    }()

    /// 6.20, 6.21: surrogates, single and in pairs.
    private static let surrogates: [NumberedText] = {
        let single: [[UInt8]] = [
            [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xAE, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80],
            [0xED, 0xBE, 0x80], [0xED, 0xBF, 0xBF],
        ]
        let pairs: [[UInt8]] = single[..<4].flatMap { [$0 + single[4], $0 + single[6]] }
        return group(20, single, failAt: 1) + group(21, pairs, failAt: 1)
    }()

    /// 6.22: noncharacters, which are valid UTF-8: U+FFFE, U+FFFF, and the last two scalars of the other planes.
    private static let noncharacters: [NumberedText] = {
        var texts: [[UInt8]] = [[0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF]]
        for first: UInt8 in 0xF0...0xF4 {
            for second: UInt8 in [0x8F, 0x9F, 0xAF, 0xBF] {
                let isOverlong = first == 0xF0 && second == 0x8F
                let isTooLarge = first == 0xF4 && second > 0x8F
                guard !isOverlong, !isTooLarge else { continue }
                texts += [[first, second, 0xBF, 0xBE], [first, second, 0xBF, 0xBF]]
            }
        }
        return group(22, texts)
    }()

    // 6.23: annotation characters, replacement characters, U+FFFE, and U+FFFF.
    private static let specials = group(23, (0xB9...0xBF).map { [0xEF, 0xBF, $0] })
}
