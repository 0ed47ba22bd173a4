#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A date and a time of day.
public struct CalendarTime: Equatable, Sendable {
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
    /// 0 through 999,999.
    public let microsecond: Int
}

/// The system's idea of the time of day.
public enum WallClock {
    /// The present time in UTC.
    public static var utc: CalendarTime { now { gmtime_r($0, $1) } }

    /// The present time where the user is.
    public static var local: CalendarTime { now { localtime_r($0, $1) } }

    private static func now(
        _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> CalendarTime {
        var time = timeval()
        gettimeofday(&time, nil)
        var parts = tm()
        _ = convert(&time.tv_sec, &parts)
        return CalendarTime(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec),
            microsecond: Int(time.tv_usec))
    }
}
