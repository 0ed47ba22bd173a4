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

    /// A duration with at least three significant digits: `87.3 us`, `1.25 ms`, `12.0 s`.
    package static func latency(_ nanoseconds: Double) -> String {
        let units: [(size: Double, name: String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "us")]
        // Switch units half a digit earlier, so 999.96 us becomes 1.00 ms.
        let unit = units.first { nanoseconds >= $0.size * 0.9995 } ?? (1e3, "us")
        let value = nanoseconds / unit.size
        let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return "\(FixedPoint.text(value, digits: digits)) \(unit.name)"
    }

    /// A duration with at least three significant digits: `87.3 us`, `1.25 ms`, `12.0 s`.
    package static func latency(_ duration: Duration) -> String {
        latency(duration / .nanoseconds(1))
    }

    /// A number with commas between thousands: `1,234,567`.
    package static func grouped(_ count: Int) -> String {
        guard count.magnitude >= 1000 else { return String(count) }
        return "\(grouped(count / 1000)),\(padded(Int((count % 1000).magnitude), to: 3))"
    }
}
