import Testing
import WSCore

@testable import wsx

@Suite struct BenchResultsMergingTests {
    private static func sum(_ seeds: UInt64...) throws -> BenchResults {
        var sum = BenchSamples.results(seed: seeds[0])
        for seed in seeds.dropFirst() { try sum.add(BenchSamples.results(seed: seed)) }
        return sum
    }

    @Test("counts, histograms and seconds are summed, and the longest time is taken")
    func sums() throws {
        let one = BenchSamples.results(seed: 3)
        let other = BenchSamples.results(seed: 4)
        let sum = try Self.sum(3, 4)
        #expect(sum.tally.sent == one.tally.sent + other.tally.sent)
        #expect(sum.tally.receivedWireBytes == one.tally.receivedWireBytes + other.tally.receivedWireBytes)
        #expect(sum.description.connections == one.description.connections + other.description.connections)
        #expect(sum.latencies.totalCount == one.latencies.totalCount + other.latencies.totalCount)
        #expect(sum.handshakes.totalCount == one.handshakes.totalCount + other.handshakes.totalCount)
        #expect(sum.countInTime == one.countInTime + other.countInTime)
        #expect(sum.seconds.count == max(one.seconds.count, other.seconds.count))
        #expect(sum.duration == max(one.duration, other.duration))
        #expect(sum.processorTime == one.processorTime + other.processorTime)
    }

    @Test("the order in which results are added makes no difference", arguments: 0..<30 as Range<UInt64>)
    func order(seed: UInt64) throws {
        let (a, b, c) = (seed * 3, seed * 3 + 1, seed * 3 + 2)
        #expect(try Self.sum(a, b).json() == Self.sum(b, a).json())
        var second = try Self.sum(b, c)
        try second.add(BenchSamples.results(seed: a))
        #expect(try Self.sum(a, b, c).json() == second.json())
    }

    @Test("results of another mode are refused")
    func modes() {
        var results = BenchSamples.results(seed: 1)
        #expect(throws: BenchResultsError.otherMode(.echo, .send)) {
            try results.add(BenchSamples.results(seed: 2, mode: .send))
        }
    }

    @Test("a sum that cannot be counted is refused")
    func overflow() {
        var results = BenchSamples.results(seed: 1)
        results.tally.sent = .max
        var other = BenchSamples.results(seed: 2)
        other.tally.sent = 1
        #expect(throws: BenchResultsError.tooLarge) { try results.add(other) }
    }
}
