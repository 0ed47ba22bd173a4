/// The texts of the Autobahn TestSuite's category 6, which follow Markus Kuhn's UTF-8 stress test.
enum UTF8Vectors {
    /// κόσμε with an oxia: scalars of two and three bytes.
    static let kosme: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]

    /// Valid texts.
    static let valid: [[UInt8]] = [
        [],
        Array("Hello-µ@ßöäüàá-UTF-8!!".utf8),
        kosme,
        // 6.7: the first scalar of each length.
        [0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80],
        // 6.9: the last scalar of each length.
        [0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
        // 6.11: the neighbors of the surrogates, and the replacement character.
        [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD],
        // 6.22: noncharacters, which are valid.
        [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBF], [0xF3, 0xBF, 0xBF, 0xBF],
        [0xF4, 0x8F, 0xBF, 0xBE],
        Array(String(repeating: "naïve 日本語 🦜 ", count: 12).utf8),
    ]

    /// An invalid text with the offset of its first invalid byte.
    struct Invalid: Sendable {
        let bytes: [UInt8]
        let failsAt: Int
    }

    /// Invalid texts.
    static let invalid: [Invalid] = [
        // 6.3, 6.4: a surrogate, and a scalar above U+10FFFF, within a text.
        Invalid(bytes: kosme + [0xED, 0xA0, 0x80] + Array("edited".utf8), failsAt: 12),
        Invalid(bytes: kosme + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8), failsAt: 12),
        // 6.8, 6.10: four-byte sequences above U+10FFFF, and sequences of five and six bytes.
        Invalid(bytes: [0xF8, 0x88, 0x80, 0x80, 0x80], failsAt: 0),
        Invalid(bytes: [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], failsAt: 0),
        Invalid(bytes: [0xF7, 0xBF, 0xBF, 0xBF], failsAt: 0),
        Invalid(bytes: [0xFB, 0xBF, 0xBF, 0xBF, 0xBF], failsAt: 0),
        Invalid(bytes: [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF], failsAt: 0),
        // 6.12: continuation bytes without a lead byte.
        Invalid(bytes: [0x80], failsAt: 0),
        Invalid(bytes: [0xBF], failsAt: 0),
        Invalid(bytes: [0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF], failsAt: 0),
        Invalid(bytes: [0x41, 0xC3, 0xA9, 0x80], failsAt: 3),
        // 6.13: lead bytes without continuation bytes.
        Invalid(bytes: [0xC2, 0x20], failsAt: 1),
        Invalid(bytes: [0xDF, 0x20], failsAt: 1),
        Invalid(bytes: [0xE0, 0x20], failsAt: 1),
        Invalid(bytes: [0xEF, 0x20], failsAt: 1),
        Invalid(bytes: [0xF0, 0x20], failsAt: 1),
        Invalid(bytes: [0xF4, 0x20], failsAt: 1),
        Invalid(bytes: [0xC0, 0x20], failsAt: 0),
        Invalid(bytes: [0xF5, 0x20], failsAt: 0),
        // 6.14, 6.15: sequences without their last byte, followed by another scalar.
        Invalid(bytes: [0xEF, 0xBF, 0x41], failsAt: 2),
        Invalid(bytes: [0xF1, 0xBF, 0xBF, 0x41], failsAt: 3),
        Invalid(bytes: [0xEF, 0xBF, 0xF1, 0xBF, 0xBF], failsAt: 2),
        Invalid(bytes: [0xDF, 0xEF, 0xBF], failsAt: 1),
        // 6.16: bytes that never occur in UTF-8.
        Invalid(bytes: [0xFE], failsAt: 0),
        Invalid(bytes: [0xFF], failsAt: 0),
        Invalid(bytes: [0xFE, 0xFE, 0xFF, 0xFF], failsAt: 0),
        // 6.17–6.19: overlong forms of "/", of the last scalar of the next shorter length, and of NUL.
        Invalid(bytes: [0xC0, 0xAF], failsAt: 0),
        Invalid(bytes: [0xE0, 0x80, 0xAF], failsAt: 1),
        Invalid(bytes: [0xF0, 0x80, 0x80, 0xAF], failsAt: 1),
        Invalid(bytes: [0xC1, 0xBF], failsAt: 0),
        Invalid(bytes: [0xE0, 0x9F, 0xBF], failsAt: 1),
        Invalid(bytes: [0xF0, 0x8F, 0xBF, 0xBF], failsAt: 1),
        Invalid(bytes: [0xC0, 0x80], failsAt: 0),
        Invalid(bytes: [0xE0, 0x80, 0x80], failsAt: 1),
        Invalid(bytes: [0xF0, 0x80, 0x80, 0x80], failsAt: 1),
        // 6.20, 6.21: surrogates, single and in pairs.
        Invalid(bytes: [0xED, 0xA0, 0x80], failsAt: 1),
        Invalid(bytes: [0xED, 0xBF, 0xBF], failsAt: 1),
        Invalid(bytes: [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], failsAt: 1),
        Invalid(bytes: [0xED, 0xAF, 0xBF, 0xED, 0xBF, 0xBF], failsAt: 1),
        // 6.11: a scalar above U+10FFFF.
        Invalid(bytes: [0xF4, 0x90, 0x80, 0x80], failsAt: 1),
    ]

    /// Texts truncated within a scalar, but valid so far.
    static let truncated: [[UInt8]] = [
        [0xC2], [0xDF], [0xE0], [0xE0, 0xA0], [0xEF, 0xBF], [0xED, 0x9F], [0xF0], [0xF0, 0x90], [0xF0, 0x90, 0x80],
        [0xF4], [0xF4, 0x8F], [0xF4, 0x8F, 0xBF], kosme + [0xCE], Array("plain".utf8) + [0xF0, 0x9F, 0xA6],
    ]
}
