import Formats
import LoadTest
import UserInterface

extension RateSearchReport {
    /// The rates as a table, and the highest one that holds.
    /// - Parameter columns: The maximum line width; at least 40.
    func lines(columns: Int) -> [String] {
        let (rows, gap) = (rows, 2)
        let widths = ResultWords.widths(of: rows)
        return rows.map { row in zip(row, widths).map { rightAligned($0, gap + $1) }.joined() }
            + ResultWords.wrapped(sentence, indentation: 0, columns: columns)
    }
}
