/// Words for quantities, as errors, notices, and tables show them.
public enum Phrase {
    /// A number of things: `1 heartbeat`, `3 heartbeats`.
    public static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// A duration as the user would type it, to the millisecond: `250 ms`, `10 s`, `1.500 s`.
    public static func duration(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(milliseconds / 1000).\(padded(milliseconds % 1000, to: 3)) s"
    }

    /// A number of 0 or more with commas between its thousands: `1,234,567`.
    public static func grouped(_ count: Int) -> String {
        let digits = String(count)
        guard digits.utf8.count > 3 else { return digits }
        return "\(grouped(count / 1000)),\(padded(count % 1000, to: 3))"
    }
}
