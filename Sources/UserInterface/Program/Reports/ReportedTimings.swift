import Formats
import WSCore

/// Formats the time that opening a connection took.
package enum ReportedTimings {
    /// The phases in order, with their names in text and in JSON.
    private static let phases: [(phase: ConnectError.Phase, label: String, field: StaticString)] = [
        (.resolving, "lookup", "lookup_us"), (.connecting, "connect", "connect_us"), (.tunnelling, "proxy", "proxy_us"),
        (.securing, "TLS", "tls_us"), (.upgrading, "upgrade", "upgrade_us"),
    ]

    /// The time of each phase that occurred, and the total.
    private static func timings(
        of opened: Connector.Opened
    ) -> [(label: String, field: StaticString, duration: Duration)] {
        var timings: [(label: String, field: StaticString, duration: Duration)] = []
        for (phase, label, field) in phases where opened.phaseDurations[phase] > .zero {
            timings.append((label, field, opened.phaseDurations[phase]))
        }
        timings.append(("total", "total_us", opened.duration))
        return timings
    }

    /// One line: `Timings: lookup 1.204 ms, connect 0.310 ms, upgrade 2.077 ms, total 3.611 ms`.
    package static func line(_ opened: Connector.Opened) -> String {
        "Timings: "
            + timings(of: opened).map { "\($0.label) \(Phrase.milliseconds($0.duration)) ms" }.joined(separator: ", ")
    }

    /// The same as a JSON object, in microseconds.
    package static func json(_ opened: Connector.Opened) -> JSONWriter {
        var json = JSONWriter()
        for timing in timings(of: opened) { json.add(timing.field, Int(timing.duration / .microseconds(1))) }
        json.endObject()
        return json
    }
}
