import Formats
import WSCore

/// Something that has to hold for results: `p99<20ms`, `rate>50k`, `lost<0.1%`.
public struct Threshold: Equatable, Sendable {
    /// What is looked at.
    public enum Metric: Equatable, Sendable {
        case latency(Statistic)
        case handshake(Statistic)
        case rate
        /// A number of messages, by its name.
        case messages(String)
        /// A number of errors, by its name; nil: of all kinds.
        case errors(String?)
    }

    /// What is told of a histogram.
    public enum Statistic: Equatable, Sendable {
        case minimum
        case mean
        case standardDeviation
        case maximum
        /// 0 through 100.
        case percentile(Double)
    }

    /// How the value is to be to the bound.
    public enum Comparison: String, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "="
        case notEqual = "!="
    }

    /// What the value is compared with.
    public enum Bound: Equatable, Sendable {
        /// In nanoseconds.
        case time(Double)
        case number(Int)
        /// A part of the messages that were sent.
        case share(Double)
    }

    /// What was found.
    public struct Verdict: Equatable, Sendable {
        /// The threshold that was judged.
        public let threshold: Threshold
        /// A time in nanoseconds, a rate in a second, a number, or a share; nil: there is nothing to judge.
        let value: Double?
        /// Whether the value compares with the bound as it has to.
        public let isMet: Bool
    }

    /// As it was typed.
    public let expression: String
    internal let metric: Metric
    internal let comparison: Comparison
    internal let bound: Bound

    /// Requires that a metric compares with a bound.
    /// - Parameter expression: The threshold as it was typed.
    public init(_ expression: String, _ metric: Metric, _ comparison: Comparison, _ bound: Bound) {
        self.expression = expression
        self.metric = metric
        self.comparison = comparison
        self.bound = bound
    }

    /// Whether results are as they have to be.
    public func verdict(on results: borrowing BenchResults) -> Verdict {
        let value = value(in: results)
        return Verdict(threshold: self, value: value, isMet: value.map(holds) ?? false)
    }

    private func holds(for value: Double) -> Bool {
        let bound =
            switch self.bound {
            case .time(let nanoseconds): nanoseconds
            case .number(let number): Double(number)
            case .share(let share): share
            }
        return switch comparison {
        case .less: value < bound
        case .lessOrEqual: value <= bound
        case .greater: value > bound
        case .greaterOrEqual: value >= bound
        case .equal: value == bound
        case .notEqual: value != bound
        }
    }

    private func value(in results: borrowing BenchResults) -> Double? {
        switch metric {
        case .latency(let statistic): statistic.value(in: results.latencies)
        case .handshake(let statistic): statistic.value(in: results.handshakes)
        case .rate: results.rate
        case .messages(let name): messages(name, in: results.tally, of: results.description.mode)
        case .errors(nil): Double(results.tally.errorCount)
        case .errors(let name?): Self.count(name, among: LoadTally.errorCounts, of: results.tally)
        }
    }

    /// A count, or its share of the messages sent or deliveries expected.
    private func messages(_ name: String, in tally: LoadTally, of mode: BenchMode) -> Double? {
        let count = Self.count(name, among: LoadTally.messageCounts, of: tally)
        guard case .share = bound else { return count }
        // In results that were added up, each may be as large as can be.
        let whole =
            switch mode.metrics.population {
            case .sent: Double(tally.sent)
            case .deliveries: Double(tally.received) + Double(tally.lost) + Double(tally.mismatched)
            }
        return whole > 0 ? count.map { $0 / whole } : nil
    }

    private static func count(_ name: String, among counts: [LoadTally.NamedCount], of tally: LoadTally) -> Double? {
        counts.first { "\($0.name)" == name }.map { Double(tally[keyPath: $0.count]) }
    }
}

extension Threshold.Statistic {
    /// The value in nanoseconds; nil: nothing was recorded.
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

extension Threshold.Verdict {
    /// The value as people write it.
    public var words: String {
        guard let value else { return "nothing measured" }
        return switch threshold.bound {
        case .time: ResultWords.time(value)
        case .share: "\(FixedPoint.text(value * 100, digits: 3)) %"
        case .number where threshold.metric == .rate: FixedPoint.text(value, digits: value < 100 ? 2 : 0)
        case .number: ResultWords.count(ResultWords.whole(value))
        }
    }
}
