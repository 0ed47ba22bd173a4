import Formats
import LoadTest
import UserInterface
import WSCore

// The results for CI systems.
extension BenchResults {
    /// The verdicts in the JUnit XML format: one test case for the run apart from thresholds, one for each threshold, and
    /// one for each named step of a scenario, which fails if it was wrong or got no message.
    func junit(_ judgement: BenchJudgement) -> String {
        var suite = JUnitSuite(name: description.notes.title ?? "wsx bench \(description.mode.rawValue)")
        suite.add(
            "run",
            !reasons.isEmpty
                ? .failed(reason: reasons.joined(separator: "; "))
                : judgement.doubts.isEmpty ? .passed : .inconclusive(reason: judgement.doubts.joined(separator: "; ")),
            nanoseconds: UInt64(clamping: duration.nanoseconds))
        for verdict in judgement.verdicts {
            let outcome: JUnitSuite.Outcome =
                verdict.isInconclusive ? .inconclusive(reason: verdict.reason) : .failed(reason: verdict.reason)
            suite.add(verdict.threshold.expression, verdict.isMet ? .passed : outcome)
        }
        for step in steps where step.isNamed {
            let faults = ResultWords.counts([(step.mismatched, "wrong"), (step.lost, "without a message")])
            let outcome: JUnitSuite.Outcome =
                if step.sent == 0 { .skipped } else if faults.isEmpty { .passed } else { .failed(reason: faults) }
            suite.add("step \(step.name)", outcome)
        }
        return suite.text
    }

    /// The results in GitHub Flavored Markdown.
    func summary(_ judgement: BenchJudgement) -> String {
        let title = description.notes.title ?? "wsx bench"
        let verdict =
            switch judgement.verdict {
            case .passed: "passed ✅"
            case .failed: "failed ❌"
            case .inconclusive: "inconclusive ⚠️"
            }
        var lines = ["### \(Markdown.text(title)): \(verdict)", ""]
        lines += judgement.reasons.map { "- \(Markdown.text($0))" }
        if !judgement.verdicts.isEmpty {
            let rows = judgement.verdicts.map { verdict in
                [
                    Markdown.code(verdict.threshold.expression), verdict.words, verdict.threshold.limit,
                    ResultWords.change(verdict.margin),
                    verdict.isMet ? "met" : verdict.isInconclusive ? "**inconclusive**" : "**not met**",
                ]
            }
            lines += ["", Markdown.table(["threshold", "value", "limit", "margin", ""], rows)]
        }
        lines += ["", Markdown.table(["", Markdown.text(description.url)], resultRows)]
        if let search = judgement.search {
            let rows = search.rows
            lines += ["", Markdown.text(search.sentence), "", Markdown.table(rows[0], Array(rows.dropFirst()))]
        }
        if let comparison = judgement.comparison {
            let rows = comparison.cells.map { row in row.map(Markdown.text) }
            lines += ["", Markdown.table(["median second", "baseline", "now", "change", ""], rows)]
            if let remark = comparison.remark { lines += ["", Markdown.text(remark)] }
        }
        let notes = (description.notes.labels + description.notes.environment).map { key, value in
            "\(Markdown.text(key)): \(Markdown.code(value))"
        }
        if !notes.isEmpty { lines += ["", notes.joined(separator: " · ")] }
        return lines.joined(separator: "\n") + "\n"
    }

    private var resultRows: [[String]] {
        var rows = facts.map { [$0.name, Markdown.text($0.text)] }
        guard latencies.totalCount > 0 else { return rows }
        let values = [("p50", 50.0), ("p99", 99), ("p99.9", 99.9)].map { name, percentile in
            "\(name) \(Phrase.latency(Double(latencies.value(atPercentile: percentile))))"
        }
        let part = tally.latencyOmitted > 0 ? " (\(measuredPart))" : ""
        let text = values.joined(separator: ", ") + ", max \(Phrase.latency(Double(latencies.maximum)))" + part
        rows.insert(["latency", text], at: 1)
        return rows
    }
}

/// Text in GitHub Flavored Markdown.
private enum Markdown {
    /// Escapes characters with a meaning.
    static func text(_ text: String) -> String {
        var escaped = ""
        for scalar in escapingControls(text).unicodeScalars {
            if "\\`*_{}[]<>#|~&@".unicodeScalars.contains(scalar) { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// A code span, also in a cell of a table.
    static func code(_ text: String) -> String {
        let text = escapingControls(text).split(separator: "|", omittingEmptySubsequences: false).joined(
            separator: "\\|")
        // More backticks than any in the text.
        let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        return longest > 0 ? "\(fence) \(text) \(fence)" : "`\(text)`"
    }

    static func table(_ headings: [String], _ rows: [[String]]) -> String {
        ([headings, headings.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
            .joined(separator: "\n")
    }
}
