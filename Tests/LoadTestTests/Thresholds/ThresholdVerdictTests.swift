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

    @Test(
        "A condition on latencies of which more than 1 % were left out is inconclusive, met or not",
        arguments: [(10, false), (11, true)])
    func omitted(count: Int, isInconclusive: Bool) {
        let results = BenchSamples.results(seed: 1)
        results.tally = LoadTally()
        (results.tally.received, results.tally.latencyOmitted) = (1000, count)
        results.latencies = Self.histogram([30])
        for limit in [50e6, 20e6] {
            let threshold = Threshold("p99<x", .latency(.percentile(99)), .less, .time(limit))
            let verdict = threshold.verdict(on: results)
            expectEqual(verdict.lacksLatencies, isInconclusive)
            expectEqual(verdict.isMet, !isInconclusive && limit > 30e6)
            if isInconclusive { expectEqual(verdict.reason, "11 of 1,000 latencies were left out, so p99 is unknown") }
        }
        let lost = Threshold("lost<1", .count("lost"), .less, .number(1))
        expectTrue(lost.verdict(on: results).isMet)
    }

    private static func histogram(_ milliseconds: [UInt64]) -> Histogram {
        var histogram = Histogram()
        for value in milliseconds { histogram.record(value * 1_000_000) }
        return histogram
    }

    @Test("The delay of wsx counts in each phase of a handshake", arguments: [(50.0, true), (20, false)])
    func handshake(limitMilliseconds: Double, isInconclusive: Bool) {
        let results = BenchSamples.results(seed: 1)
        results.times = TimeHistograms()
        results.times[.lag] = Self.histogram([25])
        for measure in [TimeMeasure.connect, .upgrade] { results.times[measure] = Self.histogram([40]) }
        results.times[.handshake] = Self.histogram([30, 80])
        let threshold = Threshold(
            "handshake.max<x", .time(.handshake, .maximum), .less, .time(limitMilliseconds * 1e6))
        expectEqual(threshold.verdict(on: results).isInconclusive, isInconclusive)
        // These are no times of the server.
        let lag = Threshold("lag.max<1ms", .time(.lag, .maximum), .less, .time(1e6))
        expectFalse(lag.verdict(on: results).isInconclusive)
    }

    @Test("A stage is judged by the delay of wsx in it", arguments: [(1, false), (2, true)])
    func stage(number: Int, isInconclusive: Bool) throws {
        let results = BenchSamples.results(seed: 1)
        results.times[.delay] = Self.histogram([20])
        results.times[.lag] = Self.histogram([20])
        results.steps = []
        results.description.stages = StagePlan(
            quantity: .rate, stages: [1, 2].map { LoadStages.Stage(target: $0, duration: .seconds(1)) })
        results.stages = [1, 2].map { number in
            var stage = PartResults(name: "stage\(number)", latencies: StoredHistogram(Self.histogram([1, 30])))
            if number == 2 { stage.ownDelays[.lag] = StoredHistogram(Self.histogram([25])) }
            return stage
        }
        let threshold = Threshold(
            "stage.max<x", .step("stage\(number)", .maximum), .less, .time(10e6))
        expectEqual(threshold.verdict(on: results).isInconclusive, isInconclusive)
        // Results keep it.
        let bytes = Array(results.json().utf8)
        let read = try BenchResults(json: bytes.span.bytes)
        expectEqual(read.stages.last?.ownDelays, results.stages.last?.ownDelays)
    }
}
