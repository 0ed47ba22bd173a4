import Glibc

/// A point in time of the system's clock.
package struct WallTime: Comparable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC.
    package let seconds: Int
    /// Microseconds after ``seconds``, 0 through 999,999.
    package let microseconds: Int

    /// Creates a point in time.
    package init(seconds: Int, microseconds: Int) {
        self.seconds = seconds
        self.microseconds = microseconds
    }

    /// The time since 1970-01-01 00:00 UTC.
    package var sinceEpoch: Duration { .seconds(seconds) + .microseconds(microseconds) }

    /// The time since 1970-01-01 00:00 UTC in whole milliseconds; 0 for an earlier time.
    package var millisecondsSinceEpoch: UInt64 {
        UInt64(clamping: seconds &* 1000 &+ microseconds / 1000)
    }

    /// Whether the first time is earlier than the second.
    package static func < (one: WallTime, other: WallTime) -> Bool {
        (one.seconds, one.microseconds) < (other.seconds, other.microseconds)
    }

    /// The point in time `time` later.
    package static func + (moment: WallTime, time: Duration) -> WallTime {
        let sum = moment.microseconds + Int(time / .microseconds(1))
        let (seconds, microseconds) = sum.quotientAndRemainder(dividingBy: 1_000_000)
        guard microseconds < 0 else { return WallTime(seconds: moment.seconds + seconds, microseconds: microseconds) }
        return WallTime(seconds: moment.seconds + seconds - 1, microseconds: microseconds + 1_000_000)
    }

    /// The current time.
    package static var now: WallTime {
        var time = timeval()
        gettimeofday(&time, nil)
        return WallTime(seconds: Int(time.tv_sec), microseconds: Int(time.tv_usec))
    }
}

/// A date and a time of day, with a resolution of one second.
package struct CalendarTime: Equatable, Sendable {
    /// A time zone.
    package enum Zone: Sendable {
        /// Coordinated Universal Time.
        case utc
        /// The user's local time zone.
        case local
    }

    /// The year, such as 2026.
    package let year: Int
    /// 1 through 12.
    package let month: Int
    /// 1 through 31.
    package let day: Int
    /// 0 through 23.
    package let hour: Int
    /// 0 through 59.
    package let minute: Int
    /// 0 through 60; 60 is a leap second.
    package let second: Int

    /// Converts a point in time.
    package init(_ time: WallTime, in zone: Zone) {
        var seconds = time_t(time.seconds)
        var parts = tm()
        _ = zone == .utc ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)
        year = Int(parts.tm_year) + 1900
        month = Int(parts.tm_mon) + 1
        day = Int(parts.tm_mday)
        hour = Int(parts.tm_hour)
        minute = Int(parts.tm_min)
        second = Int(parts.tm_sec)
    }
}
