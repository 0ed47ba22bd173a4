import CommandLine
import Formats
import LoadTest
import UserInterface
import WSCore

extension BenchJudgement {
    /// The verdict and the thresholds.
    /// - Parameter columns: The maximum line width; at least 40.
    func verdictLines(_ palette: Palette, columns: Int) -> [String] {
        let sentence = ResultWords.wrapped(escapingControls(self.sentence), indentation: 0, columns: columns)
        return sentence.map(verdict == .passed ? palette.received : palette.failure)
            + thresholdLines(palette, columns: columns)
    }

    /// The thresholds as a table or, if that is too wide, with several lines each.
    private func thresholdLines(_ palette: Palette, columns: Int) -> [String] {
        guard !verdicts.isEmpty else { return [] }
        let rows = [["threshold", "value", "limit", "margin", ""]] + verdicts.map(Self.cells)
        let widths = ResultWords.widths(of: rows)
        let isTable = widths.reduce(0, +) + 2 * (widths.count - 1) <= columns
        return [""]
            + rows.enumerated().flatMap { index, row in
                let lines: [String]
                if isTable {
                    let numbers = zip(row, widths).dropFirst().dropLast().map { rightAligned($0, 2 + $1) }.joined()
                    lines = [ResultWords.left(row[0], widths[0]) + numbers + (row[4].isEmpty ? "" : "  " + row[4])]
                } else if index == 0 {
                    lines = ["thresholds"]
                } else {
                    let words = "\(row[4]): \(row[1]), limit \(row[2])" + (row[3].isEmpty ? "" : ", margin \(row[3])")
                    lines =
                        ResultWords.wrapped(row[0], indentation: 2, columns: columns)
                        + ResultWords.wrapped(words, indentation: 4, columns: columns)
                }
                return index == 0 || verdicts[index - 1].isMet ? lines : lines.map(palette.failure)
            }
    }

    private static func cells(_ verdict: Threshold.Verdict) -> [String] {
        [
            escapingControls(verdict.threshold.expression), verdict.words, verdict.threshold.limit,
            ResultWords.change(verdict.margin),
            verdict.isMet ? "met" : verdict.isInconclusive ? "inconclusive" : "not met",
        ]
    }
}

extension ResultWords {
    /// A relative change: `+4.1 %`; empty if it is unknown.
    static func change(_ change: Double?) -> String {
        change.map { "\($0 < 0 ? "" : "+")\(FixedPoint.text($0 * 100, digits: 1)) %" } ?? ""
    }
}

extension BaselineComparison {
    /// The comparison as a table.
    /// - Parameter columns: The maximum line width; at least 40.
    func lines(_ palette: Palette, columns: Int) -> [String] {
        let (baseline, now) = secondCounts
        let moment = "\(EventTime.text(of: startTime).prefix(19))Z"
        let origin = runCount == 1 ? "from \(moment)" : "from \(runCount) runs, the first from \(moment)"
        let summary = "baseline \(origin): medians of \(Phrase.count(baseline, "second")), now of \(now)"
        let isWide = columns >= HelpText.columns
        let rows = [[isWide ? "median second" : "", "baseline", "now", "change"]] + self.rows.map(Self.cells)
        let widths = rows[0].indices.map { column in
            // Narrow tables have two blanks between columns.
            isWide ? (column == 0 ? 13 : 12) : (column == 0 ? 0 : 2) + (rows.map { $0[column].count }.max() ?? 0)
        }
        var lines = ResultWords.wrapped(summary, indentation: 0, columns: columns)
        for (index, row) in rows.enumerated() {
            let line =
                ResultWords.left(row[0], widths[0]) + zip(row, widths).dropFirst().map { rightAligned($0, $1) }.joined()
            guard index > 0 else {
                lines.append(line)
                continue
            }
            let outcome = self.rows[index - 1].outcome
            let isOnItsOwnLine = line.count + 2 + outcome.words.count > columns
            let text = outcome.isWorse ? palette.failure(outcome.words) : outcome.words
            lines += isOnItsOwnLine ? [line, rightAligned("", widths[0] + 2) + text] : ["\(line)  \(text)"]
        }
        if let remark { lines += ResultWords.wrapped(remark, indentation: 0, columns: columns) }
        return lines + Self.stepLines(steps, palette, columns: columns)
    }

    /// What the comparison does not cover, or `nil` if there are several baselines.
    var remark: String? {
        runCount > 1
            ? nil : "One baseline shows no differences between runs, only those within them: repeat --baseline."
    }

    /// The rows of the comparison, with those of steps: metric, earlier and present value, change, and outcome.
    var cells: [[String]] { rows.map { Self.cells($0) + [$0.outcome.words] } + steps.map(Self.cells) }

    /// The changes of steps, as a table or, if that is too wide, with a line for each name.
    private static func stepLines(
        _ steps: [StepRow], _ palette: Palette, columns: Int
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
            return index > 0 && steps[index - 1].outcome.isWorse ? lines.map(palette.failure) : lines
        }
    }

    private static func cells(_ row: Row) -> [String] {
        [row.metric.label, words(row.baseline, row.metric), words(row.now, row.metric), ResultWords.change(row.change)]
    }

    private static func cells(_ row: StepRow) -> [String] {
        [
            "\(escapingControls(row.name)) \(row.metric.label)", words(row.baseline, row.metric),
            words(row.now, row.metric), ResultWords.change(row.change),
            row.outcome == .unknown ? "" : row.outcome.words,
        ]
    }

    private static func words(_ value: Double?, _ metric: Metric) -> String {
        guard let value else { return "-" }
        switch metric {
        case .rate: return Phrase.grouped(ResultWords.whole(value))
        case .median, .tail: return Phrase.latency(value)
        case .failures: return "\(FixedPoint.text(value * 100, digits: 2)) %"
        }
    }
}

extension BaselineComparison.Outcome {
    /// The outcome for people: `no change`, or `unclear (varies by ±38 %)`.
    var words: String {
        switch self {
        case .faster, .slower, .more, .fewer: verdict.rawValue
        case .same: "no change"
        case .unclear(let variation):
            variation.map {
                "unclear (varies by \(Glyphs.areASCII ? "+-" : "±")\(FixedPoint.text($0 * 100, digits: 0)) %)"
            } ?? "unclear"
        case .unknown: "too few seconds to tell"
        }
    }
}
