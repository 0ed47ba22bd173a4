/// The messages of a thread in an open loop: its schedule, and due messages that wait for room.
package struct OpenLoop {
    /// The next step.
    enum Next: Equatable {
        /// A message is due: since when, in nanoseconds on the loop's clock; the position of its connection in the
        /// thread; and whether the server caused the delay.
        case due(at: UInt64, position: Int, wasHeld: Bool)
        /// Check again at this time.
        case later(UInt64)
        /// Nothing more is due before the end.
        case over
    }

    /// The number of due messages that wait for room in the queue of their connection.
    var backlogCount = 0
    private var schedule: Pacer
    /// Messages due until this time were delayed by the server, on the loop's clock in nanoseconds.
    private var heldUntil: UInt64 = 0

    /// The maximum number of messages that wait for room.
    static let maximumBacklog = 1 << 20
    /// The pause after that number is reached, in nanoseconds.
    static let pause: UInt64 = 1_000_000

    /// Starts a schedule.
    init(_ schedule: Pacer) {
        self.schedule = schedule
    }

    /// Takes the next message if it is due.
    /// - Parameters:
    ///   - now: The current time, on the loop's clock in nanoseconds.
    ///   - end: The end of the schedule.
    mutating func next(by now: UInt64, before end: UInt64) -> Next {
        switch schedule.next(by: now, before: end) {
        case .over: return .over
        case .later(let time): return .later(time)
        case .due(let time, let position):
            guard backlogCount < Self.maximumBacklog else {
                heldUntil = now + Self.pause
                return .later(heldUntil)
            }
            schedule.advance()
            return .due(at: time, position: position, wasHeld: time <= heldUntil)
        }
    }

    /// Attributes the delay of messages due until a time to the server, which kept all connections busy.
    /// - Parameter time: The time on the loop's clock, in nanoseconds.
    mutating func hold(until time: UInt64) {
        heldUntil = max(heldUntil, time)
    }

    /// Ends the loop. Returns the number of messages that would have been due between two times.
    /// - Parameter limit: The maximum number to count.
    mutating func end(from start: UInt64, until end: UInt64, atMost limit: Int) -> Int {
        backlogCount = 0
        _ = schedule.skip(before: start)
        return schedule.skip(before: end, atMost: limit)
    }
}
