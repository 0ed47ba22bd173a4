import Testing

@testable import WSCore

@Suite struct EscapedTextTests {
    @Test(
        "controls, bidirectional marks and invisible characters are escaped",
        arguments: [
            ("\u{1B}[31m", "\\u{1B}[31m"), ("a\r\nb\0", "a\\u{D}\\u{A}b\\u{0}"), ("\u{7F}\u{9B}", "\\u{7F}\\u{9B}"),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{202E}\u{2066}", "\\u{202E}\\u{2066}"),
            ("\u{200B}\u{FEFF}", "\\u{200B}\\u{FEFF}"), ("\u{E0041}", "\\u{E0041}"),
            ("e\u{200D}\u{301}", "e\\u{200D}\u{301}"),
        ])
    func escaped(text: String, expected: String) {
        #expect(Array(escapingControls(text).utf8) == Array(expected.utf8))
    }

    @Test("other text stays as it is", arguments: ["", "plain \\ text", "Grüße, 世界 🎉", "\u{FFFD}"])
    func kept(text: String) {
        #expect(escapingControls(text) == text)
    }

    @Test("a quoted text is cut to the length of a line")
    func cut() {
        #expect(quoted("a\n") == "\"a\\u{A}\"")
        #expect(quoted(String(repeating: "x", count: 5000)) == "\"" + String(repeating: "x", count: 120) + "…\"")
    }
}
