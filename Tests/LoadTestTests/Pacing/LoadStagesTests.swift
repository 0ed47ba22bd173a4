import TestSupport
import Testing

@testable import LoadTest

@Suite struct LoadStagesTests {
    private static let second: UInt64 = 1_000_000_000

    /// Stages given as targets and seconds.
    private static func stages(_ stages: (target: Int, seconds: Int)...) -> LoadStages {
        LoadStages(stages.map { LoadStages.Stage(target: $0.target, duration: .seconds($0.seconds)) })
    }

    /// The due times of all messages at a rate with stages, of all threads.
    private static func dueTimes(_ stages: LoadStages, threads: Int = 1) -> [UInt64] {
        let end = stages.duration.nanoseconds
        return (0..<threads).flatMap { index in
            var schedule = LoadSchedule(
                stages.course, connectionCount: 5, shard: Shard(index: index, count: threads))
            var times: [UInt64] = []
            while schedule.offset < end {
                times.append(schedule.offset)
                schedule.advance()
            }
            return times
        }.sorted()
    }

    // MARK: Rates

    @Test("The number of messages in each stage is the integral of the rate")
    func integral() {
        let times = Self.dueTimes(Self.stages((100, 10), (500, 10), (500, 2), (0, 5)))
        func count(_ range: Range<UInt64>) -> Int { times.count { range.contains($0 / Self.second) } }
        expectEqual([count(0..<10), count(10..<20), count(20..<22), count(22..<27)], [500, 3000, 1000, 1250])
        expectEqual(count(0..<5), 125)
        expectEqual(count(24..<27), 450)
    }

    @Test("Several threads together send the messages of one", arguments: [2, 3, 5])
    func threads(threads: Int) {
        let stages = Self.stages((70, 3), (10, 2), (0, 1))
        expectEqual(Self.dueTimes(stages, threads: threads), Self.dueTimes(stages))
    }

    @Test("Nothing is due while the rate is zero, and sending continues when it rises")
    func pause() {
        let times = Self.dueTimes(Self.stages((10, 0), (10, 1), (0, 0), (0, 5), (10, 2)))
        expectEqual(times.filter { $0 < 6 * Self.second }, (0..<10).map { $0 * Self.second / 10 })
        expectEqual(times.count, 20)
    }

    @Test("Nothing is due after a rate of zero that does not rise again")
    func over() {
        var schedule = LoadSchedule(
            Self.stages((10, 1), (0, 1)).course, connectionCount: 1, shard: Shard(index: 0, count: 1))
        for _ in 0..<10 { schedule.advance() }
        expectEqual(schedule.offset, 2 * Self.second)
        schedule.advance()
        expectEqual(schedule.offset, 1 << 62)
    }

    @Test("Skipped messages are those that would be due")
    func skipping() {
        let stages = Self.stages((100, 2), (0, 1), (0, 3), (50, 4))
        let times = Self.dueTimes(stages)
        for end in [0, 1, 2, 3, 5, 6, 8, 10] as [UInt64] {
            var schedule = LoadSchedule(stages.course, connectionCount: 5, shard: Shard(index: 0, count: 1))
            expectEqual(schedule.skip(before: end * Self.second, atMost: .max), times.count { $0 < end * Self.second })
        }
    }

    // MARK: Connections

    @Test("The number of active connections moves linearly to each target")
    func levels() {
        let stages = Self.stages((100, 10), (100, 5), (20, 4), (0, 0), (0, 1))
        let shard = Shard(index: 0, count: 1)
        func count(_ milliseconds: UInt64) -> Int { stages.activeCount(at: milliseconds * 1_000_000, of: shard) }
        expectEqual(
            [count(0), count(1), count(5000), count(5001), count(9999), count(10_000)], [0, 1, 50, 51, 100, 100])
        expectEqual([count(14_999), count(15_000), count(16_000), count(18_999)], [100, 100, 80, 21])
        expectEqual([count(19_000), count(20_000), count(99_000)], [0, 0, 0])
    }

    @Test("Each change of the number is announced, and changes it by one", arguments: [1, 3])
    func changes(threads: Int) {
        let stages = Self.stages((7, 2), (7, 1), (2, 3), (2, 1), (9, 1), (0, 5))
        for index in 0..<threads {
            let shard = Shard(index: index, count: threads)
            var (time, count) = (UInt64(0), 0)
            var counts: [Int] = []
            while let next = stages.nextChange(from: time, activeCount: count, of: shard) {
                #expect(next > time)
                // Nothing changes before the announced time.
                if next > 1 { expectEqual(stages.activeCount(at: next - 2, of: shard), count) }
                time = next
                let newCount = stages.activeCount(at: time, of: shard)
                #expect(abs(newCount - count) <= 1)
                if newCount != count { counts.append(newCount) }
                count = newCount
            }
            var expected: [Int] = []
            for peak in [7, 2, 9, 0].map({ shard.connectionCount(of: $0) }) {
                while (expected.last ?? 0) != peak {
                    let last = expected.last ?? 0
                    expected.append(last + (peak - last).signum())
                }
            }
            expectEqual(counts, expected)
        }
    }

    @Test("Connection numbers of all threads add up to the target")
    func shards() {
        let stages = Self.stages((1000, 100))
        for time in stride(from: 0, through: 100 * Self.second, by: 1_234_567_891) {
            let sum = (0..<7).reduce(0) { $0 + stages.activeCount(at: time, of: Shard(index: $1, count: 7)) }
            expectEqual(sum, stages.activeCount(at: time, of: Shard(index: 0, count: 1)))
        }
    }

    @Test("The duration is the sum of the stages, and the maximum the largest target")
    func summary() {
        let stages = Self.stages((3, 10), (50, 0), (20, 5))
        expectEqual(stages.duration, .seconds(15))
        expectEqual(stages.maximum, 50)
        expectEqual(stages.ends, [10, 10, 15].map { $0 * Self.second })
    }
}
