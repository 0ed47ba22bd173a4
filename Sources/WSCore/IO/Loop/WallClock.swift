#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A moment, as the system's clock tells it.
public struct WallTime: Comparable, Sendable {
    /// Seconds since the beginning of 1970, UTC.
    public let seconds: Int
    /// Microseconds after that, 0 through 999,999.
    public let microseconds: Int

    /// Makes a moment.
    public init(seconds: Int, microseconds: Int) {
        self.seconds = seconds
        self.microseconds = microseconds
    }

    /// The time since the beginning of 1970, UTC.
    public var sinceEpoch: Duration { .seconds(seconds) + .microseconds(microseconds) }

    /// Whether one is earlier.
    public static func < (one: WallTime, other: WallTime) -> Bool {
        (one.seconds, one.microseconds) < (other.seconds, other.microseconds)
    }

    /// The moment a time later.
    public static func + (moment: WallTime, time: Duration) -> WallTime {
        let sum = moment.microseconds + Int(time / .microseconds(1))
        let (seconds, microseconds) = sum.quotientAndRemainder(dividingBy: 1_000_000)
        guard microseconds < 0 else { return WallTime(seconds: moment.seconds + seconds, microseconds: microseconds) }
        return WallTime(seconds: moment.seconds + seconds - 1, microseconds: microseconds + 1_000_000)
    }

    /// The present moment.
    public static var now: WallTime {
        var time = timeval()
        gettimeofday(&time, nil)
        return WallTime(seconds: Int(time.tv_sec), microseconds: Int(time.tv_usec))
    }
}

/// A date and a time of day, to the second.
public struct CalendarTime: Equatable, Sendable {
    /// Whose day it is.
    public enum Zone: Sendable {
        /// Coordinated universal time.
        case utc
        /// Where the user is.
        case local
    }

    /// The year, as it is written.
    public let year: Int
    /// 1 through 12.
    public let month: Int
    /// 1 through 31.
    public let day: Int
    /// 0 through 23.
    public let hour: Int
    /// 0 through 59.
    public let minute: Int
    /// 0 through 60.
    public let second: Int

    /// The date and time of a moment.
    public init(_ time: WallTime, in zone: Zone) {
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
