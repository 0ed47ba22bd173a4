import Testing
import WSCore

@testable import UserInterface

@Suite struct ScreenLinesTests {
    @Test("Lines after the first start at the column")
    func column() {
        var lines = ScreenLines(limit: .none, column: 3, palette: Palette(isEnabled: false))
        lines.append("a")
        lines.beginLine(indentedBy: 2)
        lines.append("b")
        #expect(lines.text == "a\n     b")
        #expect(lines.lineCount == 2)
        #expect(!lines.isFull)
    }

    @Test("A line that wraps counts as several lines")
    func wrapping() {
        var lines = Self.lines(rows: 3, columns: 10)
        Self.append(String(repeating: "x", count: 11), to: &lines)
        lines.beginLine(indentedBy: 0)
        #expect(!lines.isFull)
        Self.append("y", to: &lines)
        lines.beginLine(indentedBy: 0)
        #expect(lines.isFull)
        #expect(lines.text == String(repeating: "x", count: 11) + "\ny")
    }

    @Test("A line that is too long is cut at a scalar, and one that just fits is not")
    func cut() {
        var lines = Self.lines(rows: 2, columns: 10)
        Self.append(String(repeating: "x", count: 20), to: &lines)
        #expect(!lines.isFull)
        lines = Self.lines(rows: 2, columns: 10)
        Self.append(String(repeating: "日", count: 8), to: &lines)
        #expect(lines.isFull)
        #expect(lines.text == "日日日日日日")
    }

    @Test("Escaped characters take the width of their escapes")
    func escapes() {
        var lines = Self.lines(rows: 2, columns: 10)
        Self.append(String(repeating: "\u{1B}", count: 1000), to: &lines)
        #expect(lines.isFull)
        #expect(lines.text == #"\u{1B}\u{1B}\u{1B}"#)
    }

    @Test("Nothing is added beyond the byte limit, which includes indentation")
    func bytes() {
        var lines = ScreenLines(
            limit: LayoutLimit(rows: .max, columns: nil, bytes: 6), column: 0, palette: Palette(isEnabled: false))
        Self.append("abc", to: &lines)
        lines.beginLine(indentedBy: 1)
        Self.append("defg", to: &lines)
        #expect(lines.isFull)
        Self.append("h", to: &lines)
        lines.beginLine(indentedBy: 0)
        #expect(lines.text == "abc\n d")
    }

    private static func lines(rows: Int, columns: Int) -> ScreenLines {
        ScreenLines(
            limit: LayoutLimit(rows: rows, columns: columns, bytes: .max), column: 0,
            palette: Palette(isEnabled: false))
    }

    private static func append(_ text: String, to lines: inout ScreenLines) {
        lines.append(Array(text.utf8).span.bytes, as: nil)
    }
}
