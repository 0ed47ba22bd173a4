import Testing
import WSCore

@testable import UserInterface

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
        #expect(
            text == "…" + String(repeating: "日", count: 12) + "\u{1B}[7mX\u{1B}[0m"
                + String(repeating: "日", count: 36) + "…")
    }

    @Test("A long match is truncated")
    func longMatch() {
        let text = Self.excerpt(String(repeating: "x", count: 500), 0..<500)
        #expect(text == "\u{1B}[7m" + String(repeating: "x", count: 99) + "…\u{1B}[0m")
    }

    @Test("Control characters are escaped, and the excerpt is one line")
    func hostile() {
        #expect(Self.excerpt("\u{1B}[2J\n\u{202E}", 0..<1) == "\u{1B}[7m\\u{1B}\u{1B}[0m[2J\\u{A}\\u{202E}")
    }

    @Test("An escaped control character counts with all its columns")
    func escapedWidth() {
        let payload = Array(String(repeating: "\u{1B}", count: 30).utf8)
        let palette = Palette(isEnabled: false)
        let excerpt = Excerpt(of: payload.span.bytes, around: 15..<16, columns: 30, palette: palette)
        #expect(excerpt.isCut && excerpt.text.columns <= 30)
        #expect(excerpt.text.text == #"…\u{1B}\u{1B}\u{1B}\u{1B}…"#)
    }

    private static func excerpt(_ text: String, _ match: Range<Int>) -> String {
        let palette = Palette(isEnabled: true)
        return Excerpt(of: Array(text.utf8).span.bytes, around: match, columns: 100, palette: palette).text.text
    }
}
