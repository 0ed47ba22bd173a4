import Conversation
import WSCore

/// How far a run of `connect` has come, and how it ends: a state machine without I/O.
///
///     running ──► ending ──────────────────► draining
///        └──────► done (nothing counts) ───────▲
struct RunState {
    /// How far the run has come.
    enum Phase: Equatable {
        /// Input is sent, and received messages count.
        case running
        /// Nothing more is sent. Received messages count until the peer has answered the close frame.
        case ending
        /// Nothing more is sent, and received messages no longer count: the goal is met, or the reader of standard output
        /// has gone.
        case done
        /// There is no connection any more. The outputs write what waits. The run may have been ending before the
        /// connection did.
        case draining(wasEnding: Bool)
    }

    /// What this end has begun on the open connection.
    enum Closing {
        case notBegun
        /// The closing handshake.
        case begun
        /// The closing handshake, after which the prompt wants another connection; with settings, to another server.
        case reopening(ConnectSettings?)
    }

    private(set) var phase = Phase.running
    var closing = Closing.notBegun
    /// The goals that received messages have to meet.
    var conditions: EndConditions
    /// Why the run does not end as asked, or why the last connection of a prompt did not.
    private(set) var failure: Failure?
    /// Set when a silent peer is considered dead, which ends the connection.
    var silence: Failure?
    /// Whether the peer and slow readers have only a moment left.
    private(set) var isHurried = false

    private let closeTimeout: Duration

    /// Makes the state of a run that begins.
    /// - Parameter closeTimeout: The time limit of the closing handshake, for the wording of errors.
    init(_ conditions: EndConditions, closeTimeout: Duration) {
        self.conditions = conditions
        self.closeTimeout = closeTimeout
    }

    /// Whether nothing more is sent.
    var isEnding: Bool { phase != .running }
    /// Whether there is no connection any more.
    var isDraining: Bool { if case .draining = phase { true } else { false } }
    /// Whether the next interrupt ends the run at once: it has failed, or has been interrupted before.
    var isInterruptFinal: Bool {
        switch phase {
        case .running, .draining(wasEnding: false): isHurried
        case .ending, .done, .draining(wasEnding: true): failure != nil
        }
    }
    /// Whether received messages no longer count.
    var ignoresIncoming: Bool { phase == .done }
    /// Whether this end has begun the closing handshake of the open connection.
    var isClosing: Bool { if case .notBegun = closing { false } else { true } }

    // MARK: Transitions

    /// Ends the run as the user asked.
    mutating func end() {
        if phase == .running { phase = .ending }
    }

    /// Ends the run for a reason; the first one counts.
    /// - Returns: Whether this call starts the hurry, which gives the peer only a moment.
    mutating func end(with failure: Failure?, hurried: Bool) -> Bool {
        // The prompt has reported the failure of an earlier connection already.
        if case .told? = self.failure, failure != nil { self.failure = nil }
        if self.failure == nil { self.failure = failure }
        end()
        let isFirstHurry = hurried && !isHurried
        if hurried { isHurried = true }
        return isFirstHurry
    }

    /// Takes a received message.
    /// - Returns: Whether it was the last one that counts, after which the run closes the connection.
    mutating func isLast(_ payload: RawSpan) -> Bool {
        guard conditions.isLast(payload) else { return false }
        phase = .done
        closing = .begun
        return true
    }

    /// Takes note that the reader of standard output has gone.
    mutating func readerLeft() {
        if !isDraining { phase = .done }
    }

    /// Takes note of an open connection, on which the run goes on.
    /// - Returns: Whether it does: a run that has failed only waits for its end.
    mutating func connectionOpened() -> Bool {
        guard !isEnding || failure == nil else { return false }
        failure = nil
        return true
    }

    /// Waits for replies again: messages that were sent before are sent again, and may be answered again.
    mutating func awaitReplies() {
        if !isClosing { phase = .running }
    }

    /// Takes note that no message has come for as long as the run waits.
    mutating func lingerEnded(_ linger: Linger) {
        failure = conditions.unmetGoal.map { .waitEnded($0, linger) }
    }

    /// Takes note that no further connection is tried.
    mutating func gaveUp(_ failure: Failure) {
        self.failure = failure
    }

    /// Why another connection is to follow the one that has ended; nil: it was the last.
    func interruption(by end: ConnectionEnd) -> Failure? {
        guard failure == nil, !ignoresIncoming, !isClosing else { return nil }
        return silence ?? Failure.interruption(by: end)
    }

    /// Takes note of the end of the last connection.
    /// - Parameter unacknowledgedCount: The number of messages that the peer may not have read.
    mutating func lastConnectionEnded(_ end: ConnectionEnd, unacknowledgedCount: Int) {
        // After the goal is met the end of the connection does not matter, unless the peer delayed it.
        guard failure == nil, !ignoresIncoming || end.closingTimedOut else { return }
        failure = finalFailure(of: end, unacknowledgedCount: unacknowledgedCount)
    }

    /// Takes note that the prompt waits for no connection any more.
    mutating func stoppedConnecting(after end: ConnectionEnd?, unacknowledgedCount: Int) {
        guard failure == nil, let end else { return }
        failure = finalFailure(of: end, unacknowledgedCount: unacknowledgedCount).map { .told($0) }
    }

    private func finalFailure(of end: ConnectionEnd, unacknowledgedCount: Int) -> Failure? {
        if let silence { return silence }
        let failure = Failure.failure(of: end, closeTimeout: closeTimeout)
        // A peer may drop the connection when asked to close it, but not while messages are unacknowledged.
        guard failure == nil, end.closing.received == nil, unacknowledgedCount > 0 else { return failure }
        return .lost(end.failure)
    }

    /// Takes note that the run goes on at the prompt, without a connection.
    /// - Returns: The failure to report, and what the prompt wanted to follow.
    mutating func returnToPrompt() -> (failure: Failure?, closing: Closing) {
        defer {
            failure = failure.map { .told($0) }
            closing = .notBegun
            silence = nil
        }
        return (failure, closing)
    }

    /// Decides how the run ends, after its last connection.
    /// - Parameters:
    ///   - requestFailure: What the requests end with; nil: all have their replies.
    ///   - isPrompt: Whether a user decides when the run ends.
    ///   - code: The close code of the last connection; nil: there was none.
    mutating func drain(requestFailure: Failure?, isPrompt: Bool, lastCode code: CloseCode?) {
        guard !isDraining else { return }
        let wasEnding = isEnding
        failure = verdict(on: failure ?? requestFailure, isPrompt: isPrompt, lastCode: code)
        phase = .draining(wasEnding: wasEnding)
    }

    private func verdict(on failure: Failure?, isPrompt: Bool, lastCode: CloseCode?) -> Failure? {
        let unmet = conditions.unmetExpectations
        switch failure {
        case nil where !unmet.isEmpty: return .unmet(unmet, after: nil)
        case .runTimedOut(let limit) where !unmet.isEmpty: return .unmet(unmet, after: limit)
        default: break
        }
        // A reader of standard output that goes away ends the run before its goal, on purpose.
        guard !ignoresIncoming, let goal = conditions.unmetGoal else { return failure }
        guard let failure else {
            // The user has left the prompt on purpose.
            return isPrompt && isClosing ? nil : .closedEarly(goal, lastCode ?? .noStatus)
        }
        return failure.leavesGoalOpen ? .incomplete(goal, failure) : failure
    }
}
