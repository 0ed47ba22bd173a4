/// The wording of quantities in errors, notices, and tables.
public enum Phrase {
    /// A count with its noun: `1 heartbeat`, `3 heartbeats`.
    public static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// A duration rounded to milliseconds: `250 ms`, `10 s`, `1.500 s`.
    public static func duration(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(milliseconds / 1000).\(padded(milliseconds % 1000, to: 3)) s"
    }

    /// A duration in milliseconds with microsecond resolution: `12.345`.
    public static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int(duration / .microseconds(1))
        return "\(microseconds / 1000).\(padded(microseconds % 1000, to: 3))"
    }

    /// A duration in seconds with one decimal: `12.3 s`.
    public static func seconds(_ duration: Duration) -> String {
        let tenths = Int(clamping: Int64((duration / .milliseconds(100)).rounded()))
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// A nonnegative number with commas between thousands: `1,234,567`.
    public static func grouped(_ count: Int) -> String {
        let digits = String(count)
        guard digits.utf8.count > 3 else { return digits }
        return "\(grouped(count / 1000)),\(padded(count % 1000, to: 3))"
    }
}
