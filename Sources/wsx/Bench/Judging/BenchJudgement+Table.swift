import WSCore

extension BenchJudgement {
    /// The judgement as people read it, below the results; nothing where there is none.
    func lines(_ palette: Palette) -> [String] {
        var lines: [String] = []
        if !verdicts.isEmpty { lines += ["", "thresholds"] + verdicts.map { Self.line($0, palette) } }
        if let comparison { lines += [""] + Self.lines(comparison, palette) }
        return lines
    }

    private static func line(_ verdict: Threshold.Verdict, _ palette: Palette) -> String {
        let line = "\(escapingControls(verdict.threshold.expression)): \(verdict.words)"
        return verdict.isMet ? "  met      \(line)" : palette.failure("  not met  \(line)")
    }

    private static func lines(_ comparison: BaselineComparison, _ palette: Palette) -> [String] {
        let (baseline, now) = comparison.secondCounts
        let moment = "\(EventTime.text(of: comparison.startTime).prefix(19))Z"
        let origin =
            comparison.runCount == 1 ? "of \(moment)" : "of \(comparison.runCount) runs, the first of \(moment)"
        let headings = ["baseline", "now", "change"].map { ResultWords.right($0, 14) }.joined()
        return [
            "baseline \(origin): medians of \(Failure.number(baseline, "second")) then and \(now) now",
            "        \(headings)",
        ] + comparison.rows.map { line($0, palette) }
    }

    private static func line(_ row: BaselineComparison.Row, _ palette: Palette) -> String {
        let change = row.change.map { "\($0 < 0 ? "" : "+")\(FixedPoint.text($0 * 100, digits: 1)) %" } ?? ""
        let columns = [words(row.baseline, row.metric), words(row.now, row.metric), change]
        let verdict =
            switch row.verdict {
            case .slower: palette.failure("slower")
            case .faster, .noise: row.verdict.rawValue
            case .unknown: "too few seconds to know"
            }
        return ResultWords.right(row.metric.label, 8) + columns.map { ResultWords.right($0, 14) }.joined()
            + "  \(verdict)"
    }

    private static func words(_ value: Double?, _ metric: BaselineComparison.Metric) -> String {
        guard let value else { return "-" }
        return metric == .rate ? ResultWords.count(ResultWords.whole(value)) : ResultWords.time(value)
    }
}
