import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct LiveResultsTests {
    private func second(sent: Int, latencies: [UInt64]) -> BenchSecond {
        var histogram = Histogram()
        for latency in latencies { histogram.record(latency) }
        return BenchSecond(sent: sent, received: latencies.count, latencies: histogram)
    }

    private func progress(received: Int = 0, open: Int = 1, _ seconds: [BenchSecond]) -> LoadProgress {
        var tally = LoadTally()
        tally.received = received
        return LoadProgress(tally, openCount: open, seconds: seconds)
    }

    private func makeResults(threadCount: Int) -> LiveResults {
        LiveResults(LoadPlan(.echo).description(url: "ws://localhost/"), threadCount: threadCount)
    }

    @Test("A second counts when all threads have completed it")
    func completeSeconds() {
        var live = makeResults(threadCount: 2)
        live.update([progress(received: 3, [second(sent: 3, latencies: [100, 200, 300])]), progress([])])
        #expect((live.secondCount, live.tally.received, live.openCount) == (0, 3, 2))
        expectNil(live.latencies)
        live.update([progress(received: 3, []), progress(received: 1, [second(sent: 2, latencies: [700])])])
        #expect((live.secondCount, live.tally.received) == (1, 4))
        expectEqual(live.latencies?.maximum, 700)
        expectEqual(live.results.duration, .seconds(1))
        expectEqual(live.results.latencies.totalCount, 4)
    }

    @Test("Thresholds apply to all seconds so far")
    func thresholds() {
        var live = makeResults(threadCount: 1)
        live.update([progress([second(sent: 2, latencies: [1000, 2000])])])
        live.update([progress([second(sent: 4, latencies: [1000, 1000, 1000, 9000])])])
        let median = Threshold("p50<2us", .latency(.percentile(50)), .less, .time(2000))
        let maximum = Threshold("max<9us", .latency(.maximum), .less, .time(9000))
        let rate = Threshold("rate=3", .rate, .equal, .number(3))
        expectEqual([median, maximum, rate].map { $0.verdict(on: live.results).isMet }, [true, false, true])
    }

    @Test("Handshake times are not known during a run")
    func handshakes() {
        expectFalse(Threshold("", .time(.handshake, .maximum), .less, .time(1)).isKnownDuringRun)
        expectTrue(Threshold("", .count("errors"), .less, .number(1)).isKnownDuringRun)
    }

    @Test("Steps of all threads are added up, and their latencies stay until the next second")
    func steps() {
        func recorder(_ times: UInt64...) -> PartRecorder {
            let recorder = PartRecorder(name: "query", isNamed: true)
            for time in times { recorder.passed(nanoseconds: time) }
            return recorder
        }
        var first = LoadProgress()
        first.update(LoadProgress(LoadTally(), openCount: 1, steps: [recorder(5).results], seconds: []))
        // Between seconds, only counts are reported.
        first.update(LoadProgress(LoadTally(), openCount: 1, steps: [recorder(5, 6).counts], seconds: []))
        let second = LoadProgress(LoadTally(), openCount: 1, steps: [recorder(7).results], seconds: [])
        var live = makeResults(threadCount: 2)
        live.update([first, second])
        live.update([first, second])
        expectEqual(live.steps.map(\.received), [3])
        let histogram = live.steps[0].histogram()
        #expect((histogram.totalCount, histogram.maximum) == (2, 7))
    }

    @Test("A line has the counts of its second and the total counts so far")
    func line() {
        var live = makeResults(threadCount: 1)
        live.update([progress(received: 2, open: 5, [second(sent: 2, latencies: [1000, 2000])])])
        let counts =
            #""messages":{"sent":0,"received":2,"lost":0,"mismatched":0,"duplicated":0,"reordered":0,"pushes":0,"#
            + #""unsent":0,"interrupted":0},"errors":{"connect":0,"handshake":0,"login":0,"protocol":0,"closed":0,"#
            + #""application":0,"timeout":0},"causes":[]}"#
        expectEqual(
            live.results.line(ofSecond: 0, openCount: live.openCount),
            #"{"type":"second","second":0,"sent":2,"received":2,"p50_us":1.000,"p99_us":2.000,"#
                + #""max_us":2.000,"connections":5,"# + counts + "\n")
    }
}
