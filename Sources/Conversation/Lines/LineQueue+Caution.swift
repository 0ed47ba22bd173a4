extension LineQueue {
    /// How lines are sent again after connections were lost, because one of the lines may be the cause.
    ///
    ///     all at once ── 2 connections without a confirmation ──► carefully ── 2 more in a row ──► the first is given up
    ///          ▲                                                      │
    ///          └───────────── nothing is left to be sent again ───────┘
    ///
    /// Carefully: each connection begins with a single line, and each confirmed line lets two others follow, as in the slow
    /// start of TCP (RFC 5681 §3.1). So a line that ends connections is soon alone, and thousands take few round trips.
    ///
    /// Only connections on which something was sent and not confirmed count, so attempts that never opened a connection do
    /// not, nor do connections that end before the first line is sent.
    struct Caution: Equatable {
        /// The number of connections after which lines go carefully, and then of those after which the first one is given
        /// up.
        private static let limit = 2
        /// The delay between the beginning of a careful connection and the first line. A server that drops each connection
        /// does so before it gets a line.
        static let firstLineDelay = Duration.milliseconds(100)
        /// The same delay on the last attempt, before the line is given up.
        static let lastAttemptDelay = Duration.milliseconds(500)
        /// The delay after which the next line is sent even if the last ones are not confirmed: they have not ended the
        /// connection.
        private static let confirmationTimeout = Duration.seconds(10)

        /// Whether lines are sent carefully.
        private(set) var isCareful = false
        /// While lines are sent carefully, how many may be unconfirmed at the same time.
        private(set) var window = 1
        /// While lines are sent carefully, the earliest time for the next one, and for the first one of the connection.
        private(set) var nextTime = Duration.zero
        private var firstTime = Duration.zero
        /// The number of connections in a row that count against the same lines.
        private var count = 0
        /// The first unconfirmed line of the last connection.
        private var suspect: [UInt8]?

        /// Handles a new connection.
        /// - Parameter hasSent: Whether lines have already been sent on it.
        mutating func connectionOpened(at now: Duration, hasSent: Bool) {
            window = 1
            let delay: Duration =
                !isCareful ? .zero : count == Self.limit - 1 ? Self.lastAttemptDelay : Self.firstLineDelay
            firstTime = now + delay
            nextTime = hasSent ? now + Self.confirmationTimeout : firstTime
        }

        /// Lets the next line wait for the confirmation of those that have been sent.
        mutating func awaitConfirmation(at now: Duration) {
            nextTime = now + Self.confirmationTimeout
        }

        /// Lets more lines follow those that the peer has confirmed. Lines that begin each connection do not count.
        mutating func confirmed(_ lineCount: Int) {
            window += lineCount
        }

        /// Lets the next line follow.
        mutating func proceed() {
            nextTime = firstTime
        }

        /// Handles the end of a connection.
        /// - Parameters:
        ///   - first: The identity of the first line that was sent on the connection and not confirmed, or `nil` if there is
        ///     none.
        ///   - hasConfirmed: Whether the peer confirmed anything on it. Lines that begin each connection do not count.
        /// - Returns: Whether the first line is given up: connections keep ending before the peer confirms it.
        mutating func connectionEnded(firstUnconfirmed first: [UInt8]?, hasConfirmed: Bool) -> Bool {
            guard let first else {
                if hasConfirmed { restart() }
                return false
            }
            guard isCareful else {
                count = hasConfirmed ? 0 : count + 1
                if count == Self.limit { suspectLines() }
                return false
            }
            // A peer that confirms lines may end the connection for its own reasons. The order of lines never changes, so
            // an equal line is the same one.
            count = hasConfirmed ? 0 : first == suspect ? count + 1 : 1
            suspect = first
            guard count >= Self.limit else { return false }
            restart()
            return true
        }

        /// Sends lines carefully from now on, because one of them may end connections.
        mutating func suspectLines() {
            isCareful = true
            window = 1
            restart()
        }

        /// Sends lines carefully from now on, because they have been given up before.
        /// - Parameter hasSent: Whether lines are unconfirmed on the connection.
        mutating func suspectLines(at now: Duration, hasSent: Bool) {
            suspectLines()
            nextTime = hasSent ? now + Self.confirmationTimeout : .zero
        }

        private mutating func restart() {
            count = 0
            suspect = nil
        }
    }
}
