import WSCore

/// Writes times as events and transcripts show them, and works out the calendar once a second only.
struct EventClock {
    private var lastSeconds: Int?
    private var prefix = ""

    /// The present time as RFC 3339 has it, in UTC with microseconds: `2026-05-01T12:00:00.000000Z`.
    mutating func timestamp() -> String {
        let now = WallTime.now
        if now.seconds != lastSeconds {
            lastSeconds = now.seconds
            let time = CalendarTime(now, in: .utc)
            let date = "\(padded(time.year, to: 4))-\(padded(time.month))-\(padded(time.day))"
            prefix = "\(date)T\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))."
        }
        return prefix + padded(now.microseconds, to: 6) + "Z"
    }
}

/// A number with zeros in front of it.
func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
