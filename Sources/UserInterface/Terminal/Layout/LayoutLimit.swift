/// The limits for showing a message.
package struct LayoutLimit: Equatable {
    /// The maximum number of screen lines. A long line of text takes several.
    let rows: Int
    /// The width of the content in characters; nil: unlimited.
    let columns: Int?
    /// The maximum number of bytes of text.
    let bytes: Int

    /// No limits.
    package static let none = LayoutLimit(rows: .max, columns: nil, bytes: .max)

    /// The same limits with one more row.
    var withOneMoreRow: LayoutLimit { LayoutLimit(rows: rows + 1, columns: columns, bytes: bytes) }

    /// The maximum number of lines of a message in the transcript: about half of a screen, which keeps the rest of the
    /// conversation visible.
    static let maximumFoldedRows = 24
    /// The minimum, for small windows.
    private static let minimumFoldedRows = 6
    /// The lines of the window reserved for other output.
    private static let otherRows = 6
    /// The maximum number of bytes of a message in the transcript.
    static let maximumFoldedBytes = 16 << 10

    /// The limits for a message in the transcript.
    /// - Parameters:
    ///   - size: The size of the window; nil: the output is not a terminal.
    ///   - column: The column at which the content begins.
    static func fold(for size: ScreenSize?, column: Int) -> LayoutLimit {
        let rows = size.map { min(maximumFoldedRows, max(minimumFoldedRows, $0.rows - otherRows)) }
        return LayoutLimit(
            rows: rows ?? maximumFoldedRows, columns: size.map { max(1, $0.columns - column) },
            bytes: maximumFoldedBytes)
    }
}
