import Formats
import WSCore

/// Formats the timestamps of a transcript.
package struct TranscriptClock {
    /// A moment by both clocks that a style may need.
    package struct Moment: Equatable {
        package let wallTime: WallTime
        /// The loop's time.
        let loopTime: Duration
    }

    /// The style of the timestamps.
    var style: TimestampStyle
    private let start: Duration
    private let loop: EventLoop

    /// Creates a clock that starts now.
    init(_ style: TimestampStyle, on loop: EventLoop) {
        self.style = style
        self.loop = loop
        start = loop.now
    }

    /// The current moment.
    var now: Moment { Moment(wallTime: WallTime.now, loopTime: loop.now) }

    /// The width of a timestamp and the space after it, in characters.
    var width: Int { style == .off ? 0 : 13 }

    /// The timestamp of a moment; empty for the style `off`.
    func text(of moment: Moment) -> String {
        switch style {
        case .off: return ""
        case .relative:
            let milliseconds = Int((moment.loopTime - start) / .milliseconds(1))
            return rightAligned("+\(milliseconds / 1000).\(padded(milliseconds % 1000, to: 3))", 12)
        case .local, .utc:
            return Self.text(of: moment.wallTime, in: style == .utc ? .utc : .local)
        }
    }

    /// A time of day with milliseconds: `15:04:05.123`.
    static func text(of time: WallTime, in zone: CalendarTime.Zone = .local) -> String {
        let parts = CalendarTime(time, in: zone)
        let clock = "\(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second))"
        return "\(clock).\(padded(time.microseconds / 1000, to: 3))"
    }
}
