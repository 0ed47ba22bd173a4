import CommandLine
import Formats
import LoadTest
import WSCore

extension BenchJudgement {
    /// The judgement as text below the results; empty if there is none.
    /// - Parameter columns: The maximum line width; at least 40.
    func lines(_ palette: Palette, columns: Int) -> [String] {
        var lines: [String] = []
        if !verdicts.isEmpty {
            lines += ["", "thresholds"] + verdicts.flatMap { Self.lines($0, palette, columns: columns) }
        }
        if let comparison { lines += [""] + Self.lines(comparison, palette, columns: columns) }
        return lines
    }

    private static func lines(_ verdict: Threshold.Verdict, _ palette: Palette, columns: Int) -> [String] {
        let text = "\(escapingControls(verdict.threshold.expression)): \(verdict.words)"
        let heading = verdict.isMet ? "  met      " : "  not met  "
        var lines = ResultWords.wrapped(text, indentation: heading.count, columns: columns)
        if let first = lines.first { lines[0] = heading + first.dropFirst(heading.count) }
        return verdict.isMet ? lines : lines.map(palette.failure)
    }

    private static func lines(_ comparison: BaselineComparison, _ palette: Palette, columns: Int) -> [String] {
        let (baseline, now) = comparison.secondCounts
        let moment = "\(EventTime.text(of: comparison.startTime).prefix(19))Z"
        let origin =
            comparison.runCount == 1 ? "from \(moment)" : "from \(comparison.runCount) runs, the first from \(moment)"
        let summary = "baseline \(origin): medians of \(Phrase.count(baseline, "second")), now of \(now)"
        let rows = [["", "baseline", "now", "change"]] + comparison.rows.map(cells)
        let isWide = columns >= HelpText.columns
        let widths = rows[0].indices.map { column in
            // Narrow tables have two blanks between columns.
            isWide ? (column == 0 ? 8 : 14) : (column == 0 ? 0 : 2) + (rows.map { $0[column].count }.max() ?? 0)
        }
        var lines = ResultWords.wrapped(summary, indentation: 0, columns: columns)
        for (index, row) in rows.enumerated() {
            let line = zip(row, widths).map { rightAligned($0, $1) }.joined()
            guard index > 0 else {
                lines.append(line)
                continue
            }
            let verdict = comparison.rows[index - 1].verdict
            let isOnItsOwnLine = line.count + 2 + words(verdict).count > columns
            let text = verdict == .slower ? palette.failure(words(verdict)) : words(verdict)
            lines += isOnItsOwnLine ? [line, rightAligned("", widths[0] + 2) + text] : ["\(line)  \(text)"]
        }
        return lines + stepLines(comparison.steps, palette, columns: columns)
    }

    /// The changes of steps, as a table or, if that is too wide, with a line for each name.
    private static func stepLines(
        _ steps: [BaselineComparison.StepRow], _ palette: Palette, columns: Int
    ) -> [String] {
        guard !steps.isEmpty else { return [] }
        let rows = [["steps", "baseline", "now", "change", ""]] + steps.map(cells)
        let widths = ResultWords.widths(of: rows)
        let isTable = widths.reduce(0, +) + 2 * (widths.count - 1) <= columns
        return rows.enumerated().flatMap { index, row in
            let lines: [String]
            if isTable {
                let numbers = zip(row, widths).dropFirst().dropLast().map { rightAligned($0, 2 + $1) }.joined()
                let verdict = row[4].isEmpty ? "" : "  " + row[4]
                lines = [ResultWords.left(row[0], widths[0]) + numbers + verdict]
            } else if index == 0 {
                lines = [row[0]]
            } else {
                let words = [row[1], "now \(row[2])", row[3], row[4]].filter { !$0.isEmpty }
                lines =
                    ResultWords.wrapped(row[0], indentation: 2, columns: columns)
                    + ResultWords.wrapped(words.joined(separator: ", "), indentation: 4, columns: columns)
            }
            let isWorse = index > 0 && [.slower, .more].contains(steps[index - 1].verdict)
            return isWorse ? lines.map(palette.failure) : lines
        }
    }

    private static func cells(_ row: BaselineComparison.Row) -> [String] {
        [row.metric.label, words(row.baseline, row.metric), words(row.now, row.metric), words(row.change)]
    }

    private static func cells(_ row: BaselineComparison.StepRow) -> [String] {
        [
            "\(escapingControls(row.name)) \(row.metric.label)", words(row.baseline, row.metric),
            words(row.now, row.metric), words(row.change), row.verdict == .unknown ? "" : row.verdict.rawValue,
        ]
    }

    private static func words(_ change: Double?) -> String {
        change.map { "\($0 < 0 ? "" : "+")\(FixedPoint.text($0 * 100, digits: 1)) %" } ?? ""
    }

    private static func words(_ verdict: BaselineComparison.Verdict) -> String {
        verdict == .unknown ? "too few seconds to tell" : verdict.rawValue
    }

    private static func words(_ value: Double?, _ metric: BaselineComparison.Metric) -> String {
        guard let value else { return "-" }
        switch metric {
        case .rate: return Phrase.grouped(ResultWords.whole(value))
        case .median, .tail: return Phrase.latency(value)
        case .failures: return "\(FixedPoint.text(value * 100, digits: 2)) %"
        }
    }
}
