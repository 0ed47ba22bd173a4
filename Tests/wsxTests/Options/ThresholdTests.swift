import Testing
import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct ThresholdTests {
    /// 100 latencies of 1 through 100 ms, 50 replies per second, and 1 of 200 messages lost.
    private static func results() -> BenchResults {
        let results = BenchSamples.results(seed: 1)
        results.latencies.removeAll()
        for latency in 1...100 { results.latencies.record(UInt64(latency) * 1_000_000) }
        results.times[.handshake].removeAll()
        results.times[.handshake].record(5_000_000)
        results.times[.delay].removeAll()
        results.times[.delay].record(2_000_000)
        results.times[.login].removeAll()
        for phase in TimeMeasure.phases { results.times[phase].removeAll() }
        results.stream = nil
        results.tally = LoadTally()
        results.tally.traffic.received.messageBytes = 1000
        results.tally.openings.tlsResumed = 3
        (results.tally.sent, results.tally.received, results.tally.lost) = (200, 199, 1)
        (results.tally.errors[.connect], results.tally.errors[.timeout]) = (2, 1)
        results.seconds = [BenchSecond(sent: 100, received: 100, latencies: results.latencies)]
        results.duration = .seconds(2)
        return results
    }

    @Test(
        "Each metric and operator is evaluated",
        arguments: [
            ("p50<50.1ms", true), ("p50 <= 49.9ms", false), ("p99>98ms", true), ("p99.9<1h", true),
            ("p999<101ms", true),
            ("p0=1ms", true), ("p100=100ms", true), ("min=1ms", true), ("mean=50500us", true), ("mean>51ms", false),
            ("stddev<30ms", true), ("max=100ms", true), ("handshake.p99=5ms", true), ("handshake.max<5ms", false),
            ("rate=50", true), ("rate>50", false), ("rate>=50", true), ("rate<1k", true), ("sent==200", true),
            ("received!=199", false), ("lost=0", false), ("lost<=0.5%", true), ("lost<0.4%", false),
            ("received>99%", true), ("mismatched=0", true), ("duplicated=0", true), ("reordered=0", true),
            ("errors=3", true), ("errors.connect=2", true), ("errors.timeout<1", false), ("errors.protocol = 0", true),
            ("delay.max=2ms", true), ("login.max>=0", false), ("first.p99<1h", false), ("tls.p50<1h", false),
            ("bytes.received>=1k", true), ("load_bytes.sent=0", true), ("tls.resumed=3", true), ("waited=0", true),
        ])
    func verdicts(expression: String, isMet: Bool) throws {
        let threshold = try Threshold(expression)
        #expect(threshold.expression == expression)
        #expect(threshold.verdict(on: Self.results()).isMet == isMet)
    }

    @Test("Without latencies, no threshold for them is met", arguments: ["p99<1h", "max>=0", "mean!=1s"])
    func nothing(expression: String) throws {
        let results = Self.results()
        results.latencies.removeAll()
        let verdict = try Threshold(expression).verdict(on: results)
        #expect(!verdict.isMet && verdict.value == nil)
        #expect(verdict.words == "nothing measured")
    }

    @Test("A percentile may be written without its point")
    func percentiles() throws {
        #expect(try Threshold("p999<1s").metric == .latency(.percentile(99.9)))
        #expect(try Threshold("p99999<1s").metric == .latency(.percentile(99.999)))
        #expect(try Threshold("p9<1s").metric == .latency(.percentile(9)))
        #expect(try Threshold("p100<1s").metric == .latency(.percentile(100)))
        #expect(try Threshold("handshake.p99.95<1s").metric == .time(.handshake, .percentile(99.95)))
    }

    @Test(
        "The error for an invalid threshold states the problem",
        arguments: [
            ("", ThresholdError.noComparison), ("p99", .noComparison), ("p99!20ms", .noComparison),
            ("foo<1", .unknownMetric("foo")), ("p101<1s", .unknownMetric("p101")), ("p-1<1s", .unknownMetric("p-1")),
            ("p<1s", .unknownMetric("p")), ("p99.9.9<1s", .unknownMetric("p99.9.9")),
            ("p1e1<1s", .unknownMetric("p1e1")),
            ("pinf<1s", .unknownMetric("pinf")), ("errors.all=0", .unknownMetric("errors.all")),
            ("handshake.rate<1", .unknownMetric("handshake.rate")), ("<1", .unknownMetric("")),
            ("p99<20", .notATime), ("p99<", .notATime), ("p99<fast", .notATime), ("p99<20%", .notATime),
            ("p99<<20ms", .notATime), ("rate>", .notANumber), ("rate>5ms", .notANumber), ("lost<x%", .notAShare),
            ("lost<101%", .notAShare), ("errors<1%", .noShare("errors")), ("rate>5%", .noShare("rate")),
        ])
    func refusals(text: String, error: ThresholdError) {
        #expect(throws: error) { try Threshold(text) }
    }

    @Test(
        "A step's statistics and counts are evaluated",
        arguments: [
            ("query.p50<10.1ms", true), ("query.p99.9>11ms", false), ("query.max=10ms", true), ("query.sent=5", true),
            ("query.received=2", true), ("query.mismatched=1", true), ("query.lost=2", true),
            ("query.timeout<1", false), ("query.lost<=40%", true), ("a.b.max=1ms", true), ("other.lost=0", false),
        ])
    func steps(expression: String, isMet: Bool) throws {
        let results = Self.results()
        let query = PartRecorder(name: "query", isNamed: true)
        for _ in 0..<2 { query.passed(nanoseconds: 10_000_000) }
        query.failed(\.mismatched)
        query.failed(\.timeouts)
        query.failed(\.lost)
        let dotted = PartRecorder(name: "a.b", isNamed: true)
        dotted.passed(nanoseconds: 1_000_000)
        results.steps = [query.results, dotted.results]
        let threshold = try Threshold(expression)
        #expect(threshold.stepName != nil)
        #expect(threshold.verdict(on: results).isMet == isMet)
    }

    @Test("A step with the name of a time takes its place")
    func stepInsteadOfTime() throws {
        let results = Self.results()
        let login = PartRecorder(name: "login", isNamed: true)
        login.passed(nanoseconds: 3_000_000)
        results.steps = [login.results]
        #expect(try Threshold("login.max=3ms").verdict(on: results).isMet)
        #expect(try Threshold("delay.max=2ms").verdict(on: results).isMet)
    }

    @Test("The measured value is shown in the unit of the bound")
    func words() throws {
        let results = Self.results()
        func words(_ expression: String) throws -> String { try Threshold(expression).verdict(on: results).words }
        #expect(try words("p50<1ms") == "50.0 ms")
        #expect(try words("lost<1%") == "0.500 %")
        #expect(try words("lost<1") == "1")
        #expect(try words("rate>50k") == "50.00")
        #expect(try words("sent>50k") == "200")
    }
}
