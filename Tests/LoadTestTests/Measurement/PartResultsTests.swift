import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct PartResultsTests {
    private func part(_ name: String, isNamed: Bool = true, passed: [UInt64] = [], wrong: Int = 0) -> PartResults {
        let recorder = PartRecorder(name: name, isNamed: isNamed)
        for time in passed { recorder.passed(nanoseconds: time) }
        for _ in 0..<wrong { recorder.failed(\.mismatched) }
        return recorder.results
    }

    @Test("Each attempt has one outcome, and a timeout counts as lost")
    func outcomes() {
        let recorder = PartRecorder(name: "query", isNamed: true)
        recorder.passed(nanoseconds: 5)
        recorder.failed(\.mismatched)
        recorder.failed(\.timeouts)
        recorder.failed(\.lost)
        recorder.failed(\.lost)
        let part = recorder.results
        #expect((part.sent, part.received, part.mismatched, part.lost, part.timeouts) == (5, 1, 1, 3, 1))
        #expect((part.closed, part.isFlawless) == (2, false))
        let histogram = part.histogram()
        #expect((histogram.totalCount, histogram.maximum) == (1, 5))
    }

    @Test("Each second with latencies has its own percentiles")
    func seconds() throws {
        let recorder = PartRecorder(name: "query", isNamed: true)
        for (second, time) in [(nil, 9), (0, 5), (0, 5), (2, 7), (nil, 4)] as [(Int?, UInt64)] {
            recorder.passed(nanoseconds: time, inSecond: second)
        }
        let seconds = [
            PartResults.Second(number: 0, count: 2, p50: 5, p99: 5),
            PartResults.Second(number: 2, count: 1, p50: 7, p99: 7),
        ]
        expectEqual(recorder.results.seconds, seconds)
        expectEqual(recorder.results.received, 5)
        expectEqual(recorder.progress.seconds, [], "progress is reported often, and needs no seconds")
        let results = BenchSamples.results(seed: 3)
        results.steps = [recorder.results]
        let read = try BenchResults(json: Array(results.json().utf8).span.bytes)
        expectEqual(read.steps[0].seconds, seconds)
    }

    @Test("The seconds of threads are added by their number, as a weighted mean")
    func secondsOfThreads() throws {
        let times: [[(Int, UInt64)]] = [[(0, 5), (1, 6), (3, 7)], [(1, 9), (1, 9), (2, 8)], [(0, 1), (4, 2)]]
        let threads = times.map { times in
            let recorder = PartRecorder(name: "query", isNamed: true)
            for (second, time) in times { recorder.passed(nanoseconds: time, inSecond: second) }
            return recorder.results
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            var sum = threads[order[0]]
            for thread in order.dropFirst() { try sum.add(threads[thread]) }
            expectEqual(sum.seconds.map(\.number), [0, 1, 2, 3, 4])
            expectEqual(sum.seconds.map(\.count), [2, 3, 1, 1, 1])
            expectEqual(sum.seconds.map(\.p50), [3, 8, 8, 7, 2])
        }
    }

    @Test(
        "The seconds of a step are ascending and not empty",
        arguments: [
            ([(1, 1), (1, 1)], "steps.per_second.second"), ([(1, 1), (0, 1)], "steps.per_second.second"),
            ([(1, 0)], "steps.per_second.received"),
        ] as [([(Int, Int)], String)])
    func badSeconds(_ seconds: [(Int, Int)], _ member: String) {
        let results = BenchSamples.results(seed: 3)
        results.steps = [part("a", passed: [1])]
        results.steps[0].seconds = seconds.map {
            PartResults.Second(number: $0.0, count: $0.1, p50: 0, p99: 0)
        }
        let text = results.json()
        #expect(throws: BenchResultsError.badMember(member)) {
            _ = try BenchResults(json: Array(text.utf8).span.bytes)
        }
    }

    @Test("A part without a name is shown only if it has faults")
    func unnamed() {
        expectTrue(part("a").isShown)
        expectFalse(part("line 3", isNamed: false, passed: [1]).isShown)
        expectTrue(part("line 3", isNamed: false, wrong: 1).isShown)
    }

    @Test("Parts are added by name, with exact latencies")
    func merging() throws {
        let one = BenchSamples.results(seed: 3)
        one.steps = [part("login", passed: [300_000_001]), part("query", passed: [7], wrong: 2)]
        let other = BenchSamples.results(seed: 4)
        other.steps = [part("query", passed: [9], wrong: 1), part("line 9", isNamed: false, wrong: 1)]
        try one.add(other)
        expectEqual(one.steps.map(\.name), ["login", "query", "line 9"])
        expectEqual(one.steps.map(\.sent), [1, 5, 1])
        expectEqual(one.steps.map(\.mismatched), [0, 3, 1])
        expectEqual(one.steps.map(\.isNamed), [true, true, false])
        let histogram = one.steps[1].histogram()
        #expect((histogram.minimum, histogram.maximum, histogram.totalCount) == (7, 9, 2))
    }

    @Test("Parts survive a round trip, and results without them have none")
    func roundTrip() throws {
        let results = BenchSamples.results(seed: 3)
        let plain = results.json()
        let none = try BenchResults(json: Array(plain.utf8).span.bytes)
        expectEqual(none.steps, [])
        results.steps = [
            part("a \"quoted\" name", passed: [300_000_001, 12]), part("line 2", isNamed: false, wrong: 1),
        ]
        let text = results.json()
        let read = try BenchResults(json: Array(text.utf8).span.bytes)
        expectEqual(read.steps, results.steps)
        expectEqual(read.json(), text)
    }

    @Test("Equal names are invalid")
    func equalNames() {
        let results = BenchSamples.results(seed: 3)
        results.steps = [part("a"), part("a")]
        let text = results.json()
        #expect(throws: BenchResultsError.badMember("steps.name")) {
            _ = try BenchResults(json: Array(text.utf8).span.bytes)
        }
    }
}
