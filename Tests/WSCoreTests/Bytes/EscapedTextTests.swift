import TestSupport
import Testing

@testable import WSCore

@Suite struct EscapedTextTests {
    static let escapedCases: [(String, String)] = [
        ("\u{1B}[31m", "\\u{1B}[31m"), ("a\r\nb\0", "a\\u{D}\\u{A}b\\u{0}"), ("\u{7F}\u{9B}", "\\u{7F}\\u{9B}"),
        ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{202E}\u{2066}", "\\u{202E}\\u{2066}"),
        ("\u{200B}\u{FEFF}", "\\u{200B}\\u{FEFF}"), ("\u{E0041}", "\\u{E0041}"),
        ("e\u{200D}\u{301}", "e\\u{200D}\u{301}"),
        ("so\u{AD}ft\u{34F}", "so\\u{AD}ft\\u{34F}"),
        ("\u{115F}\u{1160}\u{3164}\u{FFA0}", "\\u{115F}\\u{1160}\\u{3164}\\u{FFA0}"),
        ("\u{17B4}\u{1BCA0}\u{1D173}\u{FFF0}\u{E0FFF}", "\\u{17B4}\\u{1BCA0}\\u{1D173}\\u{FFF0}\\u{E0FFF}"),
        ("a\u{FE0F}\u{FE01}\u{E0100}", "a\u{FE0F}\\u{FE01}\\u{E0100}"),
    ]

    @Test("control, bidirectional, and invisible characters are escaped", arguments: Self.escapedCases)
    func escaped(text: String, expected: String) {
        expectEqual(Array(escapingControls(text).utf8), Array(expected.utf8))
    }

    @Test("combining marks are escaped from the ninth on")
    func marks() {
        let mark = "\u{301}"
        let eight = String(repeating: mark, count: 8)
        expectEqual(escapingControls("e" + eight), "e" + eight)
        let shown = escapingControls("e" + eight + mark + mark + "f" + mark)
        expectEqual(Array(shown.utf8), Array(("e" + eight + "\\u{301}\\u{301}f" + mark).utf8))
    }

    @Test("emoji, character variants, and marks of scripts are unchanged")
    func scripts() {
        for text in ["❤\u{FE0F}👍🏽🏳\u{FE0F}", "葛\u{E0100}", "שָׁלוֹם", "हिन्दी", "ཧཱུྃ", "e\u{301}\u{323}"] {
            expectEqual(Array(escapingControls(text).utf8), Array(text.utf8))
        }
    }

    static let joinersCases: [String] = [
        "👩\u{200D}💻", "👨🏽\u{200D}👩🏽\u{200D}👧", "🏳\u{FE0F}\u{200D}🌈", "❤\u{FE0F}\u{200D}🔥", "می\u{200C}خواهم",
        "क्\u{200D}ष", "क्\u{200C}ष", "ශ්\u{200D}රී",
    ]

    @Test(
        "Joiners are text in sequences of emoji, after a virama, and between joined letters",
        arguments: Self.joinersCases)
    func joiners(text: String) {
        expectEqual(Array(escapingControls(text).utf8), Array(text.utf8))
    }

    static let strayJoinersCases: [String] = [
        "a\u{200D}b", "\u{200D}", "👩\u{200D}", "👩\u{200D}a", "1\u{200D}2", "👩\u{200C}💻", "ا\u{200C}ب", "ب\u{200C}",
        "ب\u{200D}ب", "न\u{200C}न", "्\u{200D}", "क्\u{200C}", "😀\u{FE0F}\u{200D}x",
    ]

    @Test("Joiners anywhere else are escaped", arguments: Self.strayJoinersCases)
    func strayJoiners(text: String) {
        let shown = escapingControls(text)
        expectFalse(shown.unicodeScalars.contains { $0.value == 0x200C || $0.value == 0x200D })
        #expect(shown.contains("\\u{200"))
    }

    @Test("A sequence has at most four joiners")
    func longSequences() {
        let shown = escapingControls(Array(repeating: "👩", count: 10).joined(separator: "\u{200D}"))
        #expect(shown.unicodeScalars.count { $0.value == 0x200D } == 4 && shown.contains("\\u{200D}"))
    }

    @Test("Joiners cannot follow each other")
    func joinersInARow() {
        let shown = escapingControls("क" + String(repeating: "्\u{200D}", count: 4))
        expectEqual(Array(shown.utf8), Array("क्\u{200D}्\\u{200D}्\\u{200D}्\\u{200D}".utf8))
    }

    @Test("other text is unchanged", arguments: ["", "plain \\ text", "Grüße, 世界 🎉", "\u{FFFD}"])
    func kept(text: String) {
        expectEqual(escapingControls(text), text)
    }

    @Test("quoted text is truncated to 123 scalars")
    func cut() {
        expectEqual(quoted("a\n"), "\"a\\u{A}\"")
        expectEqual(quoted(#"a"b\"#), #""a\"b\\""#)
        expectEqual(quoted(String(repeating: "x", count: 5000)), "\"" + String(repeating: "x", count: 123) + "…\"")
    }
}
