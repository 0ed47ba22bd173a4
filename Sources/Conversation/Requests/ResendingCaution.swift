/// Decides how lines are sent again after connections were lost, because one of the lines may be the cause.
///
///     all at once ── 2 connections without a confirmation ──► one at a time ── 2 more in a row ──► the first is given up
///          ▲                                                       │
///          └────────────── nothing is left to be sent again ───────┘
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

    /// The number of connections after which lines go one at a time, and then of those after which the first one is
    /// given up.
    package static let limit = 2

    /// Whether only one line at a time is sent, each after the confirmation of the one before.
    package private(set) var isCareful = false
    /// The number of connections in a row that count against the same lines.
    private var count = 0
    /// Whether the first line is given up if the next connection ends before its confirmation, too.
    package var mayGiveUp: Bool { isCareful && count == Self.limit - 1 }
    /// The first unconfirmed line of the last connection.
    private var suspect: [UInt8]?

    /// Creates the initial state, in which all lines are sent at once.
    package init() {}

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

    /// Sends lines one at a time from now on, because one of them may end connections.
    package mutating func suspectLines() {
        isCareful = true
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
