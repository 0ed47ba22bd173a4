import CReadline

/// The part of a long text that fits on the screen around the cursor. Readline would redraw the whole text above each
/// message that arrives, and scroll everything else away.
///
///     … 71 lines above
///     the line before
///     the line with the cursor
///     … 12 lines below
struct LineWindow: Equatable {
    /// The shown text.
    let text: [UInt8]
    /// The cursor's position in the shown text, in bytes.
    let cursor: Int

    private static let newline = UInt8(ascii: "\n")

    /// Finds the part to show, or nil if the whole text fits.
    /// - Parameters:
    ///   - text: The whole text.
    ///   - cursor: The cursor's position in bytes.
    ///   - rows: The height of the screen. One row stays free.
    ///   - columns: The width of the screen.
    ///   - promptColumns: The width of the prompt before the text.
    init?(of text: [UInt8], cursor: Int, rows: Int, columns: Int, promptColumns: Int = 0) {
        guard rows > 4, columns > 0 else { return nil }
        let lines = Self.rows(of: text, columns: columns, firstColumn: promptColumns)
        let available = rows - 1
        guard lines.count > available else { return nil }
        let current = lines.lastIndex { $0.range.lowerBound <= cursor } ?? 0
        // Two rows show the numbers of hidden lines. The first one is beside the prompt.
        let noteRows = 2 + (promptColumns + Self.maximumNoteColumns) / columns
        let count = max(1, available - noteRows)
        // The cursor stays in the middle.
        var end = min(lines.count, current + 1 + count / 2)
        let start = max(0, end - count)
        end = min(lines.count, start + count)
        let range = lines[start].range.lowerBound..<lines[end - 1].range.upperBound
        let above = Self.note(start, "above").map { $0 + [Self.newline] } ?? []
        // After a full row, the next one begins without a newline.
        let isFull = lines[end - 1].columns >= columns
        let below = Self.note(lines.count - end, "below").map { (isFull ? [] : [Self.newline]) + $0 } ?? []
        self.text = above + text[range] + below
        self.cursor = above.count + cursor - range.lowerBound
    }

    /// A row of the screen.
    private struct Row {
        /// The bytes on it, without a newline.
        var range: Range<Int>
        var columns: Int
    }

    /// Divides a text into the rows that it takes.
    private static func rows(of text: [UInt8], columns: Int, firstColumn: Int) -> [Row] {
        var rows: [Row] = []
        var row = Row(range: 0..<0, columns: firstColumn % columns)
        func endRow(nextStart: Int) {
            rows.append(row)
            row = Row(range: nextStart..<nextStart, columns: 0)
        }
        var index = 0
        while index < text.count {
            if text[index] == newline {
                // Readline leaves an empty row after a line that fills its last row.
                if row.columns >= columns { endRow(nextStart: index) }
                endRow(nextStart: index + 1)
                index += 1
                continue
            }
            let (width, byteCount) = character(in: text, at: index)
            if row.columns + width > columns { endRow(nextStart: index) }
            row.columns += width
            index += byteCount
            row.range = row.range.lowerBound..<index
        }
        if row.columns >= columns { endRow(nextStart: index) }
        return rows + [row]
    }

    /// The maximum columns and the bytes of a character as readline shows it.
    private static func character(in text: [UInt8], at index: Int) -> (columns: Int, byteCount: Int) {
        switch text[index] {
        case UInt8(ascii: "\t"): return (8, 1)
        case 0..<0x20, 0x7F: return (2, 1)
        case 0x20..<0x7F: return (1, 1)
        default: break
        }
        var iterator = text[index...].makeIterator()
        var decoder = UTF8()
        // Readline shows a byte that is not UTF-8 in octal.
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return (4, 1) }
        return (max(0, Int(wsx_character_width(scalar.value))), UTF8.width(scalar))
    }

    /// The cursor's row, from 0, after a text that begins at the left edge of the screen.
    /// - Parameters:
    ///   - text: UTF-8 as readline shows it: tab stops every eight columns, two columns for a control character, and
    ///     none for text between the bytes 1 and 2.
    ///   - columns: The width of the screen.
    static func cursorRow(after text: [UInt8], columns: Int) -> Int {
        var (row, column) = (0, 0)
        var isInvisible = false
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            let width: Int
            switch scalar.value {
            case 1, 2:
                isInvisible = scalar.value == 1
                continue
            case _ where isInvisible: continue
            case 10:
                // Readline leaves an empty row after a line that fills its last row.
                (row, column) = (row + (column >= columns ? 2 : 1), 0)
                continue
            case 9: width = 8 - column % 8
            case 0..<32, 127: width = 2
            default: width = max(0, Int(wsx_character_width(scalar.value)))
            }
            if column + width > columns { (row, column) = (row + 1, 0) }
            column += width
        }
        // The cursor waits at the start of the next row.
        return column >= columns && columns > 0 ? row + 1 : row
    }

    /// The columns of a note about fewer than a million lines.
    private static let maximumNoteColumns = 20

    private static func note(_ count: Int, _ where: String) -> [UInt8]? {
        count > 0 ? Array("\(Glyphs.ellipsis) \(count) line\(count == 1 ? "" : "s") \(`where`)".utf8) : nil
    }
}
