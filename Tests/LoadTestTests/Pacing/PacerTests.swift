import TestSupport
import Testing

@testable import LoadTest

@Suite struct PacerTests {
    /// One message per millisecond, alternating between two connections, starting at 5 s.
    private static func make() -> Pacer {
        Pacer(
            LoadSchedule(rate: 1000, connectionCount: 2, shard: Shard(index: 0, count: 1)), at: 5_000_000_000)
    }

    @Test("A due message is returned with its time and connection, and a later one with its time")
    func due() {
        var schedule = Self.make()
        expectEqual(schedule.next(by: 4_999_999_999), .later(5_000_000_000))
        expectEqual(schedule.next(by: 5_000_000_000), .due(at: 5_000_000_000, position: 0))
        expectEqual(schedule.next(by: 9_000_000_000), .due(at: 5_000_000_000, position: 0), "only advance() moves on")
        schedule.advance()
        expectEqual(schedule.next(by: 5_000_000_000), .later(5_001_000_000))
        expectEqual(schedule.next(by: 5_001_000_000), .due(at: 5_001_000_000, position: 1))
        schedule.advance()
        expectEqual(schedule.next(by: 6_000_000_000), .due(at: 5_002_000_000, position: 0))
    }

    @Test("Nothing is due at the end or after it")
    func end() {
        let schedule = Self.make()
        expectEqual(schedule.next(by: 6_000_000_000, before: 5_000_000_000), .over)
        expectEqual(schedule.next(by: 6_000_000_000, before: 5_000_000_001), .due(at: 5_000_000_000, position: 0))
        expectEqual(schedule.next(by: 0, before: 5_000_000_000), .over, "there is nothing to wait for")
    }

    @Test("Skipped messages are counted from the start of the schedule")
    func skipping() {
        var schedule = Self.make()
        expectEqual(schedule.skip(before: 4_000_000_000), 0)
        expectEqual(schedule.skip(before: 5_010_000_000), 10)
        expectEqual(schedule.skip(before: 6_000_000_000, atMost: 3), 3)
        expectEqual(schedule.next(by: 6_000_000_000), .due(at: 5_013_000_000, position: 1))
    }
}
