import Testing
import WSCore

@testable import wsx

@Suite struct ExcerptTests {
    @Test("A short message is shown in full, with the match highlighted")
    func short() {
        #expect(Self.excerpt("one two three", 4..<7) == "one \u{1B}[7mtwo\u{1B}[0m three")
        #expect(Self.excerpt("one", 1..<1) == "one")
        #expect(Self.excerpt("", 0..<0) == "")
    }

    @Test("A long message shows the context of the match, without splitting a scalar")
    func long() {
        let before = String(repeating: "日", count: 100)
        let text = Self.excerpt(before + "X" + before, 300..<301)
        #expect(text == "…日日日日日日日日\u{1B}[7mX\u{1B}[0m" + String(repeating: "日", count: 25) + "…")
    }

    @Test("A long match is truncated")
    func longMatch() {
        let text = Self.excerpt(String(repeating: "x", count: 500), 0..<500)
        #expect(text == "\u{1B}[7m" + String(repeating: "x", count: 100) + "\u{1B}[0m…")
    }

    @Test("Control characters are escaped, and the excerpt is one line")
    func hostile() {
        #expect(Self.excerpt("\u{1B}[2J\n\u{202E}", 0..<1) == "\u{1B}[7m\\u{1B}\u{1B}[0m[2J\\u{A}\\u{202E}")
    }

    private static func excerpt(_ text: String, _ match: Range<Int>) -> String {
        Excerpt.text(of: Array(text.utf8).span.bytes, around: match, palette: Palette(isEnabled: true))
    }
}
