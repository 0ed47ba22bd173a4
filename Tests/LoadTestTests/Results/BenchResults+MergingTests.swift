import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct BenchResultsMergingTests {
    private static func sum(_ seeds: UInt64...) throws -> BenchResults {
        let sum = BenchSamples.results(seed: seeds[0])
        for seed in seeds.dropFirst() { try sum.add(BenchSamples.results(seed: seed)) }
        return sum
    }

    @Test("Counts, histograms, and seconds are summed, and the maximum duration is used")
    func sums() throws {
        let one = BenchSamples.results(seed: 3)
        let other = BenchSamples.results(seed: 4)
        let sum = try Self.sum(3, 4)
        expectEqual(sum.tally.sent, one.tally.sent + other.tally.sent)
        let received = [one.tally, other.tally].map(\.traffic.received.wireBytes)
        expectEqual(sum.tally.traffic.received.wireBytes, received[0] + received[1])
        expectEqual(sum.description.connections, one.description.connections + other.description.connections)
        expectEqual(sum.latencies.totalCount, one.latencies.totalCount + other.latencies.totalCount)
        expectEqual(
            sum.times[.handshake].totalCount, one.times[.handshake].totalCount + other.times[.handshake].totalCount)
        expectEqual(sum.countInTime, one.countInTime + other.countInTime)
        expectEqual(sum.seconds.count, max(one.seconds.count, other.seconds.count))
        expectEqual(sum.duration, max(one.duration, other.duration))
        expectEqual(sum.processorTimes.process, one.processorTimes.process + other.processorTimes.process)
    }

    @Test("A sum has no service times if latencies have been left out in a run", arguments: [false, true])
    func service(isFirst: Bool) throws {
        var runs = [BenchSamples.results(seed: 3), BenchSamples.results(seed: 4)]
        for run in runs { run.times[.service].record(5) }
        runs[0].tally.latencyOmitted = 1
        if isFirst { runs.reverse() }
        try runs[0].add(runs[1])
        expectEqual(runs[0].times[.service].totalCount, 0)
        let complete = BenchSamples.results(seed: 3)
        complete.times[.service].record(5)
        try complete.add(BenchSamples.results(seed: 4))
        expectEqual(complete.times[.service].totalCount, 1)
    }

    @Test("A sum has the exact minimum, maximum, and mean, also after a round trip")
    func exactValues() throws {
        var runs: [String] = []
        for values in [[300_000_001, 300_000_005], [300_000_003]] as [[UInt64]] {
            let results = BenchSamples.results(seed: 3)
            results.latencies.removeAll()
            for value in values { results.latencies.record(value) }
            results.tally.received = values.count
            results.tally.interrupted = 0
            results.tally.sent = values.count + results.tally.lost + results.tally.mismatched
            results.times[.handshake].removeAll()
            results.times[.handshake].add(results.latencies)
            results.seconds = [BenchSecond(sent: 0, received: values.count, latencies: results.latencies)]
            runs.append(results.json())
        }
        let sum = try BenchResults(json: Array(runs[0].utf8).span.bytes)
        try sum.add(try BenchResults(json: Array(runs[1].utf8).span.bytes))
        let text = sum.json()
        #expect(text.contains(#""latency_us":{"min":300000.001,"mean":300000.003,"#))
        #expect(text.contains(#""handshake_us":{"min":300000.001,"mean":300000.003,"#))
        expectEqual(text.ranges(of: #""max":300000.005,"sum":900000.009}"#).count, 2)
        #expect(text.contains(#""p99999":300000.005"#), "no percentile is above the maximum")
        #expect(text.contains(#""max_us":300000.005"#))
    }

    @Test("The order of additions makes no difference", arguments: 0..<10 as Range<UInt64>)
    func order(seed: UInt64) throws {
        let (a, b, c) = (seed * 3, seed * 3 + 1, seed * 3 + 2)
        try expectEqual(Self.sum(a, b).json(), Self.sum(b, a).json())
        let second = try Self.sum(b, c)
        try second.add(BenchSamples.results(seed: a))
        try expectEqual(Self.sum(a, b, c).json(), second.json())
    }

    @Test("Results of another mode are rejected")
    func modes() {
        let results = BenchSamples.results(seed: 1)
        #expect(throws: BenchResultsError.otherMode("echo", "send")) {
            try results.add(BenchSamples.results(seed: 2, mode: .send))
        }
    }

    @Test("A sum that overflows is rejected")
    func overflow() {
        let results = BenchSamples.results(seed: 1)
        results.tally.sent = .max
        let other = BenchSamples.results(seed: 2)
        other.tally.sent = 1
        #expect(throws: BenchResultsError.tooLarge) { try results.add(other) }
    }

    @Test("The times of replies of several messages are written, read, and added up")
    func streams() throws {
        let sum = BenchSamples.results(seed: 5, mode: .request)
        let other = BenchSamples.results(seed: 6, mode: .request)
        let (first, second) = (sum.stream, other.stream)
        let (one, two) = (try #require(first), try #require(second))
        let text = sum.json()
        let read = try BenchResults(json: Array(text.utf8).span.bytes)
        let stream = read.stream
        expectEqual(stream, one)
        try sum.add(other)
        let sums = sum.stream
        let total = try #require(sums)
        expectEqual(total.firstTimes().sum, one.firstTimes().sum + two.firstTimes().sum)
        expectEqual(total.longestGaps().totalCount, one.longestGaps().totalCount + two.longestGaps().totalCount)
        expectEqual(total.messageCounts().sum, one.messageCounts().sum + two.messageCounts().sum)
    }
}
