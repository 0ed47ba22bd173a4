/// How much of a message is shown.
struct LayoutLimit: Equatable {
    /// The lines of the screen, of which a long line of text takes several.
    let rows: Int
    /// The characters beside each other for the content; nil: there is no end to a line.
    let columns: Int?
    /// The text, in bytes.
    let bytes: Int

    /// Everything there is.
    static let none = LayoutLimit(rows: .max, columns: nil, bytes: .max)

    /// The most lines that are shown of a message at once: about half of what a screen has, or it would push the rest
    /// of the conversation away.
    static let maximumFoldedRows = 24
    /// The fewest, however small the window is.
    private static let minimumFoldedRows = 6
    /// The lines of the window that are left to others.
    private static let otherRows = 6
    /// The most bytes that are shown of a message at once.
    static let maximumFoldedBytes = 16 << 10

    /// What is shown of a message as it travels.
    /// - Parameters:
    ///   - size: The window; nil: what is shown goes to a file.
    ///   - column: Where the content begins.
    static func fold(for size: ScreenSize?, column: Int) -> LayoutLimit {
        let rows = size.map { min(maximumFoldedRows, max(minimumFoldedRows, $0.rows - otherRows)) }
        return LayoutLimit(
            rows: rows ?? maximumFoldedRows, columns: size.map { max(1, $0.columns - column) },
            bytes: maximumFoldedBytes)
    }
}
