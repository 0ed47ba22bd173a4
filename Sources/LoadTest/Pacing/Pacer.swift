/// Tells when the next message of an open loop is due: a schedule with a start time.
package struct Pacer {
    /// The next message.
    package enum Next: Equatable {
        /// A message is due: since when, in nanoseconds on the loop's clock, and the position of its connection in the
        /// thread.
        case due(at: UInt64, position: Int)
        /// A message will be due at this time, in nanoseconds on the loop's clock.
        case later(UInt64)
        /// No message is due before the end.
        case over
    }

    private var schedule: LoadSchedule
    /// The start of the schedule, in nanoseconds on the loop's clock.
    private let startTime: UInt64

    /// Starts a schedule at a time on the loop's clock, in nanoseconds.
    package init(_ schedule: LoadSchedule, at startTime: UInt64) {
        self.schedule = schedule
        self.startTime = startTime
    }

    /// The next message. ``advance()`` moves on to the following one.
    /// - Parameters:
    ///   - now: The current time, on the loop's clock in nanoseconds.
    ///   - end: The end of the load.
    package func next(by now: UInt64, before end: UInt64 = .max) -> Next {
        let time = startTime + schedule.offset
        guard time < end else { return .over }
        return time <= now ? .due(at: time, position: schedule.position) : .later(time)
    }

    /// Moves on to the next message.
    package mutating func advance() {
        schedule.advance()
    }

    /// Skips the messages that are due before a time and returns their number.
    /// - Parameter limit: The maximum number of messages to skip.
    internal mutating func skip(before end: UInt64, atMost limit: Int = .max) -> Int {
        schedule.skip(before: max(end, startTime) - startTime, atMost: limit)
    }
}
