import TestSupport
import Testing
import WSCore

@Suite struct WallClockTests {
    @Test(
        "a point in time converts to its date and time of day in UTC",
        arguments: [
            (0, [1970, 1, 1, 0, 0, 0]), (951_782_400, [2000, 2, 29, 0, 0, 0]),
            (1_777_636_799, [2026, 5, 1, 11, 59, 59]), (-1, [1969, 12, 31, 23, 59, 59]),
            (4_102_444_800, [2100, 1, 1, 0, 0, 0]),
        ])
    func utc(seconds: Int, parts: [Int]) {
        let time = CalendarTime(WallTime(seconds: seconds, microseconds: 0), in: .utc)
        expectEqual([time.year, time.month, time.day, time.hour, time.minute, time.second], parts)
    }

    @Test(
        "adding a duration carries microseconds in both directions",
        arguments: [(0, 5, 999_999), (1, 6, 0), (-999_999, 5, 0), (-1_000_000, 4, 999_999), (3_000_002, 9, 1)])
    func sums(microseconds: Int, seconds: Int, rest: Int) {
        let moment = WallTime(seconds: 5, microseconds: 999_999) + .microseconds(microseconds)
        expectEqual(moment, WallTime(seconds: seconds, microseconds: rest))
        expectEqual(moment.sinceEpoch, .microseconds(5_999_999 + microseconds))
    }

    @Test("local time differs from UTC by less than a day, and not in its seconds")
    func local() {
        let moment = WallTime(seconds: 1_777_636_799, microseconds: 0)
        let local = CalendarTime(moment, in: .local)
        expectEqual(local.year, 2026)
        expectEqual(local.second, 59)
    }

    @Test("now is between earlier and later samples, with less than a million microseconds")
    func now() {
        let before = WallTime.now
        let after = WallTime.now
        #expect((before.seconds, before.microseconds) <= (after.seconds, after.microseconds))
        #expect((0..<1_000_000).contains(before.microseconds))
        #expect(before.seconds > 1_700_000_000)
    }
}
