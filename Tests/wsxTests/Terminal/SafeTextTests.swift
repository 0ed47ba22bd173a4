import Testing

@testable import wsx

@Suite struct SafeTextTests {
    @Test(
        "line feeds and tabs act, all else that could drive a terminal is shown, and what is no UTF-8 is U+FFFD",
        arguments: [
            (Array("plain\n\ttext".utf8), "plain\n\ttext"),
            (Array("\u{1B}]0;title\u{7}".utf8), #"\u{1B}]0;title\u{7}"#),
            (Array("over\rwrite".utf8), #"over\u{D}write"#),
            (Array("\u{9B}31m\u{202E}".utf8), #"\u{9B}31m\u{202E}"#),
            ([0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ([], ""),
        ] as [([UInt8], String)])
    func shown(bytes: [UInt8], expected: String) {
        #expect(bytes.withUnsafeBytes { SafeText.text($0.bytes) } == expected)
    }
}
