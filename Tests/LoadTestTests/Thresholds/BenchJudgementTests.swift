import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct BenchJudgementTests {
    /// A run with latencies of 30 ms, and one of 2 ms. Of the former, this end has added 12 ms before sending, and 9 ms before
    /// reading.
    private static func results(_ change: (BenchResults) -> Void = { _ in }) -> BenchResults {
        let results = BenchSamples.results(seed: 1)
        results.tally = LoadTally()
        (results.tally.sent, results.tally.received) = (100, 100)
        results.latencies = histogram(30_000_000)
        results.latencies.record(2_000_000)
        results.times[.delay] = histogram(12_000_000)
        results.times[.lag] = histogram(9_000_000)
        change(results)
        return results
    }

    private static func histogram(_ value: UInt64) -> Histogram {
        var histogram = Histogram()
        for _ in 0..<100 { histogram.record(value) }
        return histogram
    }

    private static func judgement(_ results: BenchResults, _ thresholds: [Threshold]) -> BenchJudgement {
        var verdicts: [Threshold.Verdict] = []
        for threshold in thresholds { verdicts.append(threshold.verdict(on: results)) }
        return BenchJudgement(
            reasons: results.reasons, doubts: results.doubts(besides: thresholds), verdicts: verdicts)
    }

    private static func p99(_ comparison: Threshold.Comparison, milliseconds: Double) -> Threshold {
        Threshold(
            "p99\(comparison.rawValue)\(milliseconds)ms", .latency(.percentile(99)), comparison,
            .time(milliseconds * 1e6))
    }

    private static let unsent = Threshold("unsent<1000", .count("unsent"), .less, .number(1000))

    @Test("A missed limit on latency is inconclusive if it would be met without the delay of this end")
    func delay() {
        let results = Self.results()
        expectEqual(Self.judgement(results, [Self.p99(.less, milliseconds: 31)]).verdict, .passed)
        let judgement = Self.judgement(results, [Self.p99(.less, milliseconds: 20)])
        expectEqual(judgement.verdict, .inconclusive)
        expectEqual(
            judgement.sentence.contains("p99 is 30.0 ms, limit 20.0 ms, but 9.0"), true)
        expectEqual(Self.judgement(results, [Self.p99(.less, milliseconds: 8)]).verdict, .failed)
        expectEqual(Self.judgement(results, [Self.p99(.greater, milliseconds: 31)]).verdict, .failed)
        // One that failed decides.
        let both = [Self.p99(.less, milliseconds: 20), Self.p99(.less, milliseconds: 8)]
        expectEqual(Self.judgement(results, both).verdict, .failed)
    }

    @Test("More than 1 % unsent is inconclusive, unless a threshold is about it", arguments: [(1, true), (2, false)])
    func unsent(count: Int, hasPassed: Bool) {
        let results = Self.results { $0.tally.unsent = count }
        expectEqual(Self.judgement(results, []).verdict, hasPassed ? .passed : .inconclusive)
        expectEqual(Self.judgement(results, [Self.unsent]).verdict, .passed)
        results.reasons = ["2 × close 1011"]
        expectEqual(Self.judgement(results, []).verdict, .failed)
    }

    @Test("A run without any outcome, and a threshold without a value, are inconclusive")
    func nothing() {
        let results = Self.results {
            $0.tally = LoadTally()
            $0.latencies = Histogram()
            $0.seconds = []
        }
        expectEqual(Self.judgement(results, []).reasons, ["nothing was measured"])
        results.tally.received = 1
        expectEqual(Self.judgement(results, []).verdict, .passed)
        expectEqual(Self.judgement(results, [Self.p99(.less, milliseconds: 20)]).verdict, .inconclusive)
    }

    @Test("The delay of a thread counts for each moment at which it was to be awake")
    func lag() {
        var measurement = LoadMeasurement()
        measurement.begin(at: 0, warmup: .zero, duration: .seconds(1), end: .whenStopped)
        // It was not awake between 10 ms and 45 ms.
        expectEqual(measurement.awake(since: 10_000_000, now: 45_000_000), 50_000_000)
        #expect((measurement.times[.lag].totalCount, measurement.times[.lag].maximum) == (4, 35_000_000))
        expectEqual(measurement.times[.lag].minimum, 5_000_000)
    }
}
