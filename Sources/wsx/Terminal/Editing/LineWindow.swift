/// The part of a text of many lines that fits on the screen, around the cursor.
///
///     … 71 lines above
///     the line before
///     the line with the cursor
///     … 12 lines below
struct LineWindow: Equatable {
    /// What is shown.
    let text: [UInt8]
    /// Where the cursor is in it.
    let cursor: Int

    private static let newline = UInt8(ascii: "\n")

    /// Looks at a text; nil: all of it fits.
    /// - Parameters:
    ///   - text: What was typed.
    ///   - cursor: Where the cursor is, in bytes.
    ///   - rows: The height of the screen, of which one row stays free.
    ///   - columns: Its width.
    init?(of text: [UInt8], cursor: Int, rows: Int, columns: Int) {
        guard rows > 4, text.contains(Self.newline) else { return nil }
        let lines = text.split(separator: Self.newline, omittingEmptySubsequences: false)
        // Bytes are never fewer than columns, but for tabs.
        let heights = lines.map { line in
            let width = line.count + 7 * line.count { $0 == UInt8(ascii: "\t") }
            return width / max(1, columns) + 1
        }
        let available = rows - 1
        guard heights.reduce(0, +) > available else { return nil }
        let current = lines.firstIndex { cursor <= $0.endIndex } ?? lines.count - 1
        var shown = current..<current + 1
        var height = heights[current]
        // Two rows say how much is not shown.
        func takes(_ index: Int) -> Bool {
            guard lines.indices.contains(index), height + heights[index] <= available - 2 else { return false }
            height += heights[index]
            return true
        }
        // What follows comes first, up to half of the screen, so that the cursor stays in the middle.
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

    private static func note(_ count: Int, _ where: String) -> [UInt8]? {
        count > 0 ? Array("… \(count) line\(count == 1 ? "" : "s") \(`where`)".utf8) : nil
    }
}
