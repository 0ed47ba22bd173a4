import WSCore

/// How a run compares with earlier ones: second by second, so that it is known how much each varies by itself, and where
/// there are several, how much they vary from run to run.
public struct BaselineComparison: Equatable, Sendable {
    /// What a difference is.
    public enum Verdict: String, Sendable {
        case faster
        case slower
        /// It is too small, or as large as those between the seconds of one run, or between the earlier runs.
        case noise
        /// There are too few seconds to know.
        case unknown
    }

    /// What is compared.
    public enum Metric: CaseIterable, Sendable {
        case rate
        case median
        case tail

        /// The name in JSON.
        var field: StaticString {
            switch self {
            case .rate: "rate_per_second"
            case .median: "p50_us"
            case .tail: "p99_us"
            }
        }

        /// The name that people read.
        public var label: String {
            switch self {
            case .rate: "rate"
            case .median: "p50"
            case .tail: "p99"
            }
        }
    }

    /// One metric of the runs.
    public struct Row: Equatable, Sendable {
        /// The metric that is compared.
        public let metric: Metric
        /// The median of the seconds of the earlier runs, replies or nanoseconds; nil: there are no whole seconds.
        public let baseline: Double?
        /// The same of this run.
        public let now: Double?
        /// How likely seconds of the same run would differ so much, 0 through 1.
        let pValue: Double
        /// What the difference is.
        public let verdict: Verdict

        /// The difference as a part of the earlier value; nil: one of them is not known, or that one is 0.
        public var change: Double? {
            guard let baseline, let now, baseline > 0 else { return nil }
            return now / baseline - 1
        }
    }

    /// When the first of the earlier runs began.
    public let startTime: WallTime
    /// The number of earlier runs, 1 or more.
    public let runCount: Int
    /// The whole seconds of the earlier runs and of this one.
    public let secondCounts: (baseline: Int, now: Int)
    /// A row per metric.
    public let rows: [Row]

    /// A difference that chance makes more often than that is noise.
    private static let significanceLevel = 0.01
    /// And so is a smaller one, as a part of the earlier value.
    private static let smallestChange = 0.03

    /// Compares a run with one or more earlier ones.
    public init(_ now: ComparedRun, with baselines: [ComparedRun]) {
        startTime = baselines.map(\.startTime).min() ?? now.startTime
        runCount = baselines.count
        secondCounts = (baselines.reduce(0) { $0 + $1.rates.count }, now.rates.count)
        rows = [
            Self.row(.rate, baselines.map(\.rates), now.rates),
            Self.row(.median, baselines.map(\.medians), now.medians),
            Self.row(.tail, baselines.map(\.tails), now.tails),
        ]
    }

    private static func row(_ metric: Metric, _ runs: [[Double]], _ now: [Double]) -> Row {
        let baseline = runs.flatMap(\.self)
        let (old, new) = (median(baseline), median(now))
        let pValue = MannWhitneyTest.pValue(now, baseline)
        var verdict = Verdict.noise
        if MannWhitneyTest.smallestPValue(now.count, baseline.count) > significanceLevel {
            verdict = .unknown
        } else if let old, let new, pValue < significanceLevel, (new - old).magnitude >= smallestChange * old,
            !lies(new, among: runs)
        {
            verdict = (new > old) == (metric == .rate) ? .faster : .slower
        }
        return Row(metric: metric, baseline: old, now: new, pValue: pValue, verdict: verdict)
    }

    /// Whether one of several runs had less, and one more.
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

    /// Whether two comparisons are the same.
    public static func == (one: BaselineComparison, other: BaselineComparison) -> Bool {
        one.startTime == other.startTime && one.runCount == other.runCount && one.secondCounts == other.secondCounts
            && one.rows == other.rows
    }
}
