import TestSupport
import Testing

@testable import LoadTest

@Suite struct LoadScheduleTests {
    /// The due times of this many messages of a thread, each with its connection.
    private static func due(_ schedule: LoadSchedule, _ count: Int) -> [(time: UInt64, position: Int)] {
        var schedule = schedule
        return (0..<count).map { _ in
            defer { schedule.advance() }
            return (schedule.offset, schedule.position)
        }
    }

    @Test("Messages are evenly spaced, and the connections take turns")
    func spacing() {
        let schedule = LoadSchedule(rate: 1000, connectionCount: 3, shard: Shard(index: 0, count: 1))
        let due = Self.due(schedule, 7)
        expectEqual(due.map(\.time), (0..<7).map { $0 * 1_000_000 })
        expectEqual(due.map(\.position), [0, 1, 2, 0, 1, 2, 0])
    }

    @Test("The schedules of several threads combine to that of one", arguments: [2, 3, 5])
    func shards(threads: Int) {
        let times = (0..<threads).flatMap { index in
            let shard = Shard(index: index, count: threads)
            return Self.due(LoadSchedule(rate: 777, connectionCount: 5, shard: shard), 200).map(\.time)
        }
        let whole = LoadSchedule(rate: 777, connectionCount: 5, shard: Shard(index: 0, count: 1))
        expectEqual(Array(times.sorted().prefix(200)), Self.due(whole, 200).map(\.time))
    }

    @Test("A ramp sends half as many messages, accelerating up to the rate")
    func ramp() {
        let schedule = LoadSchedule(
            rate: 1000, ramp: .seconds(2), connectionCount: 1, shard: Shard(index: 0, count: 1))
        let times = Self.due(schedule, 3001).map(\.time)
        expectEqual(times.count { $0 < 2_000_000_000 }, 1000)
        expectEqual(times.count { $0 < 1_000_000_000 }, 250)
        expectEqual(times.count { $0 >= 2_000_000_000 && $0 < 4_000_000_000 }, 2000)
        let gaps = zip(times.dropFirst(), times).map { Int($0) - Int($1) }
        #expect(zip(gaps.dropFirst(), gaps).allSatisfy { $0 <= $1 + 2 }, "the gaps must not grow")
    }

    @Test("Skipped messages are those that would be due", arguments: [0, 1, 2, 999, 1000, 1_234_567, 9_999_999_999])
    func skipping(end: UInt64) {
        for (connections, ramp) in [(1, 0), (3, 0), (7, 2)] {
            let shard = Shard(index: 0, count: min(2, connections))
            var stepped = LoadSchedule(
                rate: 777, ramp: .seconds(ramp), connectionCount: connections, shard: shard)
            stepped.advance()
            var skipped = stepped
            var count = 0
            while stepped.offset < end {
                stepped.advance()
                count += 1
            }
            var limited = skipped
            expectEqual(skipped.skip(before: end, atMost: .max), count)
            expectEqual(skipped, stepped)
            expectEqual(skipped.skip(before: end, atMost: .max), 0)
            expectEqual(limited.skip(before: end, atMost: 5), min(5, count))
        }
    }

    @Test("The end of a billion messages is found quickly")
    func skippingMany() {
        var schedule = LoadSchedule(
            rate: 100_000_000, connectionCount: 10, shard: Shard(index: 0, count: 1))
        expectEqual(schedule.skip(before: 3_600_000_000_000, atMost: .max), 360_000_000_000)
        expectEqual(schedule.skip(before: .max, atMost: 1000), 1000)
    }

    @Test("No rate and no duration makes times overflow")
    func extremes() {
        var slow = LoadSchedule(
            rate: 1, ramp: .seconds(1_000_000_000), connectionCount: 1_000_000, shard: Shard(index: 0, count: 1))
        for _ in 0..<2_000_000 { slow.advance() }
        #expect(slow.offset > 0)
        #expect(slow.offset <= 1 << 62)
    }
}

@Suite struct ShardTests {
    @Test("The shards of all threads contain each connection once", arguments: [1, 2, 3, 7], [7, 8, 100])
    func connections(threads: Int, connections: Int) {
        let shards = (0..<threads).map { Shard(index: $0, count: threads) }
        let numbers = shards.flatMap { shard in
            (0..<shard.connectionCount(of: connections)).map { shard.connectionNumber(at: $0) }
        }
        expectEqual(numbers.sorted(), (0..<UInt64(connections)).map { $0 })
    }

    @Test("Messages go to connections in turn, across all threads", arguments: [1, 2, 3], [1, 6, 7, 1003])
    func messages(threads: Int, messages: Int) {
        let shards = (0..<threads).map { Shard(index: $0, count: threads) }
        let connections = 7
        for shard in shards {
            let own = (0..<messages).count { $0 % connections % threads == shard.index }
            expectEqual(shard.messageCount(of: messages, connectionCount: connections), own)
        }
    }
}
