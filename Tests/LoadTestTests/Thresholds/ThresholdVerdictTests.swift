import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ThresholdVerdictTests {
    /// Latencies of 30.5 to 40 ms, with a lag of up to 16 ms.
    private static func verdict(limit: Double) -> Threshold.Verdict {
        let results = BenchSamples.results(seed: 1)
        var latencies = Histogram()
        var lag = Histogram()
        for value in [30_500_000, 40_000_000] as [UInt64] { latencies.record(value) }
        for value in [1_000_000, 16_000_000] as [UInt64] { lag.record(value) }
        results.latencies = latencies
        results.times[.delay] = Histogram()
        results.times[.lag] = lag
        return Threshold("p99<x", .latency(.percentile(99)), .less, .time(limit)).verdict(on: results)
    }

    @Test("A limit that is met without the delay of wsx is inconclusive, and one below all latencies is missed")
    func delay() {
        expectTrue(Self.verdict(limit: 35_000_000).isInconclusive)
        expectFalse(Self.verdict(limit: 30_000_000).isInconclusive)
        expectFalse(Self.verdict(limit: 30_000_000).isMet)
        expectTrue(Self.verdict(limit: 50_000_000).isMet)
    }
}
