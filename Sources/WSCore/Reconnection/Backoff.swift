/// The delay before each reconnection attempt: exponential backoff with full jitter.
///
///      attempt   1     2     3     4     5     6 …
///      ceiling   4 s   8 s  16 s  32 s  60 s  60 s …
///
/// Each delay is uniformly random between a minimum, 0 by default, and the ceiling (M. Brooker, "Exponential Backoff
/// And Jitter", AWS Architecture Blog, 2015). If a server loses all of its clients at once, they return spread over the
/// first ceiling.
///
/// The type reads no clock and generates no random numbers.
package struct Backoff: Sendable {
    /// The bounds of the delays.
    package struct Delays: Equatable, Sendable {
        /// The shortest delay.
        let minimum: Duration
        /// The ceiling of the first delay. Each further ceiling is twice the one before.
        let firstCeiling: Duration
        /// The highest ceiling.
        let maximum: Duration

        /// From 0 to ceilings from 4 s to 60 s.
        ///
        /// The first ceiling limits the load on a restarted server. With 1 s, at least one of its ten intervals of
        /// 100 ms would receive a tenth of the clients or more. With 4 s, an interval receives a fortieth on average.
        /// If the server is back at once, at most one restart in a thousand brings over a tenth of 200 clients within
        /// any 100 ms. With 3 s, it would be one in a few hundred.
        package static let standard = Delays(
            minimum: .zero, firstCeiling: .seconds(4), maximum: .seconds(60))

        /// From 0 to ceilings from 250 ms to 60 s, for a server on this machine or a user at a prompt: few such clients
        /// share a server, and a person waits for them.
        package static let interactive = Delays(
            minimum: .zero, firstCeiling: .milliseconds(250), maximum: .seconds(60))

        /// From the lower bound of a range, above 0, to ceilings from twice that to the upper bound. If the bounds are
        /// equal, all delays are.
        package static func between(_ range: ClosedRange<Duration>) -> Delays {
            Delays(
                minimum: range.lowerBound, firstCeiling: min(range.lowerBound * 2, range.upperBound),
                maximum: range.upperBound)
        }
    }

    /// The bounds of the delays.
    package let delays: Delays
    /// The maximum number of consecutive attempts without a stable connection; nil means no limit.
    package let maximumTries: Int?
    /// The number of attempts since the last stable connection.
    package private(set) var tryCount = 0

    private var ceiling: Duration

    /// The time after which a connection counts as stable.
    package static let stableDuration = Duration.seconds(10)

    /// Creates the backoff of a client that has not tried to reconnect yet.
    package init(maximumTries: Int? = nil, delays: Delays = .standard) {
        self.maximumTries = maximumTries
        self.delays = delays
        ceiling = delays.firstCeiling
    }

    /// The maximum delay for which a server can ask.
    package static let longestRequestedWait = Duration.seconds(300)

    /// Starts the next attempt.
    /// - Parameters:
    ///   - random: A uniformly distributed random number.
    ///   - requested: The delay for which the server has asked (Retry-After), at most ``longestRequestedWait`` of which
    ///     counts. Defaults to 0.
    /// - Returns: The delay before the attempt, or nil if ``maximumTries`` is exhausted.
    package mutating func nextWait(random: UInt64, atLeast requested: Duration = .zero) -> Duration? {
        if let maximumTries, tryCount >= maximumTries { return nil }
        tryCount += 1
        let range = (ceiling - delays.minimum).nanoseconds
        let jitter = Duration.nanoseconds(Int64(clamping: range.multipliedFullWidth(by: random).high))
        ceiling = min(ceiling * 2, delays.maximum)
        return max(delays.minimum + jitter, min(requested, Self.longestRequestedWait))
    }

    /// Records the loss of a connection. The backoff starts over if the connection was stable.
    ///
    /// A connection was stable if it was open for ``stableDuration`` or the peer confirmed messages on it. A server
    /// that restarts every few seconds but reads its messages is worth a quick return. This cannot go on forever,
    /// because each message is confirmed only once. Any other server that accepts and drops connections is tried less
    /// and less often, like one that refuses them. The same applies to a server that accepts connections but stays
    /// silent: the time it takes to detect the silence does not count.
    /// - Parameters:
    ///   - openTime: The time the connection was open.
    ///   - silence: The final, silent part of `openTime` if it was the reason to end the connection. Defaults to 0.
    ///   - hasConfirmed: Whether the peer confirmed messages on it (`LineQueue`). Defaults to false.
    package mutating func connectionWasLost(
        after openTime: Duration, silentFor silence: Duration = .zero, hasConfirmed: Bool = false
    ) {
        if openTime - silence >= Self.stableDuration || hasConfirmed { reset() }
    }

    /// Starts over: the next attempt is the first.
    package mutating func reset() {
        tryCount = 0
        ceiling = delays.firstCeiling
    }
}
