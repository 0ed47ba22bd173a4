/// A schedule that has begun.
struct RunningSchedule {
    /// What comes next.
    enum Next: Equatable {
        /// It is due, or was before: when, in nanoseconds on the loop's clock, and on which connection of the thread.
        case due(at: UInt64, position: Int)
        /// It will be due then.
        case later(UInt64)
        /// It would be due after the end.
        case over
    }

    private var schedule: LoadSchedule
    /// When it began, on the loop's clock in nanoseconds.
    private let startTime: UInt64

    /// Begins a schedule.
    init(_ schedule: LoadSchedule, at startTime: UInt64) {
        self.schedule = schedule
        self.startTime = startTime
    }

    /// What is next; ``advance()`` goes on from there.
    /// - Parameters:
    ///   - now: The present time, on the loop's clock in nanoseconds.
    ///   - end: Nothing is due from then on.
    func next(by now: UInt64, before end: UInt64 = .max) -> Next {
        let time = startTime + schedule.offset
        guard time < end else { return .over }
        return time <= now ? .due(at: time, position: schedule.position) : .later(time)
    }

    /// Goes on to the next message.
    mutating func advance() {
        schedule.advance()
    }

    /// Passes over what is due before a time, and returns how much that is.
    /// - Parameter limit: No more is passed over.
    mutating func skip(before end: UInt64, atMost limit: Int = .max) -> Int {
        schedule.skip(before: max(end, startTime) - startTime, atMost: limit)
    }
}
