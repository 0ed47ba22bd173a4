import WSCore

/// Formats and parses the times of events.
package enum EventTime {
    /// Formats a time as in RFC 3339, in UTC with microseconds: `2026-05-01T12:00:00.000000Z`.
    package static func text(of moment: WallTime) -> String {
        let time = CalendarTime(moment, in: .utc)
        let date = "\(padded(time.year, to: 4))-\(padded(time.month))-\(padded(time.day))"
        let clock = "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))"
        return "\(date)T\(clock).\(padded(moment.microseconds, to: 6))Z"
    }

    /// Formats a time since 1970-01-01 UTC, not before it, in the same way. Digits beyond microseconds are omitted.
    package static func text(sinceEpoch time: Duration) -> String {
        let (seconds, microseconds) = parts(of: time)
        return text(of: WallTime(seconds: seconds, microseconds: microseconds))
    }

    /// The whole seconds and microseconds of a time. A division of durations would round times of today.
    package static func parts(of time: Duration) -> (seconds: Int, microseconds: Int) {
        let (seconds, attoseconds) = time.components
        return (Int(seconds), Int(attoseconds / 1_000_000_000_000))
    }

    /// Parses an RFC 3339 §5.6 time such as `2026-05-01T12:00:00.5+02:00` and returns the time since 1970-01-01 UTC.
    /// Returns `nil` for another form or a nonexistent time. Digits beyond nanoseconds are ignored.
    package static func parse(_ text: String) -> Duration? {
        var rest = text.utf8[...]
        guard let year = number(4, from: &rest), take("-", from: &rest),
            let month = number(2, from: &rest), take("-", from: &rest), let day = number(2, from: &rest),
            1...12 ~= month, 1...daysOfMonth(month, of: year) ~= day,
            take("T", from: &rest) || take("t", from: &rest),
            let hour = number(2, from: &rest), take(":", from: &rest),
            let minute = number(2, from: &rest), take(":", from: &rest), let second = number(2, from: &rest),
            // RFC 3339 §5.7: second 60 is a leap second.
            hour < 24, minute < 60, second <= 60,
            let nanosecond = fraction(from: &rest), let offsetMinutes = offset(from: &rest), rest.isEmpty
        else { return nil }
        let minutes = (days(to: year, month, day) * 24 + hour) * 60 + minute - offsetMinutes
        return .seconds(minutes * 60 + second) + .nanoseconds(nanosecond)
    }

    private static func take(_ character: Unicode.Scalar, from rest: inout Substring.UTF8View) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ digitCount: Int, from rest: inout Substring.UTF8View) -> Int? {
        var number = 0
        for _ in 0..<digitCount {
            guard let digit = digit(from: &rest) else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    private static func digit(from rest: inout Substring.UTF8View) -> Int? {
        guard let byte = rest.first, case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    /// Parses the fraction of a second in nanoseconds. Returns `nil` for a point without digits.
    private static func fraction(from rest: inout Substring.UTF8View) -> Int? {
        guard take(".", from: &rest) else { return 0 }
        guard let first = digit(from: &rest) else { return nil }
        var unit = 100_000_000
        var nanoseconds = first * unit
        while let digit = digit(from: &rest) {
            unit /= 10
            nanoseconds += digit * unit
        }
        return nanoseconds
    }

    /// Parses the offset from UTC in minutes.
    private static func offset(from rest: inout Substring.UTF8View) -> Int? {
        if take("Z", from: &rest) || take("z", from: &rest) { return 0 }
        let isAhead = take("+", from: &rest)
        guard isAhead || take("-", from: &rest), let hours = number(2, from: &rest), take(":", from: &rest),
            let minutes = number(2, from: &rest), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isAhead ? 1 : -1)
    }

    private static func daysOfMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    /// The number of days from 1970-01-01 to a date.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
        let daysOfYears = year * 365 + leapDays(before: year)
        let daysOfMonths = (1..<month).reduce(0) { $0 + daysOfMonth($1, of: year) }
        return daysOfYears + daysOfMonths + day - daysBefore1970
    }

    /// The number of leap days, counted from 400 years before year 0 to avoid negative numbers.
    private static func leapDays(before year: Int) -> Int {
        let past = year + 399
        return past / 4 - past / 100 + past / 400
    }

    /// The value of the sum above for 1970-01-01.
    private static let daysBefore1970 = 1970 * 365 + leapDays(before: 1970) + 1
}
