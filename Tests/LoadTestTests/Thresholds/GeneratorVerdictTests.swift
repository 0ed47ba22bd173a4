import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct GeneratorVerdictTests {
    /// A run of 10 s with these send delays and latencies, as pairs of nanoseconds and counts.
    private static func verdict(
        _ delays: [(value: UInt64, count: Int)], _ latencies: [(value: UInt64, count: Int)] = []
    ) -> GeneratorVerdict {
        let results = BenchSamples.results(seed: 1)
        (results.duration, results.processorTimes.busiest) = (.seconds(10), .seconds(10))
        (results.description.rateAsked, results.description.stages) = (133, nil)
        results.tally.unsent = 0
        results.times[.delay] = histogram(delays)
        results.latencies = histogram(latencies)
        return GeneratorVerdict(results)
    }

    private static func histogram(_ values: [(value: UInt64, count: Int)]) -> Histogram {
        var histogram = Histogram()
        for (value, count) in values {
            for _ in 0..<count { histogram.record(value) }
        }
        return histogram
    }

    @Test("One late message in a hundred is reported, unless that is little beside the median latency")
    func hundredth() {
        let delays: [(UInt64, Int)] = [(10_000, 980), (5_000_000, 20)]
        expectNil(Self.verdict(delays, [(1_000_000_000, 1000)]).lateness)
        let lateness = Self.verdict(delays, [(10_000_000, 1000)]).lateness
        expectEqual(lateness?.oneOf, 100)
        #expect((5_000_000...5_010_000).contains(lateness?.delay ?? 0))
    }

    @Test(
        "Fewer late messages are reported if they are half of the measured latencies",
        arguments: [(10_000_000, 1000), (30_000_000, nil)] as [(UInt64, Int?)])
    func fewer(latency: UInt64, oneOf: Int?) {
        let verdict = Self.verdict([(10_000, 9970), (8_000_000, 30)], [(100_000, 9970), (latency, 30)])
        expectEqual(verdict.lateness?.oneOf, oneOf)
    }

    @Test("The warning names the share that was late")
    func words() {
        let verdict = Self.verdict([(10_000, 99_970), (8_000_000, 30)], [(100_000, 100_000)])
        expectEqual(
            verdict.warnings,
            [
                "The load generator fell behind its schedule of 133 per second: 1 in 10,000 messages was sent 8.00 ms late or more, "
                    + "the worst 8.00 ms late. A thread used 100 % of a core: try a lower --rate, or more --threads."
            ])
    }

    @Test("Lateness is reported with evidence of its cause, and not without", arguments: [(0, 0), (500, 1)])
    func evidence(waitedMilliseconds: Int, count: Int) {
        let results = BenchSamples.results(seed: 1)
        results.duration = .seconds(10)
        (results.description.threads, results.description.rateAsked, results.description.stages) = (1, 10, nil)
        (results.tally.unsent, results.tally.latencyOmitted) = (0, 0)
        results.processorTimes.busiest = .milliseconds(20)
        results.processorTimes.waited = .milliseconds(waitedMilliseconds)
        results.times[.delay] = Self.histogram([(5_000_000, 100)])
        results.latencies = Self.histogram([(6_000_000, 100)])
        let warnings = GeneratorVerdict(results).warnings
        expectEqual(warnings.count, count)
        expectTrue(
            warnings.allSatisfy { $0.hasSuffix("for a core, 5 % of their time: stop other programs on this machine.") })
    }

    @Test("In an open loop that is on time, a busy thread is not a limit")
    func paced() {
        expectEmpty(Self.verdict([(10_000, 1000)]).warnings)
        expectTrue(Self.verdict([]).isBusy)
    }

    /// A run whose messages occupied connections for 250 ms each, at 10 per second.
    private static func busyRun(connections: Int, waited: Int, unsent: Int = 0) -> [String] {
        let results = BenchSamples.results(seed: 1, mode: .scenario)
        (results.duration, results.processorTimes.busiest) = (.seconds(3), .zero)
        (results.description.connections, results.description.rateAsked, results.description.stages) = (
            connections, 10, nil
        )
        (results.tally.sent, results.tally.waited, results.tally.unsent) = (300, waited, unsent)
        results.times[.service] = histogram([(250_000_000, 30)])
        results.times[.delay] = Histogram()
        return GeneratorVerdict(results).warnings
    }

    @Test("If connections are too few for the rate, the warning says how many suffice")
    func connections() {
        expectEqual(
            Self.busyRun(connections: 1, waited: 20),
            [
                "All connections were busy when iterations were due. If the server stays as fast, about 3 connections "
                    + "would suffice for 10 per second: raise --connections."
            ])
        expectEmpty(Self.busyRun(connections: 1, waited: 2))
        expectEmpty(Self.busyRun(connections: 3, waited: 20))
    }

    @Test("A scenario that no iteration completes in time is reported as too long", arguments: [(0, true), (1, false)])
    func tooShort(received: Int, isReported: Bool) {
        let results = BenchSamples.results(seed: 1, mode: .scenario)
        results.tally = LoadTally()
        (results.tally.sent, results.tally.interrupted, results.tally.received) = (2, 2, received)
        let warning = "The test ended before an iteration was complete: raise --duration, or use --messages."
        expectEqual(GeneratorVerdict(results).warnings.contains(warning), isReported)
    }

    @Test("Messages that were not sent are reported as missing in latencies")
    func unsent() {
        expectEqual(
            Self.busyRun(connections: 3, waited: 0, unsent: 18),
            [
                "Latencies and thresholds leave out the 18 iterations that were not started."
            ])
    }
}
