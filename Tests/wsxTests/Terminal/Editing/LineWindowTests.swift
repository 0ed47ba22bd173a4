import CReadline
import Testing

@testable import UserInterface

@Suite struct LineWindowTests {
    private static let text = (0..<100).map { "line \($0)" }.joined(separator: "\n")

    @Test("A text that fits needs no window")
    func fits() {
        #expect(LineWindow(of: Array("a\nb".utf8), cursor: 0, rows: 24, columns: 80) == nil)
        #expect(
            LineWindow(of: Array(String(repeating: "x", count: 23 * 80 - 1).utf8), cursor: 0, rows: 24, columns: 80)
                == nil)
        #expect(LineWindow(of: [], cursor: 0, rows: 24, columns: 80) == nil)
    }

    @Test("The window shows the lines around the cursor and keeps its position", arguments: [0, 7, 300, 500, 789])
    func around(cursor: Int) throws {
        let bytes = Array(Self.text.utf8)
        let window = try #require(LineWindow(of: bytes, cursor: cursor, rows: 10, columns: 80))
        let shown = String(decoding: window.text, as: UTF8.self)
        #expect(shown.split(separator: "\n").count <= 9)
        #expect(window.cursor <= window.text.count)
        if cursor < bytes.count { #expect(window.text[window.cursor] == bytes[cursor]) }
    }

    @Test(
        "A pasted line taller than the screen does not garble the prompt: the window never takes more than the screen",
        arguments: ["x", "水", "\t", "\u{7}", "e\u{301}"], [0, 24, 35])
    func longLine(character: String, promptColumns: Int) throws {
        wsx_readline_set_locale()
        let text = Array(String(repeating: character, count: 5000).utf8)
        for columns in [30, 79, 80] {
            for cursor in [0, character.utf8.count * 2500, text.count] {
                let window = try #require(
                    LineWindow(of: text, cursor: cursor, rows: 24, columns: columns, promptColumns: promptColumns))
                let prompt = Array(repeating: UInt8(ascii: ">"), count: promptColumns)
                #expect(LineWindow.cursorRow(after: prompt + window.text, columns: columns) < 23)
                let shown = String(decoding: window.text, as: UTF8.self)
                #expect(shown.hasPrefix("… ") == (cursor > 0))
                #expect(shown.hasSuffix(" below") == (cursor < text.count))
                let rest = String(decoding: window.text[window.cursor...], as: UTF8.self)
                #expect(rest.hasPrefix(cursor < text.count ? character : ""))
            }
        }
    }

    @Test("Moving along a long line scrolls the window by whole rows")
    func scrolling() throws {
        let text = Array((0..<1000).map { "\($0 % 10)" }.joined().utf8)
        let windows = try [500, 505, 509].map { cursor in
            try #require(LineWindow(of: text, cursor: cursor, rows: 10, columns: 10)).text
        }
        #expect(Set(windows).count == 1)
    }

    @Test(
        "After narrowing the window, the cursor's row is counted with the new width",
        arguments: [
            ("> ", 80, 0), ("> 1234567", 10, 0), ("> 12345678", 10, 1), ("> 123456789", 10, 1), ("> a\nb", 10, 1),
            ("> 12345678\nb", 10, 2),
            ("> 水水水水", 10, 1), ("> 水水水水", 9, 1), ("\u{1}\u{1B}[1m\u{2}> x", 10, 0), ("> \tx", 8, 1), ("> \u{7}", 3, 1),
            ("> e\u{301}e\u{301}", 5, 0), ("", 10, 0),
        ])
    func cursorRow(text: String, columns: Int, row: Int) {
        // The widths of characters depend on the locale.
        wsx_readline_set_locale()
        #expect(LineWindow.cursorRow(after: Array(text.utf8), columns: columns) == row)
    }

    @Test("The window reports the number of hidden lines")
    func notes() throws {
        let end = try #require(
            LineWindow(of: Array(Self.text.utf8), cursor: Self.text.utf8.count, rows: 10, columns: 80))
        #expect(String(decoding: end.text, as: UTF8.self).hasPrefix("… 93 lines above\nline 93\n"))
        let start = try #require(LineWindow(of: Array(Self.text.utf8), cursor: 0, rows: 10, columns: 80))
        #expect(String(decoding: start.text, as: UTF8.self).hasSuffix("line 6\n… 93 lines below"))
    }
}
