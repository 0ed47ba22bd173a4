import CReadline

/// The part of a long multi-line text that fits on the screen around the cursor. Readline would redraw the whole text
/// above each message that arrives, and scroll everything else away.
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
    init?(of text: [UInt8], cursor: Int, rows: Int, columns: Int) {
        guard rows > 4, text.contains(Self.newline) else { return nil }
        let lines = text.split(separator: Self.newline, omittingEmptySubsequences: false)
        // A text never has fewer bytes than columns, except for tabs.
        let heights = lines.map { line in
            let width = line.count + 7 * line.count { $0 == UInt8(ascii: "\t") }
            return width / max(1, columns) + 1
        }
        let available = rows - 1
        guard heights.reduce(0, +) > available else { return nil }
        let current = lines.firstIndex { cursor <= $0.endIndex } ?? lines.count - 1
        var shown = current..<current + 1
        var height = heights[current]
        // Two rows show the numbers of hidden lines.
        func takes(_ index: Int) -> Bool {
            guard lines.indices.contains(index), height + heights[index] <= available - 2 else { return false }
            height += heights[index]
            return true
        }
        // Fill up to half of the screen below the cursor first, which keeps the cursor in the middle.
        let half = height + (available - 2) / 2
        while height < half, takes(shown.upperBound) { shown = shown.lowerBound..<shown.upperBound + 1 }
        while takes(shown.lowerBound - 1) { shown = shown.lowerBound - 1..<shown.upperBound }
        while takes(shown.upperBound) { shown = shown.lowerBound..<shown.upperBound + 1 }
        let start = lines[shown.lowerBound].startIndex
        let above = Self.note(shown.lowerBound, "above").map { $0 + [Self.newline] } ?? []
        let below = Self.note(lines.count - shown.upperBound, "below").map { [Self.newline] + $0 } ?? []
        self.text = above + text[start..<lines[shown.upperBound - 1].endIndex] + below
        self.cursor = above.count + cursor - start
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

    private static func note(_ count: Int, _ where: String) -> [UInt8]? {
        count > 0 ? Array("… \(count) line\(count == 1 ? "" : "s") \(`where`)".utf8) : nil
    }
}
