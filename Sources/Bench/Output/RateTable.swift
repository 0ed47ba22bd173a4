import Formats
import LoadTest
import UserInterface

extension RateSearchReport {
    /// The rates as a table, and the highest one that holds.
    /// - Parameter columns: The maximum line width; at least 40.
    func lines(columns: Int) -> [String] {
        let (rows, gap) = (rows, 2)
        let widths = ResultWords.widths(of: rows)
        // The last columns are omitted if they do not fit.
        var (count, width) = (0, 0)
        while count < widths.count, width + gap + widths[count] <= columns {
            width += gap + widths[count]
            count += 1
        }
        let table = rows.map { row in zip(row, widths).prefix(count).map { rightAligned($0, gap + $1) }.joined() }
        return table + ResultWords.wrapped(sentence, indentation: 0, columns: columns)
    }
}
