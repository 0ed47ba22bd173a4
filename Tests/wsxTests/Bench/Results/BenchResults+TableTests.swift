import Testing
import WSCore

@testable import wsx

@Suite struct BenchResultsTableTests {
    private static func results() -> BenchResults {
        var results = BenchSamples.results(seed: 7)
        results.description = BenchDescription(
            mode: .echo, url: "ws://a/\u{1B}[31m", connections: 1000, threads: 2,
            message: BenchDescription.Message(kind: .binary, byteCount: 1), inFlight: 4, rateAsked: 5000)
        results.duration = .seconds(10)
        results.loadProcessorTime = .seconds(15)
        results.delays = Histogram()
        return results
    }

    private static func table(_ results: borrowing BenchResults) -> [Substring] {
        results.table(Palette(isEnabled: false)).split(separator: "\n")
    }

    @Test("the head says what was done, and nothing in it drives the terminal")
    func head() {
        let lines = Self.table(Self.results())
        #expect(lines[0] == "Echo of binary messages of 1 byte for 10.0 s")
        #expect(lines[1] == "on 1,000 connections, 4 in flight on each, 5,000 a second asked for")
        #expect(lines[2] == "with ws://a/\\u{1B}[31m")
    }

    @Test(
        "a generator that was at its limit is told of",
        arguments: [(15, false), (19, true)])
    func busy(seconds: Int, isBusy: Bool) {
        var results = Self.results()
        (results.loadProcessorTime, results.busiestProcessorTime) = (.seconds(10), .seconds(seconds) / 2)
        #expect(Self.table(results).contains { $0.contains("The generator was at its limit") } == isBusy)
        let words = "50 % of each of 2 cores while messages were sent, \(seconds * 5) % of the"
        #expect(Self.table(results).contains { $0.contains(words) })
        // Not within moments.
        results = Self.results()
        results.busiestProcessorTime = .seconds(seconds)
        results.duration = .milliseconds(900)
        #expect(!Self.table(results).contains { $0.contains("at its limit") })
    }

    @Test("a generator that could not keep to its schedule is told of", arguments: [(1, false), (2, true)])
    func behind(count: Int, isBehind: Bool) {
        var results = Self.results()
        results.delays = Histogram()
        for _ in 0..<99 { results.delays.record(900_000) }
        for _ in 0..<count { results.delays.record(7_000_000) }
        #expect(Self.table(results).contains { $0.contains("fell behind the schedule") } == isBehind)
    }

    @Test("connections that are opened one after the other have the parts of that told")
    func phases() {
        var results = BenchSamples.results(seed: 1, mode: .connect)
        results.phases = PhaseHistograms()
        results.phases.update(.connecting) { $0.record(120_000) }
        results.phases.update(.upgrading) { $0.record(340_000) }
        #expect(Self.table(results).contains("phases      medians: connection 120 us, upgrade 340 us"))
    }

    @Test("no line is wider than 80 columns", arguments: 0..<30 as Range<UInt64>)
    func width(seed: UInt64) {
        var results = BenchSamples.results(seed: seed)
        (results.duration, results.busiestProcessorTime) = (.seconds(1), .seconds(100))
        for line in Self.table(results) { #expect(line.count <= 80, "\(line)") }
    }

    @Test("faults and errors are told by kind")
    func faults() {
        var results = Self.results()
        results.tally = LoadTally()
        (results.tally.sent, results.tally.received, results.tally.lost, results.tally.mismatched) = (1009, 1000, 7, 2)
        (results.tally.connectErrors, results.tally.timeouts) = (3, 1)
        let lines = Self.table(results)
        #expect(lines.contains("messages    1,009 sent, 1,000 received"))
        #expect(lines.contains("faults      7 lost, 2 mismatched"))
        #expect(lines.contains("errors      3 not connected, 1 timed out"))
    }
}
