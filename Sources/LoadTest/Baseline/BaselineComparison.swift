import WSCore

/// The comparison of a run with earlier ones. It compares seconds, to know how much a run varies by itself. With
/// several earlier runs, it also accounts for the variation between them.
package struct BaselineComparison: Equatable, Sendable {
    /// The result of a comparison.
    package enum Outcome: Equatable, Sendable {
        case faster
        case slower
        /// There are more failures.
        case more
        /// There are fewer failures.
        case fewer
        /// The difference is too small to matter.
        case same
        /// The difference is no larger than those between seconds of one run or between the earlier runs. Their
        /// `variation` is half the distance between the 5th and the 95th percentile relative to the median, the largest
        /// of both runs and of the medians of earlier runs, or `nil` for failures.
        case unclear(variation: Double?)
        /// There are too few seconds for a result.
        case unknown

        /// The name in JSON.
        package var verdict: Verdict {
            switch self {
            case .faster: .faster
            case .slower: .slower
            case .more: .more
            case .fewer: .fewer
            case .same, .unclear: .noise
            case .unknown: .unknown
            }
        }

        /// Whether it is a reason to look closer.
        package var isWorse: Bool { self == .slower || self == .more }

        /// What noise means, in JSON; nil for other results.
        var reason: String? {
            switch self {
            case .same: "same"
            case .unclear: "unclear"
            case .faster, .slower, .more, .fewer, .unknown: nil
            }
        }
    }

    /// The names of results in JSON.
    package enum Verdict: String, Sendable {
        case faster
        case slower
        case more
        case fewer
        /// The difference is too small, or no larger than the differences between seconds of one run or between the
        /// earlier runs.
        case noise
        case unknown
    }

    /// The compared quantities.
    package enum Metric: CaseIterable, Sendable {
        case rate
        case median
        case tail
        /// The share of failures; only of steps.
        case failures

        /// The name in JSON.
        var field: StaticString {
            switch self {
            case .rate: "rate_per_second"
            case .median: "p50_us"
            case .tail: "p99_us"
            case .failures: "failed"
            }
        }

        /// The name in text.
        package var label: String {
            switch self {
            case .rate: "rate"
            case .median: "p50"
            case .tail: "p99"
            case .failures: "failed"
            }
        }
    }

    /// One metric of the runs.
    package struct Row: Equatable, Sendable {
        /// The compared metric.
        package let metric: Metric
        /// The median over the seconds of the earlier runs, in messages per second or in nanoseconds, or `nil` without
        /// whole seconds.
        package let baseline: Double?
        /// The same median for this run.
        package let now: Double?
        /// The probability that seconds of the same run differ this much, 0 through 1.
        let pValue: Double
        /// The result of the comparison.
        package let outcome: Outcome

        /// The change relative to the earlier value, or `nil` if a value is unknown or the earlier one is 0.
        package var change: Double? {
            guard let baseline, let now, baseline > 0 else { return nil }
            return now / baseline - 1
        }
    }

    /// One metric of a scenario's step.
    package struct StepRow: Equatable, Sendable {
        /// The name of the step.
        package let name: String
        /// The compared metric.
        package let metric: Metric
        /// The earlier value, in nanoseconds or as a share: the median over whole seconds or, without them, over runs.
        package let baseline: Double
        /// The value of this run.
        package let now: Double
        /// The probability that runs without a change differ this much, 0 through 1.
        let pValue: Double
        /// The result of the comparison.
        package let outcome: Outcome

        /// The change relative to the earlier value, or `nil` if that is 0.
        package var change: Double? { baseline > 0 ? now / baseline - 1 : nil }
    }

    /// The start of the first of the earlier runs.
    package let startTime: WallTime
    /// The number of earlier runs; at least 1.
    package let runCount: Int
    /// The numbers of whole seconds in the earlier runs and in this run.
    package let secondCounts: (baseline: Int, now: Int)
    /// One row per metric.
    package let rows: [Row]
    /// Up to three rows for each named step that this run and an earlier one have: the latencies if it passed in both,
    /// and the failures if there are any.
    package let steps: [StepRow]

    /// A difference with a larger p-value is noise.
    private static let significanceLevel = 0.01
    /// A smaller relative change is noise.
    private static let smallestChange = 0.03

    /// Compares a run with one or more earlier runs.
    package init(_ now: ComparedRun, with baselines: [ComparedRun]) {
        startTime = baselines.map(\.startTime).min() ?? now.startTime
        runCount = baselines.count
        secondCounts = (baselines.reduce(0) { $0 + $1.rates.count }, now.rates.count)
        rows = [
            Self.row(.rate, baselines.map(\.rates), now.rates),
            Self.row(.median, baselines.map(\.medians), now.medians),
            Self.row(.tail, baselines.map(\.tails), now.tails),
        ]
        steps = now.steps.flatMap { step in
            let earlier = baselines.compactMap { run in run.steps.first { $0.name == step.name } }
            return Self.rows(of: step, earlier)
        }
    }

    /// Whether runs with these numbers of seconds are too short for a verdict.
    private static func isTooShort(_ now: Int, _ baseline: Int) -> Bool {
        MannWhitneyTest.smallestPValue(now, baseline) > significanceLevel
    }

    private static func rows(of step: ComparedRun.Step, _ earlier: [ComparedRun.Step]) -> [StepRow] {
        guard !earlier.isEmpty else { return [] }
        let metrics: [(Metric, whole: (ComparedRun.Step) -> Double?, seconds: (ComparedRun.Step) -> [Double])] = [
            (.median, { $0.median }, { $0.medians }), (.tail, { $0.tail }, { $0.tails }),
        ]
        var rows: [StepRow] = []
        for (metric, whole, seconds) in metrics {
            guard let earlierWhole = median(earlier.compactMap(whole)), let nowWhole = whole(step) else { continue }
            let row = row(metric, earlier.map(seconds), seconds(step))
            // Without whole seconds in both, the values of the whole runs are shown.
            let values =
                if let old = row.baseline, let new = row.now { (old, new) } else { (earlierWhole, nowWhole) }
            rows.append(
                StepRow(
                    name: step.name, metric: metric, baseline: values.0, now: values.1, pValue: row.pValue,
                    outcome: row.outcome))
        }
        if let failures = failures(of: step, earlier) { rows.append(failures) }
        return rows
    }

    /// The comparison of failures, or `nil` if there are none.
    private static func failures(of step: ComparedRun.Step, _ earlier: [ComparedRun.Step]) -> StepRow? {
        let failed = earlier.reduce(0) { $0 + $1.failed }
        let attempted = earlier.reduce(0) { $0 + $1.attempted }
        guard failed + step.failed > 0, attempted > 0, step.attempted > 0 else { return nil }
        let (old, new) = (Double(failed) / Double(attempted), step.failureShare)
        let pValue = ProportionTest.pValue((step.failed, step.attempted), (failed, attempted))
        let shares = earlier.map(\.failureShare)
        let isWithinRange = (shares.min() ?? new)...(shares.max() ?? new) ~= new
        let isNoise = pValue >= significanceLevel || isWithinRange
        let outcome: Outcome =
            if isNoise { isSmall(old, new) ? .same : .unclear(variation: nil) } else { new > old ? .more : .fewer }
        return StepRow(
            name: step.name, metric: .failures, baseline: old, now: new, pValue: pValue, outcome: outcome)
    }

    private static func row(_ metric: Metric, _ runs: [[Double]], _ now: [Double]) -> Row {
        let baseline = runs.flatMap(\.self)
        let (old, new) = (median(baseline), median(now))
        let pValue = MannWhitneyTest.pValue(now, baseline)
        return Row(
            metric: metric, baseline: old, now: new, pValue: pValue, outcome: outcome(metric, runs, now, pValue))
    }

    private static func outcome(_ metric: Metric, _ runs: [[Double]], _ now: [Double], _ pValue: Double) -> Outcome {
        let baseline = runs.flatMap(\.self)
        guard !isTooShort(now.count, baseline.count), let old = median(baseline), let new = median(now) else {
            return .unknown
        }
        if isSmall(old, new) { return .same }
        guard pValue < significanceLevel, !lies(new, among: runs) else {
            return .unclear(variation: [baseline, now, runs.compactMap(median)].map(variation).max())
        }
        return (new > old) == (metric == .rate) ? .faster : .slower
    }

    /// Whether the difference does not matter.
    private static func isSmall(_ old: Double, _ new: Double) -> Bool {
        (new - old).magnitude < smallestChange * old || old == new
    }

    /// Half the distance between the 5th and the 95th percentile, relative to the median.
    private static func variation(_ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        guard let median = median(numbers), median > 0 else { return 0 }
        let margin = sorted.count / 20
        return (sorted[sorted.count - 1 - margin] - sorted[margin]) / 2 / median
    }

    /// Whether the value is within the range of the runs' medians.
    private static func lies(_ value: Double, among runs: [[Double]]) -> Bool {
        let medians = runs.compactMap(median)
        guard let least = medians.min(), let most = medians.max() else { return false }
        return least...most ~= value
    }

    private static func median(_ numbers: [Double]) -> Double? {
        let sorted = numbers.sorted()
        guard let last = sorted.indices.last else { return nil }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }

    /// Returns whether two comparisons are equal.
    package static func == (one: BaselineComparison, other: BaselineComparison) -> Bool {
        one.startTime == other.startTime && one.runCount == other.runCount && one.secondCounts == other.secondCounts
            && one.rows == other.rows && one.steps == other.steps
    }
}

/// The two-sided test of two proportions. Its p-value is the probability that two groups with the same share differ at
/// least this much. It uses the normal distribution with the pooled share.
enum ProportionTest {
    /// A part of a group.
    typealias Part = (count: Int, of: Int)

    /// The p-value, 0 through 1; 1 if a group is empty.
    static func pValue(_ one: Part, _ other: Part) -> Double {
        guard one.of > 0, other.of > 0 else { return 1 }
        let (size, otherSize) = (Double(one.of), Double(other.of))
        let pooled = Double(one.count + other.count) / (size + otherSize)
        let variance = pooled * (1 - pooled) * (1 / size + 1 / otherSize)
        guard variance > 0 else { return 1 }
        let distance = (Double(one.count) / size - Double(other.count) / otherSize).magnitude
        return NormalDistribution.complementaryErrorFunction(distance / (2 * variance).squareRoot())
    }
}
