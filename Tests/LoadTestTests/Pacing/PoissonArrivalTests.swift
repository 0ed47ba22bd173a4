import TestSupport
import Testing

@testable import LoadTest

@Suite struct PoissonArrivalTests {
    /// The due times of this many messages of a thread, each with its connection.
    private static func due(_ schedule: LoadSchedule, _ count: Int) -> [(time: UInt64, position: Int)] {
        var schedule = schedule
        return (0..<count).map { _ in
            defer { schedule.advance() }
            return (schedule.offset, schedule.position)
        }
    }

    /// The gaps between messages of several threads together, with a rate of 1000 per second.
    private static func randomGaps(threads: Int, count: Int) -> [Double] {
        let times = (0..<threads).flatMap { index in
            let shard = Shard(index: index, count: threads)
            return Self.due(LoadSchedule(rate: 1000, .poisson, connectionCount: 5, shard: shard), count).map(\.time)
        }.sorted().prefix(count)
        return zip(times.dropFirst(), times).map { Double($0 - $1) / 1e6 }
    }

    @Test("The gaps of random arrivals are exponentially distributed, and independent", arguments: [1, 2, 3])
    func poisson(threads: Int) {
        let gaps = Self.randomGaps(threads: threads, count: 100_000)
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        // Of five standard errors at most.
        #expect(abs(mean - 1) < 0.016 && abs(variance - 1) < 0.05)
        let longer = Double(gaps.count { $0 > 2 }) / Double(gaps.count)
        #expect(abs(longer - 0.1353) < 0.006)
        let products = zip(gaps.dropFirst(), gaps).reduce(0) { $0 + ($1.0 - mean) * ($1.1 - mean) }
        #expect(abs(products / variance / Double(gaps.count)) < 0.016)
        expectEqual(gaps, Self.randomGaps(threads: threads, count: 100_000))
    }

    @Test("The numbers of arrivals of each thread are close to the expected ones", arguments: 0..<4)
    func counts(index: Int) {
        let shard = Shard(index: index, count: 4)
        for (rate, seconds) in [(4000.0, 5), (20_000.0, 4)] {
            var schedule = LoadSchedule(rate: rate, .poisson, connectionCount: 4, shard: shard)
            let expected = rate / 4 * Double(seconds)
            let count = schedule.skip(before: UInt64(seconds) * 1_000_000_000, atMost: .max)
            #expect(abs(Double(count) - expected) < 1.5 * expected.squareRoot())
        }
    }

    @Test("Each connection gets a random part of random arrivals")
    func thinning() {
        let schedule = LoadSchedule(rate: 1000, .poisson, connectionCount: 4, shard: Shard(index: 0, count: 1))
        let due = Self.due(schedule, 40_000)
        for position in 0..<4 {
            let times = due.filter { $0.position == position }.map { Double($0.time) / 4e6 }
            #expect(abs(Double(times.count) - 10_000) < 450)
            let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
            let square = gaps.reduce(0) { $0 + $1 * $1 } / Double(gaps.count)
            // The mean square of an exponential distribution is 2; that of even spacing would be 1.
            #expect(abs(square - 2) < 0.25)
        }
    }

    @Test("Random arrivals that are skipped are those that would be due, or as many as expected")
    func skippingArrivals() {
        let shard = Shard(index: 1, count: 2)
        var stepped = LoadSchedule(rate: 1000, ramp: .seconds(2), .poisson, connectionCount: 3, shard: shard)
        var skipped = stepped
        var count = 0
        while stepped.offset < 5_000_000_000 {
            stepped.advance()
            count += 1
        }
        var limited = skipped
        expectEqual(limited.skip(before: 5_000_000_000, atMost: 7), 7)
        expectEqual(skipped.skip(before: 5_000_000_000, atMost: .max), count)
        expectEqual(skipped, stepped)
        // A third of 10⁵ messages per second, during 10⁵ seconds.
        var long = LoadSchedule(rate: 1e5, .poisson, connectionCount: 3, shard: shard)
        let expected = 1e10 / 3
        #expect(abs(Double(long.skip(before: 100_000_000_000_000, atMost: .max)) - expected) < 1e6)
        #expect(long.offset >= 100_000_000_000_000 && long.offset < 100_000_100_000_000)
    }
}
