import Formats
import WSCore

/// What a run says about the server.
package enum RunVerdict: String, Sendable {
    case passed
    case failed
    /// The run is no evidence: the load did not take place, or wsx was too slow.
    case inconclusive
}

/// The judgement on results: whether the run passed, whether it met the thresholds, and how it compares with earlier
/// runs.
package struct BenchJudgement: Equatable, Sendable {
    package let verdict: RunVerdict
    /// Why the run failed or is inconclusive, the most important reason first; empty: it passed.
    package let reasons: [String]
    /// Why the run is inconclusive, apart from thresholds; empty if it failed.
    package let doubts: [String]
    /// The verdicts of the thresholds.
    package let verdicts: [Threshold.Verdict]
    /// The comparison with earlier runs, or `nil` without a baseline.
    package let comparison: BaselineComparison?
    /// The search for the highest rate, or `nil` if there was none.
    package let search: RateSearchReport?

    /// Judges a run.
    /// - Parameters:
    ///   - reasons: Why the run failed, apart from thresholds.
    ///   - doubts: Why it is inconclusive, apart from thresholds.
    ///   - verdicts: The verdicts of the thresholds.
    ///   - search: The search for the highest rate, whose doubts are among `doubts`.
    package init(
        reasons: [String] = [], doubts: [String] = [], verdicts: [Threshold.Verdict] = [],
        comparison: BaselineComparison? = nil, search: RateSearchReport? = nil
    ) {
        let missed = verdicts.filter { !$0.isMet }
        let failures = reasons + missed.filter { !$0.isInconclusive }.map(\.reason)
        self.doubts = failures.isEmpty ? doubts : []
        self.reasons = failures + self.doubts + missed.filter(\.isInconclusive).map(\.reason)
        verdict = failures.isEmpty ? self.reasons.isEmpty ? .passed : .inconclusive : .failed
        self.verdicts = verdicts
        self.comparison = comparison
        self.search = search
    }

    /// The verdict as a sentence: `passed`, or `failed: p99 is 75.6 ms, limit 20 ms`.
    package var sentence: String { verdict.rawValue + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")) }
}

extension BenchResults {
    /// A larger share of the load must not be missing.
    internal static let mostUnsent = 0.01

    /// The part of the load that was not sent.
    internal var unsentShare: Double { Double(tally.unsent) / max(1, tally.dueCount) }

    /// Why the results say nothing about the server, whatever they are.
    /// - Parameter thresholds: The thresholds, which may limit what is missing.
    package func doubts(besides thresholds: [Threshold]) -> [String] {
        findings.doubts + (findings.areOfSeveralRuns ? [] : doubtsOfFigures(besides: thresholds))
    }

    /// Names a run in its findings, for a sum. Those that follow from its figures depend on the present thresholds.
    package func nameFindings(_ name: String, besides thresholds: [Threshold]) {
        let (earlier, omissions) = (doubtsOfFigures(besides: []), GeneratorVerdict(self).omissions)
        findings.doubts.removeAll(where: earlier.contains)
        findings.doubts += doubtsOfFigures(besides: thresholds)
        // The sum has warnings with the sums.
        findings.remarks.removeAll(where: omissions.contains)
        for list in [\Findings.reasons, \.doubts, \.remarks] {
            findings[keyPath: list] = findings[keyPath: list].map { "\(name): \($0)" }
        }
    }

    internal func doubtsOfFigures(besides thresholds: [Threshold]) -> [String] {
        var doubts: [String] = []
        let (mode, share) = (description.mode, unsentShare)
        if share > Self.mostUnsent, !thresholds.contains(where: { $0.metricName == "unsent" }) {
            doubts.append(
                "\(FixedPoint.text(share * 100, digits: 1)) % of the \(mode.wording.sentThings) were not "
                    + "\(mode.wording.sentVerb), and no threshold limits 'unsent'")
        }
        let outcomes = [tally.received, tally.mismatched, tally.lost, tally.duplicated, countInTime]
        // Connections that stay open are the result of an idle test.
        if reasons.isEmpty, mode != .idle, outcomes.allSatisfy({ $0 == 0 }) { doubts.append("nothing was measured") }
        doubts += unmeasuredScenarios.map { "nothing was measured for the scenario \(escapingControls($0))" }
        return doubts
    }
}

extension BenchJudgement {
    /// Adds the verdict to the JSON object of the results.
    func addResult(to json: inout JSONWriter) {
        json.beginObject("result")
        json.add("passed", verdict == .passed)
        json.add("reasons", reasons)
        json.add("verdict", verdict.rawValue)
        json.endObject()
    }

    /// Adds the thresholds and the comparison to the JSON object of the results.
    func add(to json: inout JSONWriter) {
        json.beginArray("thresholds")
        for verdict in verdicts { Self.add(verdict, to: &json) }
        json.endArray()
        guard let comparison else { return json.addNull("baseline") }
        json.beginObject("baseline")
        json.add("start_time", EventTime.text(of: comparison.startTime))
        json.add("runs", comparison.runCount)
        json.add("seconds", comparison.secondCounts.baseline)
        json.add("seconds_now", comparison.secondCounts.now)
        json.beginArray("metrics")
        for row in comparison.rows { Self.add(row, to: &json) }
        json.endArray()
        if !comparison.steps.isEmpty {
            json.beginArray("steps")
            for row in comparison.steps { Self.add(row, to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    private static func add(_ verdict: Threshold.Verdict, to json: inout JSONWriter) {
        json.beginElement()
        json.add("expression", verdict.threshold.expression)
        switch (verdict.value, verdict.threshold.bound) {
        case (nil, _): json.addNull("value")
        case (let value?, .time): json.add("value", value / 1000, digits: 3)
        case (let value?, .number): json.add("value", value, digits: verdict.threshold.metric == .rate ? 1 : 0)
        case (let value?, .share): json.add("value", value, digits: 9)
        }
        switch verdict.threshold.bound {
        case .time(let nanoseconds):
            json.add("limit", nanoseconds / 1000, digits: 3)
            json.add("unit", "us")
        case .number(let number):
            json.add("limit", number)
            json.add("unit", "count")
        case .share(let share):
            json.add("limit", share, digits: 9)
            json.add("unit", "share")
        }
        add(verdict.margin, "margin", digits: 6, to: &json)
        json.add("met", verdict.isMet)
        if let value = verdict.valueWithoutDelay { json.add("without_delay", value / 1000, digits: 3) }
        json.endObject()
    }

    private static func add(_ row: BaselineComparison.Row, to json: inout JSONWriter) {
        // Times are in nanoseconds here and in microseconds in JSON.
        let scale = row.metric == .rate ? 1.0 : 1000
        json.beginElement()
        json.add("metric", "\(row.metric.field)")
        add(row.baseline.map { $0 / scale }, "baseline", digits: 3, to: &json)
        add(row.now.map { $0 / scale }, "now", digits: 3, to: &json)
        add(row.change, "change", digits: 6, to: &json)
        json.add("p_value", row.pValue, digits: 9)
        add(row.outcome, to: &json)
        json.endObject()
    }

    private static func add(_ row: BaselineComparison.StepRow, to json: inout JSONWriter) {
        // Times are in nanoseconds here and in microseconds in JSON. The rest are shares.
        let (scale, digits) = row.metric == .failures ? (1.0, 9) : (1000, 3)
        json.beginElement()
        json.add("step", row.name)
        json.add("metric", "\(row.metric.field)")
        json.add("baseline", row.baseline / scale, digits: digits)
        json.add("now", row.now / scale, digits: digits)
        add(row.change, "change", digits: 6, to: &json)
        json.add("p_value", row.pValue, digits: 9)
        add(row.outcome, to: &json)
        json.endObject()
    }

    private static func add(_ outcome: BaselineComparison.Outcome, to json: inout JSONWriter) {
        json.add("verdict", outcome.verdict.rawValue)
        if let reason = outcome.reason { json.add("reason", reason) }
        if case .unclear(let variation?) = outcome { json.add("variation", variation, digits: 6) }
    }

    private static func add(_ number: Double?, _ name: StaticString, digits: Int, to json: inout JSONWriter) {
        if let number { json.add(name, number, digits: digits) } else { json.addNull(name) }
    }
}
