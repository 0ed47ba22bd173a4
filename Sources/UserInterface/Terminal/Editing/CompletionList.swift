import WSCore

/// A list of completion candidates, in columns.
enum CompletionList {
    /// The maximum number of listed candidates.
    static let maximumShown = 200

    /// The lines of the list, each ending with a newline.
    /// - Parameters:
    ///   - candidates: The candidates.
    ///   - arePaths: Whether to show only the last component of each candidate.
    ///   - columns: The width of the terminal.
    static func text(of candidates: [String], arePaths: Bool = false, columns: Int) -> String {
        let names = candidates.prefix(maximumShown).map { escapingControls(arePaths ? lastPart(of: $0) : $0) }
        let width = (names.map(\.count).max() ?? 0) + 2
        let columnCount = max(1, columns / width)
        let rowCount = (names.count + columnCount - 1) / columnCount
        var text = ""
        for row in 0..<rowCount {
            let cells = stride(from: row, to: names.count, by: rowCount).map { names[$0] }
            for cell in cells.dropLast() { text += cell + String(repeating: " ", count: width - cell.count) }
            text += (cells.last ?? "") + "\n"
        }
        let left = candidates.count - names.count
        return left > 0 ? text + "\(Glyphs.ellipsis) and \(left) more\n" : text
    }

    private static func lastPart(of candidate: String) -> String {
        let end = candidate.hasSuffix("/") ? candidate.index(before: candidate.endIndex) : candidate.endIndex
        guard let slash = candidate[..<end].lastIndex(of: "/") else { return candidate }
        return String(candidate[candidate.index(after: slash)...])
    }
}
