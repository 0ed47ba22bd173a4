/// What a thread has to send in an open loop: messages that are due, and those that were and found no room.
public struct OpenLoop {
    /// What comes next.
    enum Next: Equatable {
        /// A message that is due, or was before: when, in nanoseconds on the loop's clock, and on which connection of the
        /// thread; and whether it was the server that it waited for.
        case due(at: UInt64, position: Int, wasHeld: Bool)
        /// It is to be looked again then.
        case later(UInt64)
        /// Nothing more is due before the end.
        case over
    }

    /// The number of messages that were due and wait for room in the queue of their connection.
    private(set) var owedCount = 0
    private var schedule: Pacer
    /// Messages that were due until then wait for the server, on the loop's clock in nanoseconds.
    private var heldUntil: UInt64 = 0

    /// With so many messages waiting for room, no more are made until there is some.
    static let mostOwed = 1 << 20
    /// How long it is waited then, in nanoseconds.
    static let pause: UInt64 = 1_000_000

    /// Begins a schedule.
    init(_ schedule: Pacer) {
        self.schedule = schedule
    }

    /// Takes the next message, if it is due.
    /// - Parameters:
    ///   - now: The present time, on the loop's clock in nanoseconds.
    ///   - end: Nothing is due from then on.
    mutating func next(by now: UInt64, before end: UInt64) -> Next {
        switch schedule.next(by: now, before: end) {
        case .over: return .over
        case .later(let time): return .later(time)
        case .due(let time, let position):
            guard owedCount < Self.mostOwed else {
                heldUntil = now + Self.pause
                return .later(heldUntil)
            }
            schedule.advance()
            return .due(at: time, position: position, wasHeld: time <= heldUntil)
        }
    }

    /// A message that was due waits for room.
    mutating func owe() {
        owedCount += 1
    }

    /// So many that waited are sent, or will not be.
    mutating func settle(_ count: Int) {
        owedCount -= count
    }

    /// Ends the loop, and returns how many messages would have been due in a time.
    /// - Parameter limit: No more are counted.
    mutating func end(from start: UInt64, until end: UInt64, atMost limit: Int) -> Int {
        owedCount = 0
        _ = schedule.skip(before: start)
        return schedule.skip(before: end, atMost: limit)
    }
}
