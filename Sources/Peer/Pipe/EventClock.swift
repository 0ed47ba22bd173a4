import Formats
import WSCore

/// Formats timestamps for events and transcripts. It computes the calendar date only once per second.
package struct EventClock {
    /// The time of the latest ``update()`` in RFC 3339 format, in UTC with microseconds: `2026-05-01T12:00:00.000000Z`.
    package private(set) var text = [UInt8]("0000-00-00T00:00:00.000000Z".utf8)

    package init() {}

    private var lastSeconds: Int?
    private static let microsecondsOffset = 20
    private static let microsecondsDigits = 6

    /// Sets the text to the current time.
    package mutating func update() {
        let now = WallTime.now
        if now.seconds != lastSeconds {
            lastSeconds = now.seconds
            text = [UInt8](EventTime.text(of: now).utf8)
        }
        var rest = now.microseconds
        for index in (0..<Self.microsecondsDigits).reversed() {
            text[Self.microsecondsOffset + index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}
