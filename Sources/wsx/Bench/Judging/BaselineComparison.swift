import WSCore

/// How a run compares with an earlier one: second by second, so that it is known how much either varies by itself.
struct BaselineComparison: Equatable, Sendable {
    /// What a difference is.
    enum Verdict: String, Sendable {
        case faster
        case slower
        /// It is too small, or as large as those between the seconds of one run.
        case noise
        /// There are too few seconds to know.
        case unknown
    }

    /// What is compared.
    enum Metric: CaseIterable, Sendable {
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
        var label: String {
            switch self {
            case .rate: "rate"
            case .median: "p50"
            case .tail: "p99"
            }
        }
    }

    /// One metric of both runs.
    struct Row: Equatable, Sendable {
        let metric: Metric
        /// The median of the seconds of the earlier run: replies, or nanoseconds.
        let baseline: Double
        /// The same of this run.
        let now: Double
        /// How likely seconds of the same run would differ so much, 0 through 1.
        let likelihood: Double
        let verdict: Verdict

        /// The difference as a part of the earlier value; nil: that is 0.
        var change: Double? { baseline > 0 ? now / baseline - 1 : nil }
    }

    /// When the earlier run began.
    let startTime: WallTime
    /// The whole seconds of the earlier run and of this one.
    let secondCounts: (baseline: Int, now: Int)
    let rows: [Row]

    /// A difference that chance makes more often than that is noise.
    private static let largestLikelihood = 0.01
    /// And so is a smaller one, as a part of the earlier value.
    private static let smallestChange = 0.03

    /// Compares a run with an earlier one.
    init(_ now: BenchBaseline, with baseline: BenchBaseline) {
        startTime = baseline.startTime
        secondCounts = (baseline.rates.count, now.rates.count)
        rows = [
            Self.row(.rate, baseline.rates, now.rates), Self.row(.median, baseline.medians, now.medians),
            Self.row(.tail, baseline.tails, now.tails),
        ]
    }

    private static func row(_ metric: Metric, _ baseline: [Double], _ now: [Double]) -> Row {
        let (old, new) = (median(baseline), median(now))
        let likelihood = RankTest.likelihood(now, baseline)
        var verdict = Verdict.noise
        if RankTest.smallestLikelihood(now.count, baseline.count) > largestLikelihood {
            verdict = .unknown
        } else if likelihood < largestLikelihood, (new - old).magnitude >= smallestChange * old {
            verdict = (new > old) == (metric == .rate) ? .faster : .slower
        }
        return Row(metric: metric, baseline: old, now: new, likelihood: likelihood, verdict: verdict)
    }

    private static func median(_ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        guard let last = sorted.indices.last else { return 0 }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }

    static func == (one: BaselineComparison, other: BaselineComparison) -> Bool {
        one.startTime == other.startTime && one.secondCounts == other.secondCounts && one.rows == other.rows
    }
}
