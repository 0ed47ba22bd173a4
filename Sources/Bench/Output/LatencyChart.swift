import CommandLine
import Formats
import LoadTest
import UserInterface
import WSCore

/// A histogram drawn with bars, on a logarithmic scale of values.
enum LatencyChart {
    /// The upper limits of rows within each power of ten, for small, medium, and large ranges.
    private static let scales: [[Double]] = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1]]
    private static let mostRows = 18
    private static let longestBar = 40

    /// A row of the chart: its upper limit, and the number of values above the previous row's limit.
    struct Row: Equatable {
        /// The upper limit, in nanoseconds.
        let end: Double
        var count: UInt64
    }

    /// The rows from the smallest to the largest value, without gaps; empty if there are no values.
    static func rows(of histogram: borrowing Histogram) -> [Row] {
        guard histogram.totalCount > 0 else { return [] }
        let (first, last) = (Double(max(1, histogram.minimum)), Double(max(1, histogram.maximum)))
        var rows: [Row] = []
        for scale in scales {
            rows = ends(from: first, to: last, scale).map { Row(end: $0, count: 0) }
            if rows.count <= mostRows { break }
        }
        var index = 0
        histogram.forEachBar { bar in
            // A bar that spans a limit counts by its smallest value.
            while index + 1 < rows.count, Double(bar.values.lowerBound) > rows[index].end { index += 1 }
            rows[index].count += bar.count
        }
        // The last row may be empty because of that.
        while rows.last?.count == 0 { rows.removeLast() }
        return rows
    }

    private static func ends(from first: Double, to last: Double, _ scale: [Double]) -> [Double] {
        var ends: [Double] = []
        var power = 1.0
        while ends.last.map({ $0 < last }) ?? true {
            for end in scale.map({ $0 * power }) where end >= first && (ends.last.map { $0 < last } ?? true) {
                ends.append(end)
            }
            power *= 10
        }
        return ends
    }

    /// The chart as lines of at most `columns` columns. Below 80 columns, padding shrinks first, then the bars.
    static func lines(of histogram: borrowing Histogram, _ palette: Palette, columns: Int) -> [String] {
        let rows = rows(of: histogram)
        let labels = rows.map { "to " + label($0.end) }
        let counts = rows.map { Phrase.grouped(Int(clamping: $0.count)) }
        let most = Double(rows.map(\.count).max() ?? 0)
        let total = Double(histogram.totalCount)
        let isWide = columns >= HelpText.columns
        let labelColumns = isWide ? 12 : labels.map(\.count).max() ?? 0
        let countColumns = isWide ? 14 : 1 + (counts.map(\.count).max() ?? 0)
        let shareColumns = isWide ? 10 : " 100.00 %".count
        let barColumns = max(1, min(longestBar, columns - labelColumns - 2 - countColumns - shareColumns))
        return rows.indices.map { index in
            let (row, count) = (rows[index], counts[index])
            let label = rightAligned(labels[index], labelColumns) + " " + Glyphs.axis
            guard row.count > 0 else { return label }
            let bar = bar(of: Double(row.count) / most, columns: barColumns)
            let gap = String(repeating: " ", count: barColumns - bar.count)
            let share = FixedPoint.text(Double(row.count) / total * 100, digits: 2) + " %"
            return label + palette.sent(bar) + gap + rightAligned(count, countColumns)
                + rightAligned(share, shareColumns)
        }
    }

    /// A time with the fewest necessary digits.
    private static func label(_ nanoseconds: Double) -> String {
        let units: [(size: Double, name: String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")]
        let unit = units.first { nanoseconds >= $0.size } ?? (1, "ns")
        let value = nanoseconds / unit.size
        return "\(FixedPoint.text(value, digits: value == value.rounded() ? 0 : 1)) \(unit.name)"
    }

    /// A bar of whole blocks and one partial block in eighths. A positive value is always visible.
    private static func bar(of part: Double, columns: Int) -> String {
        guard part > 0 else { return "" }
        let eighths = max(1, Int((part * Double(columns * 8)).rounded()))
        let bar = String(repeating: Glyphs.widths[8], count: eighths / 8) + Glyphs.widths[eighths % 8]
        return bar.isEmpty ? Glyphs.widths[8] : bar
    }
}
