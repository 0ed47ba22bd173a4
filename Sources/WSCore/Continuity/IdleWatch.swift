/// Decides which of many connections have carried nothing for too long.
///
///      last byte ···· look ──── look ──── … ──── look: idle
///                     ├──────── limit ───────────┤
///
/// All are looked at in turn, a few times a limit, so that none needs a timer of its own, and nobody need tell of bytes. A
/// look finds out late that something was carried: a connection is idle at the earliest when the limit is over, and at the
/// latest a quarter of it later. Times are monotonic ones; no clock is read.
public struct IdleWatch: Sendable {
    /// How long a connection may carry nothing.
    public let limit: Duration
    /// The time from one look to the next.
    public var lookInterval: Duration { max(limit / 8, .milliseconds(1)) }

    private var latest: [Int: (carriedBytes: Int, time: Duration)] = [:]

    /// Makes a watch on no connection; `limit` is more than 0.
    public init(limit: Duration) {
        self.limit = limit
    }

    /// Begins to watch a connection that has just been opened.
    public mutating func add(_ number: Int, at now: Duration) {
        latest[number] = (0, now)
    }

    /// Forgets a connection.
    public mutating func remove(_ number: Int) {
        latest[number] = nil
    }

    /// Looks at a connection.
    /// - Parameters:
    ///   - number: Which one; one that is not watched is never idle.
    ///   - carriedBytes: What it has carried since it was opened, both ways.
    ///   - now: The time.
    /// - Returns: Whether it has been idle for the limit.
    public mutating func isIdle(_ number: Int, carriedBytes: Int, at now: Duration) -> Bool {
        guard let last = latest[number] else { return false }
        guard last.carriedBytes == carriedBytes else {
            latest[number] = (carriedBytes, now)
            return false
        }
        return now - last.time >= limit
    }

    /// Takes note that a connection carries nothing for reasons of our own: its time begins anew.
    public mutating func excuse(_ number: Int, at now: Duration) {
        latest[number]?.time = now
    }
}
