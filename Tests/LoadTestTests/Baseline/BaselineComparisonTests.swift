import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct BaselineComparisonTests {
    private static let echo = BenchDescription(
        mode: .echo, url: "ws://a/", connections: 1, threads: 1,
        message: BenchDescription.Message(kind: .text, byteCount: 20), inFlight: 1, rateAsked: nil)

    /// A run with seconds that vary by this fraction of their mean in either direction.
    private static func run(
        _ mean: Double, varyingBy part: Double, seconds: Int = 20, _ random: inout SeededRandom
    ) -> ComparedRun {
        var values: [Double] = []
        for _ in 0..<seconds { values.append(mean * (1 + part * Double.random(in: -1...1, using: &random))) }
        return ComparedRun(
            description: echo, startTime: WallTime(seconds: 0, microseconds: 0), rates: values, medians: values,
            tails: values)
    }

    /// The verdicts on a metric for 100 pairs of runs.
    private static func verdicts(
        _ metric: BaselineComparison.Metric, factor: Double, varyingBy part: Double, seconds: Int = 20
    ) -> [BaselineComparison.Verdict] {
        (0..<100 as Range<UInt64>).compactMap { seed in
            var random = SeededRandom(seed: seed)
            let baseline = run(1000, varyingBy: part, seconds: seconds, &random)
            let now = run(1000 * factor, varyingBy: part, seconds: seconds, &random)
            return BaselineComparison(now, with: [baseline]).rows.first { $0.metric == metric }?.outcome.verdict
        }
    }

    @Test("Runs of the same kind differ only by noise", arguments: [0.02, 0.1, 0.5])
    func same(part: Double) {
        #expect(Self.verdicts(.rate, factor: 1, varyingBy: part).filter { $0 == .noise }.count >= 98)
    }

    @Test("A change of 10 % is detected, with its direction")
    func changed() {
        #expect(Self.verdicts(.rate, factor: 0.9, varyingBy: 0.1).filter { $0 == .slower }.count >= 98)
        #expect(Self.verdicts(.rate, factor: 1.1, varyingBy: 0.1).filter { $0 == .faster }.count >= 98)
        #expect(Self.verdicts(.tail, factor: 0.9, varyingBy: 0.1).filter { $0 == .faster }.count >= 98)
        #expect(Self.verdicts(.median, factor: 1.1, varyingBy: 0.1, seconds: 60).filter { $0 == .slower }.count >= 98)
    }

    @Test("A change of less than 3 % is noise, however significant it is")
    func small() {
        #expect(Self.verdicts(.rate, factor: 1.02, varyingBy: 0.001).allSatisfy { $0 == .noise })
        #expect(Self.verdicts(.rate, factor: 1.04, varyingBy: 0.001).allSatisfy { $0 == .faster })
    }

    @Test("Without a significant change, the outcome says whether there is none or whether it is unclear")
    func noise() throws {
        func outcome(_ baseline: [Double], _ now: [Double]) throws -> BaselineComparison.Outcome {
            func run(_ rates: [Double]) -> ComparedRun {
                ComparedRun(
                    description: Self.echo, startTime: WallTime(seconds: 0, microseconds: 0), rates: rates, medians: [],
                    tails: [])
            }
            return try #require(BaselineComparison(run(now), with: [run(baseline)]).rows.first).outcome
        }
        let steady = [100.0, 101, 99, 100, 100, 102]
        try expectEqual(outcome(steady, steady.reversed()), .same)
        let wild = [60.0, 140, 80, 120, 100, 100]
        try expectEqual(outcome(wild, wild.map { $0 * 1.1 }), .unclear(variation: 0.4))
        try expectEqual(outcome(steady, [100]), .unknown)
    }

    @Test("A few seconds give no result", arguments: [(4, BaselineComparison.Verdict.unknown), (5, .slower)])
    func few(seconds: Int, verdict: BaselineComparison.Verdict) {
        #expect(Self.verdicts(.rate, factor: 0.5, varyingBy: 0.1, seconds: seconds).allSatisfy { $0 == verdict })
    }

    @Test("A change within the range of earlier runs is noise, and a larger one is not")
    func betweenRuns() {
        for seed in 0..<100 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let baselines = [1000, 1200].map { Self.run($0, varyingBy: 0.01, &random) }
            let runs = [1100, 1400, 800].map { Self.run($0, varyingBy: 0.01, &random) }
            let verdicts = runs.map { BaselineComparison($0, with: baselines).rows.map(\.outcome.verdict) }
            expectEqual(
                verdicts,
                [
                    [.noise, .noise, .noise], [.faster, .slower, .slower], [.slower, .faster, .faster],
                ])
            expectEqual(
                BaselineComparison(runs[0], with: [baselines[0]]).rows.map(\.outcome.verdict),
                [
                    .faster, .slower, .slower,
                ], "a single earlier run does not show how much runs vary")
        }
    }

    @Test("The seconds of several earlier runs are pooled, and the first run is named")
    func severalRuns() {
        var random = SeededRandom(seed: 1)
        var baselines = [5, 7].map { Self.run(1000, varyingBy: 0.1, seconds: $0, &random) }
        baselines[1].startTime = WallTime(seconds: -1, microseconds: 0)
        let comparison = BaselineComparison(Self.run(1000, varyingBy: 0.1, seconds: 3, &random), with: baselines)
        #expect(comparison.runCount == 2 && comparison.secondCounts == (12, 3))
        expectEqual(comparison.startTime, WallTime(seconds: -1, microseconds: 0))
    }

    /// A run with a step whose seconds have these latencies.
    private static func run(
        _ times: some Sequence<Double>, failed: Int = 0, of attempted: Int = 1000, _ random: inout SeededRandom
    ) -> ComparedRun {
        var run = run(1000, varyingBy: 0.1, seconds: 20, &random)
        let seconds = Array(times)
        run.steps = [
            ComparedRun.Step(
                name: "query", median: 7, tail: 8, medians: seconds, tails: seconds.map { $0 * 2 }, failed: failed,
                attempted: attempted)
        ]
        return run
    }

    @Test("A slower step is found by its seconds, although the whole run is not slower")
    func slowerStep() {
        var random = SeededRandom(seed: 1)
        let earlier = Self.run((0..<20).map { 100 + Double($0) }, &random)
        let slower = BaselineComparison(Self.run((0..<20).map { 150 + Double($0) }, &random), with: [earlier])
        expectEqual(slower.steps.map(\.outcome.verdict), [.slower, .slower])
        expectEqual(slower.steps.map(\.metric), [.median, .tail])
        #expect(slower.steps[0].baseline == 109.5 && slower.steps[0].now == 159.5)
        let same = BaselineComparison(Self.run((0..<20).map { 119 - Double($0) }, &random), with: [earlier])
        expectEqual(same.steps.map(\.outcome.verdict), [.noise, .noise])
    }

    @Test("Without whole seconds, a step has the values of the whole run and no verdict")
    func shortStep() {
        var random = SeededRandom(seed: 1)
        let earlier = Self.run((0..<20).map { 100 + Double($0) }, &random)
        let comparison = BaselineComparison(Self.run([], &random), with: [earlier])
        expectEqual(comparison.steps.map(\.outcome.verdict), [.unknown, .unknown])
        #expect(comparison.steps[0].baseline == 7 && comparison.steps[1].now == 8)
    }

    /// A run of 4.5 s. In each second, each thread has a step with this latency.
    private static func run(threads: Int, latency: UInt64) throws -> ComparedRun {
        let results = BenchSamples.results(seed: 1, mode: .scenario)
        results.duration = .milliseconds(4500)
        results.steps = []
        for _ in 0..<threads {
            let query = PartRecorder(name: "query", isNamed: true)
            for second in 0..<5 { query.passed(nanoseconds: latency, inSecond: second) }
            try results.steps.add(byName: [query.results])
        }
        return ComparedRun(results)
    }

    @Test("A second of a run is one sample of a step, however many threads there are, and only if it is whole")
    func secondsOfThreads() throws {
        let (earlier, now) = (try Self.run(threads: 8, latency: 100), try Self.run(threads: 8, latency: 150))
        expectEqual(now.steps.map(\.medians), [[150, 150, 150, 150]])
        let comparison = BaselineComparison(now, with: [earlier])
        expectEqual(comparison.steps.map(\.outcome.verdict), [.unknown, .unknown])
        #expect(comparison.steps[0].baseline == 100 && comparison.steps[0].now == 150)
    }

    /// A run whose step `query` has these numbers of outcomes.
    private static func run(passed: Int, failed: Int) -> ComparedRun {
        let query = PartRecorder(name: "query", isNamed: true)
        for _ in 0..<passed { query.passed(nanoseconds: 1_000_000) }
        for _ in 0..<failed { query.failed(\.timeouts) }
        let results = BenchSamples.results(seed: 1, mode: .scenario)
        results.steps = [query.results]
        return ComparedRun(results)
    }

    @Test("A step that fails every time is compared by its failures")
    func failingStep() {
        let (passing, failing) = (Self.run(passed: 20, failed: 0), Self.run(passed: 0, failed: 20))
        let worse = BaselineComparison(failing, with: [passing]).steps
        expectEqual(worse.map(\.metric), [.failures])
        expectEqual(worse.map(\.outcome.verdict), [.more])
        #expect(worse.map(\.baseline) == [0] && worse.map(\.now) == [1])
        let better = BaselineComparison(passing, with: [failing]).steps
        expectEqual(better.map(\.metric), [.failures])
        expectEqual(better.map(\.outcome.verdict), [.fewer])
        expectEqual(BaselineComparison(failing, with: [failing]).steps.map(\.outcome.verdict), [.noise])
        expectEqual(BaselineComparison(Self.run(passed: 0, failed: 0), with: [passing]).steps, [])
    }

    @Test(
        "More failures of a step are significant, or noise",
        arguments: [
            (0, 20, BaselineComparison.Verdict.more), (20, 0, .fewer), (10, 12, .noise), (0, 1, .noise),
        ])
    func failures(_ before: Int, _ now: Int, _ verdict: BaselineComparison.Verdict) throws {
        var random = SeededRandom(seed: 1)
        let earlier = Self.run([], failed: before, &random)
        let comparison = BaselineComparison(Self.run([], failed: now, &random), with: [earlier])
        let row = try #require(comparison.steps.last)
        #expect(row.metric == .failures && row.outcome.verdict == verdict)
        #expect(row.baseline == Double(before) / 1000 && row.now == Double(now) / 1000)
    }

    @Test("A share of failures within the range of earlier runs is noise, and without failures there is none")
    func failuresBetweenRuns() {
        var random = SeededRandom(seed: 1)
        let baselines = [0, 100].map { Self.run([], failed: $0, &random) }
        let comparison = BaselineComparison(Self.run([], failed: 95, &random), with: baselines)
        expectEqual(comparison.steps.last?.outcome.verdict, .noise)
        let none = BaselineComparison(Self.run([], &random), with: [Self.run([], &random)])
        #expect(none.steps.allSatisfy { $0.metric != .failures })
    }

    @Test("The test of two proportions agrees with tables of the normal distribution")
    func proportions() {
        // z = 1.96 for 50 % and 61.3 % of 150: two-sided p = 0.05.
        #expect((0.04...0.06).contains(ProportionTest.pValue((75, 150), (92, 150))))
        expectEqual(ProportionTest.pValue((0, 10), (0, 10)), 1)
        expectEqual(ProportionTest.pValue((0, 0), (5, 10)), 1)
    }

    @Test("Incomplete seconds are ignored")
    func wholeSeconds() {
        let results = BenchSamples.results(seed: 1)
        results.duration = .milliseconds(2500)
        results.seconds = [10, 0, 5].map { BenchSecond(sent: $0, received: $0, latencies: Histogram()) }
        let baseline = ComparedRun(results)
        expectEqual(baseline.rates, [10, 0])
        expectEqual(baseline.medians.count, 1)
    }

    @Test("Obstacles to a comparison are reported, and so are possible reasons for a difference")
    func obstacles() {
        var random = SeededRandom(seed: 0)
        let baseline = Self.run(1, varyingBy: 0, &random)
        var other = Self.echo
        #expect(baseline.obstacle(to: other) == nil && baseline.difference(from: other) == nil)
        other.message = BenchDescription.Message(kind: .binary, byteCount: 1)
        expectEqual(
            baseline.obstacle(to: other),
            "it used 20-byte text messages, but this run uses 1-byte binary messages; "
                + "compare runs with equal messages")
        other = Self.echo
        (other.connections, other.threads, other.inFlight, other.rateAsked) = (3, 2, 8, 100)
        expectEqual(
            baseline.difference(from: other),
            "1 connection instead of 3, 1 thread instead of 2, a different --in-flight, a different --rate")
    }

    @Test("A baseline that resumed TLS sessions is no baseline for a run with full handshakes, and the reverse")
    func resumption() {
        var random = SeededRandom(seed: 0)
        let baseline = Self.run(1, varyingBy: 0, &random)
        var other = Self.echo
        other.resumesTLS = true
        expectEqual(
            baseline.obstacle(to: other),
            "it did not resume TLS sessions; remove --tls-resume, or compare with a run that has it")
    }
}
