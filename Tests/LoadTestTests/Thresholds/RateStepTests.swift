import TestSupport
import Testing
import WSCore

@testable import LoadTest

/// Searches against simulated servers: from the times of single messages to the rate that is found.
@Suite struct RateStepTests {
    /// A server whose times are computed, in seconds.
    private enum Server {
        /// A queue with a fixed service time: messages per second.
        case queue(Double)
        /// As many messages per second, and a tenth of them at once.
        case bucket(Double)
        /// The same queue, which stands still for 50 ms in each second.
        case stall(Double)

        var capacity: Double {
            switch self {
            case .queue(let capacity), .bucket(let capacity): capacity
            case .stall(let capacity): capacity * 0.95
            }
        }

        /// When a message that arrives at a time is answered.
        /// - Parameter last: The end of the work on earlier messages.
        func reply(to time: Double, after last: inout Double) -> Double {
            switch self {
            case .queue(let capacity):
                last = max(time, last) + 1 / capacity
                return last
            case .bucket(let capacity):
                last = max(time, last) + 1 / capacity
                return max(time, last - 0.1)
            case .stall(let capacity):
                last = max(time, last) + 1 / capacity
                let phase = last - last.rounded(.down)
                if phase < 0.05 { last += 0.05 - phase }
                return last
            }
        }
    }

    /// The measurement of a rate for 5 s after a warm-up of 1 s.
    /// - Parameter pause: The begin and the length of a pause of the server, in seconds.
    private static func results(
        _ server: Server, rate: Int, pause: (start: Double, length: Double) = (0, 0)
    ) -> BenchResults {
        let results = BenchSamples.results(seed: 1)
        results.description.rateAsked = rate
        (results.tally, results.findings) = (LoadTally(), BenchResults.Findings())
        results.latencies = Histogram()
        results.times = TimeHistograms()
        (results.duration, results.processorTimes) = (.seconds(5), ProcessorTimes())
        var (last, inTime) = (0.0, 0)
        for number in 0..<rate * 6 {
            let due = Double(number) / Double(rate)
            var end = server.reply(to: due, after: &last) + 0.0002
            if end > pause.start, due < pause.start + pause.length { end = max(end, pause.start + pause.length) }
            guard due >= 1 else {
                if end >= 1 { results.carriedCount += 1 }
                continue
            }
            results.tally.sent += 1
            results.tally.received += 1
            results.latencies.record(UInt64((end - due) * 1e9))
            if end < 6 { inTime += 1 }
        }
        let second = BenchSecond(sent: results.tally.sent, received: inTime, latencies: results.latencies)
        results.seconds = [second]
        return results
    }

    private static func goal(_ milliseconds: Double) -> Threshold {
        Threshold("p99<\(milliseconds)ms", .latency(.percentile(99)), .less, .time(milliseconds * 1e6))
    }

    /// Searches, with a pause of the server of up to 300 ms in one of ten steps.
    private static func search(_ server: Server, _ goal: Threshold, seed: UInt64) -> RateSearchReport {
        var random = SeededRandom(seed: seed)
        var report = RateSearchReport(from: 100, for: [goal], in: .echo)
        while let rate = report.search.next {
            let hasPause = Int.random(in: 0..<10, using: &random) == 0
            let start = Double.random(in: 1..<5, using: &random)
            let length = hasPause ? Double.random(in: 0.05..<0.3, using: &random) : 0
            _ = report.record(results(server, rate: rate, pause: (start, length)))
        }
        return report
    }

    private static let servers: [Server] = [.queue(60), .queue(150), .queue(310), .bucket(250), .stall(300)]

    @Test("The capacity of a server is found within 5 % in nine of ten searches", arguments: 0..<5)
    func capacity(index: Int) {
        let server = Self.servers[index]
        let found = (0..<10).filter { seed in
            let report = Self.search(server, Self.goal(100), seed: UInt64(seed))
            expectEqual(report.limit, .server)
            expectNil(report.doubt)
            return abs(Double(report.search.best ?? 0) / server.capacity - 1) <= 0.05
        }
        expectTrue(found.count >= 9, "\(server): \(found)")
    }

    @Test("A limit that each stall of the server exceeds is missed at any rate")
    func stall() {
        for seed in UInt64(0)..<5 {
            let report = Self.search(.stall(400), Self.goal(20), seed: seed)
            expectNil(report.search.best)
            expectNotNil(report.failure)
            expectNil(report.doubt)
        }
    }

    @Test("A queue that grows misses, however long replies may take")
    func growth() {
        let step = RateStep(Self.results(.queue(500), rate: 520), [Self.goal(10_000)])
        expectEqual(step.outcome, .missed(isClose: true))
        expectEqual(step.limit, .server)
        expectEqual(step.reasons, ["outstanding replies grew by 100"])
    }

    @Test("Long latencies that do not grow are no backlog")
    func steady() {
        let results = Self.results(.queue(500), rate: 100)
        // 300 replies take 3 s.
        results.carriedCount += 300
        results.seconds = [BenchSecond(sent: 500, received: 200, latencies: results.latencies)]
        expectEqual(RateStep(results, [Self.goal(10_000)]).outcome, .held)
    }

    @Test("Messages that are not sent are the server's limit if they waited, and otherwise that of wsx")
    func unsent() {
        let results = Self.results(.queue(500), rate: 100)
        results.tally.unsent = 20
        let step = RateStep(results, [Self.goal(50)])
        expectEqual(step.outcome, .inconclusive(isClose: true))
        expectEqual(step.reasons, ["3.8 % of the messages were not sent, and no threshold limits 'unsent'"])
        results.tally.waited = 20
        expectEqual(RateStep(results, [Self.goal(50)]).limit, .server)
        results.tally.unsent = 500
        expectEqual(RateStep(results, [Self.goal(50)]).outcome, .missed(isClose: false))
    }

    @Test("A threshold that only wsx missed is inconclusive, and the rate is a lower bound")
    func generator() {
        var report = RateSearchReport(from: 100, for: [Self.goal(50)], in: .echo)
        while let rate = report.search.next {
            let results = Self.results(.queue(5000), rate: rate)
            if rate > 300 {
                for _ in 0..<1000 {
                    results.latencies.record(200_000_000)
                    results.times[.delay].record(199_500_000)
                }
            }
            _ = report.record(results)
        }
        expectEqual(report.search.best, 300)
        expectEqual(report.limit, .generator)
        expectEqual(
            report.sentence, "highest rate: at least 300 messages per second; the limit was wsx")
        expectEqual(report.doubt, report.sentence)
        expectNil(report.failure)
    }

    @Test("Faults miss unless a condition limits their number")
    func faults() {
        let results = Self.results(.queue(5000), rate: 100)
        (results.tally.lost, results.reasons) = (1, ["1 of 500 messages was lost"])
        expectEqual(RateStep(results, [Self.goal(50)]).reasons, results.reasons)
        let (lost, errors) = (
            Threshold("lost<1%", .count("lost"), .less, .share(0.01)),
            Threshold("errors<1%", .count("errors"), .less, .share(0.01))
        )
        expectEqual(RateStep(results, [lost]).outcome, .held)
        expectEqual(RateStep(results, [errors]).outcome, .held)
        results.tally.mismatched = 1
        expectEqual(RateStep(results, [lost, errors]).reasons, results.reasons)
        (results.tally.lost, results.tally.mismatched) = (0, 0)
        expectEqual(RateStep(results, [lost, errors]).reasons, results.reasons)
        // A condition about one kind of errors says nothing about others.
        let timeouts = Threshold("errors.timeout<9", .count("errors.timeout"), .less, .number(9))
        results.tally.errors[.timeout] = 1
        expectEqual(RateStep(results, [timeouts]).outcome, .held)
        results.tally.errors[.handshake] = 1
        expectEqual(RateStep(results, [timeouts]).reasons, results.reasons)
        expectEqual(RateStep(results, [timeouts, errors]).outcome, .held)
    }

    @Test("The results of a search name the rate, its spread, the limit, and each step")
    func json() {
        let results = Self.results(.queue(500), rate: 100)
        var report = RateSearchReport(from: 100, for: [Self.goal(50)], in: .echo)
        expectEqual(report.record(results).line, "100 per second: held: p99 2.20 ms")
        expectEqual(report.doubt, "the search did not come to its end")
        let json = results.json(BenchJudgement(search: report))
        expectTrue(
            json.contains(#""rate":100,"spread_low":100,"spread_high":100,"limit":null,"complete":false,"steps":["#))
        expectEqual(report.rows[1], ["100", "100", "2.20 ms", "2.20 ms", "1 of 1"])
    }
}
