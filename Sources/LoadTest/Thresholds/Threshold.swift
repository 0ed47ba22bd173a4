import Formats
import WSCore

/// A condition on results: `p99<20ms`, `rate>50k`, `lost<0.1%`.
package struct Threshold: Equatable, Sendable {
    /// The quantity to check.
    package enum Metric: Equatable, Sendable {
        case latency(Statistic)
        /// Another time. In a scenario that has a step with its name: the latency of that step.
        case time(TimeMeasure, Statistic)
        case rate
        /// A count, by its name in ``CountGroup/count(named:)``.
        case count(String)
        /// The latency of a step or stage, by its name.
        case step(String, Statistic)
        /// A count of a step or stage, by the names of both.
        case stepCount(String, String)
    }

    /// A statistic of a histogram.
    package enum Statistic: Equatable, Sendable {
        case minimum
        case mean
        case standardDeviation
        case maximum
        /// A percentile, 0 through 100.
        case percentile(Double)
    }

    /// The required relation of the value to the bound.
    package enum Comparison: String, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "="
        case notEqual = "!="
    }

    /// The bound to compare with.
    package enum Bound: Equatable, Sendable {
        /// A time in nanoseconds.
        case time(Double)
        case number(Int)
        /// A share of the sent messages, or of the expected deliveries.
        case share(Double)

        /// The bound in the unit of the metric.
        fileprivate var value: Double {
            switch self {
            case .time(let nanoseconds): nanoseconds
            case .number(let number): Double(number)
            case .share(let share): share
            }
        }
    }

    /// The result of a check.
    package struct Verdict: Equatable, Sendable {
        /// The checked threshold.
        package let threshold: Threshold
        /// The value: nanoseconds, messages per second, a count, or a share. It is `nil` if nothing was measured.
        let value: Double?
        /// Whether the condition holds.
        package let isMet: Bool
        /// The value without the delay of this end, with which the condition would hold; otherwise `nil`.
        var valueWithoutDelay: Double?
        /// The number of latencies that were left out, and of all, if the rest cannot be judged.
        var omitted: (count: Int, of: Int)?
        /// Whether too many latencies were left out to judge the rest.
        package var lacksLatencies: Bool { omitted != nil }
        /// Whether anything was measured.
        package var hasValue: Bool { value != nil }
        /// Whether nothing can be said about the server: nothing was measured, too much was left out, or this end was too late.
        package var isInconclusive: Bool { !isMet && (value == nil || valueWithoutDelay != nil || lacksLatencies) }

        package static func == (left: Verdict, right: Verdict) -> Bool {
            (left.threshold, left.value, left.isMet, left.valueWithoutDelay)
                == (right.threshold, right.value, right.isMet, right.valueWithoutDelay)
                && left.omitted?.count == right.omitted?.count
        }
    }

    /// The threshold as typed.
    package let expression: String
    internal let metric: Metric
    internal let comparison: Comparison
    internal let bound: Bound

    /// Creates a condition on a metric.
    /// - Parameter expression: The threshold as typed.
    package init(_ expression: String, _ metric: Metric, _ comparison: Comparison, _ bound: Bound) {
        self.expression = expression
        self.metric = metric
        self.comparison = comparison
        self.bound = bound
    }

    /// Whether the metric is known during a run.
    package var isKnownDuringRun: Bool {
        switch metric {
        case .time(let measure, _): measure.declaration.metric != nil
        case .count(let name): CountGroup.count(named: name)?.group.metric != nil
        case .latency, .rate, .step, .stepCount: true
        }
    }

    /// The metric as typed: everything before the operator.
    package var metricName: String {
        String(expression.prefix { !"<>=! ".contains($0) })
    }

    /// The name of the time that the metric is about, or `nil` if it is about something else.
    package var measureName: String? { if case .time(let measure, _) = metric { measure.name } else { nil } }

    /// The name of the step or stage that the metric is about, or `nil` if it is about the whole run.
    package var stepName: String? {
        switch metric {
        case .step(let name, _), .stepCount(let name, _): name
        default: nil
        }
    }

    /// Whether the metric is a statistic of latencies.
    package var isLatency: Bool { if case .latency = metric { true } else { false } }

    /// Whether the metric is a count.
    internal var isCount: Bool {
        switch metric {
        case .count, .stepCount: true
        case .latency, .time, .rate, .step: false
        }
    }

    /// Checks the condition on results.
    package func verdict(on results: BenchResults) -> Verdict {
        let value = value(in: results)
        if let value, let omitted = omittedLatencies(in: results) {
            return Verdict(threshold: self, value: value, isMet: false, omitted: omitted)
        }
        let isMet = value.map(holds) ?? false
        let valueWithoutDelay =
            isMet ? nil : value.map { withoutDelay($0, in: results) }.flatMap { holds(for: $0) ? $0 : nil }
        return Verdict(threshold: self, value: value, isMet: isMet, valueWithoutDelay: valueWithoutDelay)
    }

    /// The latencies that the metric lacks, if they are a larger part than may be missing: the others may be any.
    private func omittedLatencies(in results: BenchResults) -> (count: Int, of: Int)? {
        switch metric {
        case .latency, .time(.service, _): break
        case .step(let name, _) where !results.steps.contains { $0.name == name }: break
        case .step, .stepCount, .time, .rate, .count: return nil
        }
        let (count, whole) = (results.tally.latencyOmitted, results.tally.received)
        return Double(count) > BenchResults.mostUnsent * Double(whole) ? (count, whole) : nil
    }

    /// A latency, in nanoseconds, without the delay that this end may have added: before the message was sent, and before the
    /// reply was read. It is not below the smallest latency. Other metrics, and limits from below, stay as they are.
    private func withoutDelay(_ value: Double, in results: BenchResults) -> Double {
        guard comparison == .less || comparison == .lessOrEqual else { return value }
        var (measures, stage): ([TimeMeasure], PartResults?) = ([.delay, .lag], nil)
        let statistic: Statistic
        switch metric {
        case .rate, .count, .stepCount, .time(.delay, _), .time(.lag, _): return value
        case .latency(let latency): statistic = latency
        case .step(let name, let latency):
            statistic = latency
            stage = results.steps.contains { $0.name == name } ? nil : results.part(named: name)
        case .time(let measure, let time):
            statistic = time
            // Only messages have due times. A handshake waits for this end in each of its phases.
            if measure != .first, results.part(named: measure.name) == nil {
                let phaseCount = TimeMeasure.phases.count { results.times[$0].totalCount > 0 }
                measures = Array(repeating: .lag, count: measure == .handshake ? phaseCount : 1)
            }
        }
        guard statistic != .standardDeviation else { return value }
        let delay = measures.reduce(0) { sum, measure in
            let own =
                if let stage { stage.ownDelays[measure].flatMap { statistic.value(in: $0.readable()) } } else {
                    statistic.value(in: results.times[measure])
                }
            return sum + (own ?? 0)
        }
        return max(min(value, self.value(in: results, .minimum) ?? 0), value - delay)
    }

    private func holds(for value: Double) -> Bool {
        switch comparison {
        case .less: value < bound.value
        case .lessOrEqual: value <= bound.value
        case .greater: value > bound.value
        case .greaterOrEqual: value >= bound.value
        case .equal: value == bound.value
        case .notEqual: value != bound.value
        }
    }

    /// - Parameter other: The statistic in place of the one of the metric.
    private func value(in results: BenchResults, _ other: Statistic? = nil) -> Double? {
        switch metric {
        case .latency(let statistic): (other ?? statistic).value(in: results.latencies)
        case .time(let measure, let statistic):
            if let step = results.part(named: measure.name) {
                (other ?? statistic).value(in: step.histogram())
            } else {
                results.read(measure) { (other ?? statistic).value(in: $0) }
            }
        case .rate: results.rate
        case .count(let name): count(name, in: results.tally, of: results.description.mode)
        case .step(let name, let statistic):
            results.part(named: name).flatMap { (other ?? statistic).value(in: $0.histogram()) }
        case .stepCount(let name, let count): results.part(named: name).flatMap { value(of: count, in: $0) }
        }
    }

    /// A count of a step, or its share of the attempts.
    private func value(of name: String, in step: PartResults) -> Double? {
        guard let count = PartResults.counts.first(where: { "\($0.name)" == name })?.count else { return nil }
        guard case .share = bound else { return Double(step[keyPath: count]) }
        return step.sent > 0 ? Double(step[keyPath: count]) / Double(step.sent) : nil
    }

    /// A count, or its share of the messages sent or deliveries expected.
    private func count(_ name: String, in tally: LoadTally, of mode: BenchMode) -> Double? {
        guard let (_, found) = CountGroup.count(named: name) else { return nil }
        let count = Double(found.map { tally[keyPath: $0.path] } ?? tally.errors.total)
        guard case .share = bound else { return count }
        // Doubles, because the sum of merged counts may overflow.
        let whole =
            switch mode.metrics.population {
            case _ where name == "unsent": tally.dueCount
            case .sent: Double(tally.sent)
            case .deliveries: Double(tally.received) + Double(tally.lost) + Double(tally.mismatched)
            }
        return whole > 0 ? count / whole : nil
    }
}

extension Threshold.Statistic {
    /// The value in nanoseconds, or `nil` if the histogram is empty.
    fileprivate func value(in histogram: borrowing Histogram) -> Double? {
        guard histogram.totalCount > 0 else { return nil }
        return switch self {
        case .minimum: Double(histogram.minimum)
        case .mean: histogram.mean
        case .standardDeviation: histogram.standardDeviation
        case .maximum: Double(histogram.maximum)
        case .percentile(let percentile): Double(histogram.value(atPercentile: percentile))
        }
    }
}

extension Threshold {
    /// A value of the metric as text.
    fileprivate func words(_ value: Double) -> String {
        switch bound {
        case .time: Phrase.latency(value)
        case .share: "\(FixedPoint.text(value * 100, digits: 3)) %"
        case .number where metric == .rate && value < 100: FixedPoint.text(value, digits: 2)
        case .number: Phrase.grouped(ResultWords.whole(value))
        }
    }

    /// The limit as text: `20 ms`, `at least 50,000`, or `not 0`.
    package var limit: String {
        let limit = words(bound.value)
        return switch comparison {
        case .less, .lessOrEqual, .equal: limit
        case .greater, .greaterOrEqual: "at least \(limit)"
        case .notEqual: "not \(limit)"
        }
    }
}

extension Threshold.Verdict {
    /// The value as text.
    package var words: String { value.map(threshold.words) ?? "nothing measured" }

    /// The distance to the limit relative to the limit: 0.25 if a quarter of it is left, negative if it is exceeded;
    /// `nil` without a value, for a limit of 0, and for equality.
    package var margin: Double? {
        let limit = threshold.bound.value
        guard let value, limit > 0 else { return nil }
        return switch threshold.comparison {
        case .less, .lessOrEqual: 1 - value / limit
        case .greater, .greaterOrEqual: value / limit - 1
        case .equal, .notEqual: nil
        }
    }

    /// Why the run failed: `p99 is 75.6 ms, limit 20 ms`.
    package var reason: String {
        let name = escapingControls(threshold.metricName)
        guard value != nil else { return "nothing was measured for \(name)" }
        if let omitted {
            return "\(Phrase.grouped(omitted.count)) of \(Phrase.grouped(omitted.of)) latencies were left out, so "
                + "\(name) is unknown"
        }
        let reason = "\(name) is \(words), limit \(threshold.limit)"
        guard let valueWithoutDelay else { return reason }
        return reason + ", but \(threshold.words(valueWithoutDelay)) without the delay of wsx itself"
    }
}
