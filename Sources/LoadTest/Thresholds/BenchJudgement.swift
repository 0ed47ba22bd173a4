import Formats

/// The judgement on results: whether they meet the thresholds, and how they compare with earlier runs.
package struct BenchJudgement: Equatable, Sendable {
    /// The verdicts of the thresholds.
    package var verdicts: [Threshold.Verdict] = []
    /// The comparison with earlier runs, or `nil` without a baseline.
    package var comparison: BaselineComparison?

    /// Creates an empty judgement.
    package init() {}
}

extension BenchJudgement {
    /// Adds the judgement to the JSON object of the results.
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
        json.add("met", verdict.isMet)
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
        json.add("verdict", row.verdict.rawValue)
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
        json.add("verdict", row.verdict.rawValue)
        json.endObject()
    }

    private static func add(_ number: Double?, _ name: StaticString, digits: Int, to json: inout JSONWriter) {
        if let number { json.add(name, number, digits: digits) } else { json.addNull(name) }
    }
}
