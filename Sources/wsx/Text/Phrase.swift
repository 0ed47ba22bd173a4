import WSCore

/// Words for quantities, as errors, notices, and tables show them.
enum Phrase {
    /// A number of things: `1 heartbeat`, `3 heartbeats`.
    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// A duration as the user would type it, to the millisecond: `250 ms`, `10 s`, `1.500 s`.
    static func duration(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(milliseconds / 1000).\(padded(milliseconds % 1000, to: 3)) s"
    }

    /// A duration in milliseconds, to the microsecond: `12.345`.
    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int(duration / .microseconds(1))
        return "\(microseconds / 1000).\(padded(microseconds % 1000, to: 3))"
    }

    /// The loss of lines of the log, because standard error was not read in time.
    static func lostLines(_ count: Int) -> String {
        "\(grouped(count)) \(count == 1 ? "line of the log was" : "lines of the log were") lost: "
            + "standard error was not read"
    }

    /// A number of 0 or more with commas between its thousands.
    private static func grouped(_ count: Int) -> String {
        let digits = String(count)
        guard digits.utf8.count > 3 else { return digits }
        return "\(grouped(count / 1000)),\(padded(count % 1000, to: 3))"
    }
}

/// A number with leading zeros.
func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The text with leading spaces that make it `width` characters wide.
func rightAligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
