/// Detects connections that have carried no data for too long.
///
///      last byte ···· check ─── check ─── … ─── check: idle
///                     ├──────── limit ───────────┤
///
/// All connections are checked periodically, several times per limit. Thus none needs its own timer or has to report
/// its traffic. Checks notice traffic late: a connection is reported idle between one limit and 1.25 limits after its
/// last byte. The caller provides the time, which must be monotonic.
///
/// This is for servers with many connections. A client with one connection uses a timer.
package struct IdleWatch: Sendable {
    /// The time a connection may carry no data.
    package let limit: Duration
    /// The interval between checks.
    package var lookInterval: Duration { max(limit / 8, .milliseconds(1)) }

    private var latest: [Int: (carriedBytes: Int, time: Duration)] = [:]

    /// Creates a watch without connections; `limit` must be more than 0.
    package init(limit: Duration) {
        self.limit = limit
    }

    /// Starts watching a connection that has just been opened.
    package mutating func add(_ number: Int, at now: Duration) {
        latest[number] = (0, now)
    }

    /// Stops watching a connection.
    package mutating func remove(_ number: Int) {
        latest[number] = nil
    }

    /// Checks a connection.
    /// - Parameters:
    ///   - number: The connection's number. A connection that is not watched is never idle.
    ///   - carriedBytes: The bytes it has carried since it was opened, in both directions.
    ///   - now: The current time.
    /// - Returns: Whether the connection has been idle for the limit.
    package mutating func isIdle(_ number: Int, carriedBytes: Int, at now: Duration) -> Bool {
        guard let last = latest[number] else { return false }
        guard last.carriedBytes == carriedBytes else {
            latest[number] = (carriedBytes, now)
            return false
        }
        return now - last.time >= limit
    }

    /// Restarts the idle time of a connection that is idle for a reason on our side.
    package mutating func excuse(_ number: Int, at now: Duration) {
        latest[number]?.time = now
    }
}
