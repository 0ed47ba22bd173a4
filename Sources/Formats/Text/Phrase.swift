/// The wording of quantities in errors, notices, and tables.
package enum Phrase {
    /// A count with its noun: `1 heartbeat`, `3 heartbeats`.
    package static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// A duration rounded to milliseconds: `250 ms`, `10 s`, `1.500 s`.
    package static func duration(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(milliseconds / 1000).\(padded(milliseconds % 1000, to: 3)) s"
    }

    /// A duration in seconds with one decimal: `12.3 s`.
    package static func seconds(_ duration: Duration) -> String {
        "\(FixedPoint.text(duration / .seconds(1), digits: 1)) s"
    }

    /// A duration in milliseconds with microsecond resolution: `12.345`.
    package static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int(duration / .microseconds(1))
        return "\(microseconds / 1000).\(padded(microseconds % 1000, to: 3))"
    }

    /// A number with commas between thousands: `1,234,567`.
    package static func grouped(_ count: Int) -> String {
        guard count.magnitude >= 1000 else { return String(count) }
        return "\(grouped(count / 1000)),\(padded(Int((count % 1000).magnitude), to: 3))"
    }
}
