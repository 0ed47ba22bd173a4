import Testing
import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct BenchResultsTableTests {
    private static func results() -> BenchResults {
        let results = BenchSamples.results(seed: 7)
        results.description = BenchDescription(
            mode: .echo, url: "ws://a/\u{1B}[31m", connections: 1000, threads: 2,
            message: BenchDescription.Message(kind: .binary, byteCount: 1), inFlight: 4, rateAsked: 5000)
        results.duration = .seconds(10)
        results.processorTimes.load = .seconds(15)
        results.times[.delay] = Histogram()
        return results
    }

    private static func table(_ results: BenchResults) -> [Substring] {
        results.table(Palette(isEnabled: false)).split(separator: "\n")
    }

    @Test("The headline describes the run, and control characters are escaped")
    func head() {
        let lines = Self.table(Self.results())
        #expect(
            lines.prefix(4) == [
                "passed", "Echo test with 1-byte binary messages for 10.0 s",
                "1,000 connections, 4 in flight each, target rate 5,000 per second", "ws://a/\\u{1B}[31m",
            ])
    }

    @Test(
        "A generator at its limit is reported",
        arguments: [(15, false), (19, true)])
    func busy(seconds: Int, isBusy: Bool) {
        var results = Self.results()
        (results.processorTimes.load, results.processorTimes.busiest) = (.seconds(10), .seconds(seconds) / 2)
        #expect(Self.table(results).contains { $0.contains("The load generator was at its limit") } == isBusy)
        let words = "50 % of a core per thread while sending, \(seconds * 5) % in the busiest"
        #expect(Self.table(results).contains { $0.contains(words) })
        // Not in less than a second.
        results = Self.results()
        results.processorTimes.busiest = .seconds(seconds)
        results.duration = .milliseconds(900)
        #expect(!Self.table(results).contains { $0.contains("at its limit") })
    }

    @Test("A generator that falls behind its schedule is reported", arguments: [(1, false), (2, true)])
    func behind(count: Int, isBehind: Bool) {
        let results = Self.results()
        results.processorTimes.waited = results.duration
        results.times[.delay] = Histogram()
        for _ in 0..<99 { results.times[.delay].record(900_000) }
        for _ in 0..<count { results.times[.delay].record(7_000_000) }
        #expect(Self.table(results).contains { $0.contains("fell behind its schedule") } == isBehind)
    }

    @Test("A narrow table does not break lines between a number and its unit")
    func units() {
        for columns in 12...60 {
            let lines = ResultWords.wrapped(
                "1.22 KiB (4.88 MiB/s), 3 B on the wire, median 12.3 ms, 50 % of 3 cores", indentation: 0,
                columns: columns)
            #expect(lines.allSatisfy { $0.last?.isNumber != true || $0.hasSuffix("of 3") })
            #expect(lines.joined(separator: " ").hasSuffix("median 12.3 ms, 50 % of 3 cores"))
        }
    }

    @Test("Messages that a run without a rate has not sent are not due")
    func unsent() {
        let results = Self.results()
        results.tally.unsent = 5
        #expect(Self.table(results).contains("unsent      5 due but not sent"))
        results.description = BenchDescription(
            mode: .scenario, url: "ws://a/", connections: 1, threads: 1, message: nil, inFlight: nil, rateAsked: nil)
        #expect(Self.table(results).contains("unsent      5 requested but not started"))
    }

    @Test("The connect mode reports the phases of opening a connection")
    func phases() {
        let results = BenchSamples.results(seed: 1, mode: .connect)
        for phase in TimeMeasure.phases { results.times[phase].removeAll() }
        results.times[.connect].record(120_000)
        results.times[.upgrade].record(340_000)
        #expect(Self.table(results).contains("phases      medians: connection 120 us, upgrade 340 us"))
    }

    @Test("No line is wider than the terminal, between 40 and 80 columns", arguments: 0..<6 as Range<UInt64>)
    func width(seed: UInt64) throws {
        let results = BenchSamples.results(seed: seed)
        (results.duration, results.processorTimes.busiest) = (.seconds(1), .seconds(100))
        let verdicts = [
            try Threshold("handshake.p99.999 <= 20ms").verdict(on: results),
            try Threshold("rate>1").verdict(on: results),
        ]
        for isLong in [false, true] {
            let judgement = BenchJudgement(verdicts: verdicts, comparison: Self.comparison(isLong: isLong))
            let palette = Palette(isEnabled: false)
            for line in Self.lines(results.table(palette, judgement)) { #expect(line.count <= 80, "\(line)") }
            for columns in 40...90 {
                for line in Self.lines(results.table(palette, judgement, columns: columns)) {
                    #expect(line.count <= min(80, columns), "\(line)")
                }
            }
            let narrowest = results.table(palette, judgement, columns: 40)
            #expect(results.table(palette, judgement, columns: 7) == narrowest)
        }
    }

    /// A comparison of runs of 1 s or 10 s, with large numbers.
    private static func comparison(isLong: Bool) -> BaselineComparison {
        let runs = [1_234_567.0, 1_000_000].map { value in
            let values = Array(repeating: value, count: isLong ? 10 : 1)
            return ComparedRun(
                description: results().description, startTime: WallTime(seconds: 0, microseconds: 0),
                rates: values, medians: values, tails: values)
        }
        return BaselineComparison(runs[1], with: [runs[0], runs[0]])
    }

    private static func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    @Test("Latency statistics use two columns of pairs if three do not fit")
    func narrowStatistics() throws {
        let results = Self.results()
        results.latencies.removeAll()
        results.latencies.record(1_000_000)
        let lines = Self.lines(results.table(Palette(isEnabled: false), columns: 40))
        let start = try #require(lines.firstIndex(of: "latencies"))
        #expect(
            lines[(start + 1)...].prefix(6) == [
                "       min   1.00 ms       p90   1.00 ms", "      mean   1.00 ms       p95   1.00 ms",
                "    stddev   0.00 us       p99   1.00 ms", "       max   1.00 ms     p99.9   1.00 ms",
                "       p50   1.00 ms    p99.99   1.00 ms", "       p75   1.00 ms   p99.999   1.00 ms",
            ])
    }

    @Test("The verdict, its reasons, and the thresholds come first")
    func verdict() throws {
        let results = Self.results()
        results.description.notes.title = "Release\u{1B} 2"
        results.description.notes.labels = [("commit", "1f3c")]
        results.reasons = ["40 of 12,000 messages were lost"]
        let verdicts = try ["lost<5", "rate>0", "errors=0"].map { try Threshold($0).verdict(on: results) }
        let table = results.table(
            Palette(isEnabled: false), BenchJudgement(reasons: results.reasons, verdicts: verdicts))
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "Release\\u{1B} 2")
        #expect(lines[1].hasPrefix("failed: 40 of 12,000 messages were lost"))
        let heading = try #require(lines.firstIndex { $0.hasPrefix("threshold  ") && $0.contains("  margin") })
        #expect(lines[heading - 1].isEmpty && lines[heading + 4].isEmpty)
        #expect(lines[heading + 1].hasPrefix("lost<5 ") && lines[heading + 1].hasSuffix("  not met"))
        #expect(lines[heading + 2].hasPrefix("rate>0 ") && lines[heading + 2].hasSuffix("  met"))
        #expect(lines.contains("commit=1f3c"))
        let passed = results.table(Palette(isEnabled: false), BenchJudgement())
        #expect(passed.split(separator: "\n")[1] == "passed")
    }

    @Test("The five most frequent causes of errors are listed")
    func causes() {
        let results = Self.results()
        for code in 1...7 { results.tally.causes.add(ErrorCause(.close, 4000 + code, ""), count: code) }
        results.tally.causes.add(ErrorCause(.http, 429, "Too Many Requests"), count: 1200)
        results.tally.causes.add(ErrorCause(.system, 111, "connection refused"), count: 100)
        let text = Self.table(results).joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(text.contains("causes 1,200 × HTTP 429 Too Many Requests, 100 × connection refused,"))
        #expect(text.contains("7 × close 4007"))
        #expect(text.contains("10 others"))
    }

    @Test("Faults and errors are listed by kind")
    func faults() {
        let results = Self.results()
        results.tally = LoadTally()
        (results.tally.sent, results.tally.received, results.tally.lost, results.tally.mismatched) = (1009, 1000, 7, 2)
        (results.tally.errors[.connect], results.tally.errors[.timeout]) = (3, 1)
        let lines = Self.table(results)
        #expect(lines.contains("messages    1,009 sent, 1,000 received"))
        #expect(lines.contains("faults      7 lost, 2 mismatched"))
        #expect(lines.contains("errors      3 failed to connect, 1 timed out"))
    }
}
