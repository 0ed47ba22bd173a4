// The times besides latencies.
extension LoadMeasurement {
    /// Records the delay of a message of an open loop that this end has reached now.
    @inline(__always)
    internal mutating func reached(dueAt time: UInt64, now: UInt64) {
        times[.delay].record(now - time)
        latencies.stages?.stage(at: time).delay.record(now - time)
    }

    /// Records that a message of an open loop has freed its connection.
    /// - Parameters:
    ///   - time: When it was sent, on the loop's clock in nanoseconds.
    ///   - dueTime: When it was due.
    internal mutating func freed(since time: UInt64, now: UInt64, dueAt dueTime: UInt64) {
        if counts(dueTime) { times[.service].record(now > time ? now - time : 0) }
    }

    /// The time between measurements of the thread's own delay, in nanoseconds.
    private static let lagInterval: UInt64 = 10_000_000

    /// Records how late the thread runs: for each moment at which it was to be awake.
    /// - Parameter time: The first moment that was not recorded yet.
    /// - Returns: The next moment.
    package mutating func awake(since time: UInt64, now: UInt64) -> UInt64 {
        var time = time
        while time <= now {
            if counts(time), time < sendEnd {
                times[.lag].record(now - time)
                latencies.stages?.stage(at: time).lag.record(now - time)
            }
            time += Self.lagInterval
        }
        return time
    }

    /// Records the time from the opening of a connection until the server was ready.
    internal mutating func loggedIn(nanoseconds: UInt64) {
        times[.login].record(nanoseconds)
    }
}
