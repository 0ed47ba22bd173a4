/// Decides how lines are sent again after connections were lost, because one of the lines may be the cause.
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
package struct ResendingCaution: Equatable, Sendable {
    /// How a connection ended.
    package enum Verdict: Equatable, Sendable {
        /// The lines are sent again.
        case resend
        /// The first line is not sent again: connections keep ending before the peer confirms it.
        case giveUp
    }

    /// The number of connections after which lines go carefully, and then of those after which the first one is given up.
    package static let limit = 2

    /// The delay between the beginning of a careful connection and the first line. A server that drops each connection does
    /// so before it gets a line.
    package static let firstLineDelay = Duration.milliseconds(100)
    /// The same delay on the last attempt, before the line is given up.
    package static let lastAttemptDelay = Duration.milliseconds(500)

    /// Whether lines are sent carefully.
    package private(set) var isCareful = false
    /// While lines are sent carefully, how many may be unconfirmed at the same time.
    package private(set) var window = 1
    /// The number of connections in a row that count against the same lines.
    private var count = 0
    /// The first unconfirmed line of the last connection.
    private var suspect: [UInt8]?

    /// Creates the initial state, in which all lines are sent at once.
    package init() {}

    /// Handles a new connection.
    /// - Returns: The delay before its first line.
    package mutating func connectionOpened() -> Duration {
        window = 1
        guard isCareful else { return .zero }
        return count == Self.limit - 1 ? Self.lastAttemptDelay : Self.firstLineDelay
    }

    /// Lets more lines follow those that the peer has confirmed. Lines that begin each connection do not count.
    package mutating func confirmed(_ lineCount: Int) {
        window += lineCount
    }

    /// Handles the end of a connection.
    /// - Parameters:
    ///   - first: The first line that was sent on the connection and not confirmed, or `nil` if there is none.
    ///   - hasConfirmed: Whether the peer confirmed anything on it. Lines that begin each connection do not count.
    package mutating func connectionEnded(firstUnconfirmed first: [UInt8]?, hasConfirmed: Bool) -> Verdict {
        guard let first else {
            if hasConfirmed { restart() }
            return .resend
        }
        guard isCareful else {
            count = hasConfirmed ? 0 : count + 1
            if count == Self.limit { suspectLines() }
            return .resend
        }
        // A peer that confirms lines may end the connection for its own reasons. The order of lines never changes, so an
        // equal line is the same one.
        count = hasConfirmed ? 0 : first == suspect ? count + 1 : 1
        suspect = first
        guard count >= Self.limit else { return .resend }
        restart()
        return .giveUp
    }

    /// Sends lines carefully from now on, because one of them may end connections.
    package mutating func suspectLines() {
        isCareful = true
        window = 1
        restart()
    }

    /// Ends the caution after the last resent line was confirmed.
    package mutating func allConfirmed() {
        self = ResendingCaution()
    }

    private mutating func restart() {
        count = 0
        suspect = nil
    }
}
