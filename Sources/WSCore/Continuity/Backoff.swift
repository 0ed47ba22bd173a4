/// How long to wait before each try to connect again: exponential backoff with full jitter.
///
///      try       1     2     3     4     5     6 …
///      ceiling   4 s   8 s  16 s  32 s  60 s  60 s …
///
/// A wait is uniformly random between 0 and the ceiling (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture
/// Blog, 2015). Clients that a server loses all at once come back spread over the whole first ceiling. Were that 1 s,
/// one of its ten parts of 100 ms would by necessity bring a tenth of the clients or more. With 4 s a part brings a
/// fortieth on average, and that 100 ms anywhere bring over a tenth of 200 clients is chance: it happens after one
/// restart of a thousand at most where the server is back at once, and with 3 s after one of a few hundred.
///
/// It reads no clock and has no randomness of its own.
public struct Backoff: Sendable {
    /// How many tries in a row may fail to bring a connection that holds; nil: any number.
    public let maximumTries: Int?
    /// The tries since the last connection that held.
    public private(set) var tryCount = 0

    private var ceilingSeconds = firstCeilingSeconds

    private static let firstCeilingSeconds: UInt64 = 4
    private static let longestCeilingSeconds: UInt64 = 60

    /// A connection that lived for so long has held.
    public static let stableDuration = Duration.seconds(10)

    /// Makes the waits of a client that has not tried to connect again yet.
    public init(maximumTries: Int? = nil) {
        self.maximumTries = maximumTries
    }

    /// Begins another try.
    /// - Parameter random: A number of which each value is equally likely.
    /// - Returns: How long to wait before it; nil when there have been as many tries as there may be.
    public mutating func nextWait(random: UInt64) -> Duration? {
        if let maximumTries, tryCount >= maximumTries { return nil }
        tryCount += 1
        let wait = (ceilingSeconds * 1_000_000_000).multipliedFullWidth(by: random).high
        ceilingSeconds = min(ceilingSeconds * 2, Self.longestCeilingSeconds)
        return .nanoseconds(Int64(clamping: wait))
    }

    /// Takes note that a connection is lost: the tries begin anew after one that held.
    ///
    /// A connection has held when it lived for ``stableDuration``, or when it was of use: a server that restarts
    /// every few seconds and reads what it is sent is worth coming back to soon. There is an end to that, since a
    /// message is confirmed only once. Any other server that accepts connections and drops them is tried more and more
    /// rarely, like one that does not accept them. So is one that accepts them and says nothing: the time that it takes
    /// to find that out may be long, and is no life.
    /// - Parameters:
    ///   - openTime: How long it was open.
    ///   - silence: The last part of that, when it was lost because nothing came any more.
    ///   - hasConfirmed: Whether the peer confirmed messages on it (``UnacknowledgedMessages``).
    public mutating func connectionWasLost(
        after openTime: Duration, silentFor silence: Duration = .zero, hasConfirmed: Bool = false
    ) {
        if openTime - silence >= Self.stableDuration || hasConfirmed { reset() }
    }

    /// Begins anew: the next try is the first.
    public mutating func reset() {
        tryCount = 0
        ceilingSeconds = Self.firstCeilingSeconds
    }
}
