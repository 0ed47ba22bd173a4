import Formats
import WSCore

/// Words for the times in a transcript.
struct TranscriptClock {
    /// When something happened, by both clocks that a style may want.
    struct Moment: Equatable {
        let wallTime: WallTime
        /// In the loop's time.
        let loopTime: Duration
    }

    /// Which time is shown.
    var style: TimestampStyle
    private let start: Duration
    private let loop: EventLoop

    /// Makes a clock that starts now.
    init(_ style: TimestampStyle, on loop: EventLoop) {
        self.style = style
        self.loop = loop
        start = loop.now
    }

    /// This moment.
    var now: Moment { Moment(wallTime: WallTime.now, loopTime: loop.now) }

    /// How wide a time is with the space after it, in characters.
    var width: Int { style == .off ? 0 : 13 }

    /// A moment in the style; empty: no time is shown.
    func text(of moment: Moment) -> String {
        switch style {
        case .off: return ""
        case .relative:
            let milliseconds = Int((moment.loopTime - start) / .milliseconds(1))
            return rightAligned("+\(milliseconds / 1000).\(padded(milliseconds % 1000, to: 3))", 12)
        case .local, .utc:
            let time = CalendarTime(moment.wallTime, in: style == .utc ? .utc : .local)
            let clock = "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))"
            return "\(clock).\(padded(moment.wallTime.microseconds / 1000, to: 3))"
        }
    }
}
