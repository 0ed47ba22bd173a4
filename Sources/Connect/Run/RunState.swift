import Conversation
import UserInterface
import WSCore

/// The phases of a `connect` run, and how it ends: a state machine without I/O.
///
///     running ──► ending ──────────────────► draining
///        └──────► done (nothing counts) ───────▲
struct RunState {
    /// The phases of the run.
    enum Phase: Equatable {
        /// Input is sent, and received messages count.
        case running
        /// Nothing more is sent. Received messages count until the peer answers the close frame.
        case ending
        /// Nothing more is sent, and received messages are ignored, because the goal is met, the reader of standard output
        /// has closed it, or the last step of a scenario was the end of the connection.
        case done
        /// The last connection has ended, and the outputs write their backlog. `wasEnding` is whether the run was
        /// already ending before that.
        case draining(wasEnding: Bool)
    }

    /// The state of the closing handshake on this end.
    enum Closing {
        case notBegun
        /// The closing handshake has started.
        case begun
        /// The closing handshake has started, and the prompt requested another connection afterwards; with settings, to
        /// another server.
        case reopening(ConnectSettings?)

        var leadsToOtherServer: Bool { if case .reopening(_?) = self { true } else { false } }
    }

    private(set) var phase = Phase.running
    var closing = Closing.notBegun
    /// The goals that received messages have to meet.
    var conditions: EndConditions
    /// Why the run fails, or why the prompt's last connection failed.
    private(set) var failure: Failure?
    /// Why the last attempt to connect failed, or `nil` if none did.
    private(set) var attemptFailure: Failure?
    /// Why this end drops the connection: the peer is silent, was not ready in time, or asked for another connection.
    var dropCause: Failure?
    /// The number of messages of the input that were to be sent when the peer had already closed the connection.
    var unsentInputCount = 0
    /// The message of `--last-message` until it is sent or waits to be sent, or `nil` if there is none.
    var lastMessage: String?
    /// Whether time limits are short for the peer and slow readers.
    private(set) var isHurried = false

    private let closeTimeout: Duration
    /// The close codes after which another connection follows, too.
    private let codes: RetriedCodes

    /// Creates the state of a new run.
    /// - Parameters:
    ///   - closeTimeout: The time limit of the closing handshake, for error messages.
    ///   - codes: The close codes after which another connection follows, too.
    init(_ conditions: EndConditions, closeTimeout: Duration, retrying codes: RetriedCodes = .only([])) {
        self.conditions = conditions
        self.closeTimeout = closeTimeout
        self.codes = codes
    }

    /// Whether sending has stopped.
    var isEnding: Bool { phase != .running }
    /// Whether the last connection has ended.
    var isDraining: Bool { if case .draining = phase { true } else { false } }
    /// Whether the next interrupt ends the run at once, because the run has failed or was interrupted before.
    var isInterruptFinal: Bool {
        switch phase {
        case .running, .draining(wasEnding: false): isHurried
        case .ending, .done, .draining(wasEnding: true): failure != nil
        }
    }
    /// Whether received messages are ignored.
    var ignoresIncoming: Bool { phase == .done }
    /// Whether replies to all messages have met the goal.
    var isReplied: Bool { failure == nil && conditions.areMetByReplies }
    /// Whether this end has started the closing handshake of the open connection.
    var isClosing: Bool { if case .notBegun = closing { false } else { true } }

    // MARK: Transitions

    /// Ends the run as requested.
    mutating func end() {
        if phase == .running { phase = .ending }
    }

    /// Ends the run with a failure. Only the first failure counts.
    /// - Returns: Whether this call starts the hurry, so the caller must set a deadline.
    mutating func end(with failure: Failure?, hurried: Bool) -> Bool {
        // The prompt has already reported the failure of an earlier connection.
        if case .reported? = self.failure, failure != nil { self.failure = nil }
        if self.failure == nil { self.failure = failure }
        end()
        let isFirstHurry = hurried && !isHurried
        if hurried { isHurried = true }
        return isFirstHurry
    }

    /// Checks a received message, or an event of an application protocol, against the goals.
    /// - Parameters:
    ///   - isOmitted: Whether the message was omitted, because it lacks the value to write.
    ///   - isReply: Whether the message may be a reply.
    ///   - isGreeting: Whether the message was sent before the peer had read any.
    /// - Returns: Whether the goal is now met; the run then closes the connection.
    mutating func receive(
        _ text: RawSpan, payload: RawSpan, isOmitted: Bool = false, isReply: Bool = true, isGreeting: Bool = false
    ) -> Bool {
        guard
            conditions.receive(
                text, payload: payload, isOmitted: isOmitted, isReply: isReply, isGreeting: isGreeting)
        else { return false }
        phase = .done
        closing = .begun
        dropCause = nil
        return true
    }

    /// Handles the end of the input, after which `--one` waits only for missing replies.
    /// - Returns: Whether the goal is already met; the caller then ends the run.
    mutating func inputEnded() -> Bool {
        guard conditions.inputEnded(), phase == .running else { return false }
        phase = .done
        return true
    }

    /// Ignores what arrives from now on: the reader of standard output has left, or all steps of a scenario have passed.
    mutating func ignoreIncoming() {
        if !isDraining { phase = .done }
    }

    /// Handles an open connection.
    /// - Returns: Whether to use it. A run that has failed only waits for its end.
    mutating func connectionOpened() -> Bool {
        guard !isEnding || failure == nil else { return false }
        (failure, attemptFailure) = (nil, nil)
        return true
    }

    /// Waits for replies again, because messages are sent again and may get further replies.
    mutating func awaitReplies() {
        if !isClosing { phase = .running }
    }

    /// Handles the end of a connection on which nothing was left to do, so none follows.
    mutating func finishedClosing() {
        closing = .begun
        if case .left? = dropCause { dropCause = nil }
    }

    /// Handles the end of the wait for replies.
    mutating func lingerEnded(_ linger: Linger) {
        failure = conditions.unmetGoal.map { .waitEnded($0, linger) }
    }

    /// Handles the failure of a connection attempt, or the loss of a connection, after which another attempt follows.
    mutating func attemptFailed(_ failure: Failure) {
        attemptFailure = failure
    }

    /// Handles the failure of the last connection attempt.
    mutating func gaveUp(_ failure: Failure) {
        self.failure = failure
    }

    /// The reason to reconnect after a connection has ended, or `nil` if it was the last one.
    func interruption(by end: ConnectionEnd) -> Failure? {
        guard failure == nil, !ignoresIncoming, !isClosing else { return nil }
        return dropCause ?? Failure.interruption(by: end, codes)
    }

    /// Handles the end of the last connection.
    /// - Parameter unacknowledgedCount: The number of messages that the peer may not have read.
    mutating func lastConnectionEnded(_ end: ConnectionEnd, unacknowledgedCount: Int) {
        // Once the goal is met, the end of the connection matters only if the peer delayed it: it may not have read
        // what it was sent.
        guard failure == nil, !ignoresIncoming || end.closingTimedOut else { return }
        if end.closingTimedOut, isReplied, end.unsentBytes == 0, unacknowledgedCount == 0 { return }
        failure = finalFailure(of: end, unacknowledgedCount: unacknowledgedCount)
    }

    /// Handles the end of the prompt's attempts to connect.
    /// - Parameter end: The end of the last connection, or `nil` if there was none.
    mutating func stoppedConnecting(after end: ConnectionEnd?, unacknowledgedCount: Int) {
        guard failure == nil else { return }
        let failure =
            if let end { finalFailure(of: end, unacknowledgedCount: unacknowledgedCount) } else { attemptFailure }
        self.failure = failure.map { .reported($0) }
    }

    private func finalFailure(of end: ConnectionEnd, unacknowledgedCount: Int) -> Failure? {
        if let dropCause { return dropCause }
        let failure = Failure.failure(of: end, closeTimeout: closeTimeout)
        // A peer may drop the connection when asked to close it, but not while messages are unacknowledged.
        guard failure == nil, end.closing.received == nil, unacknowledgedCount > 0 else { return failure }
        return .loss(of: end)
    }

    /// Returns to the prompt without a connection.
    /// - Returns: The failure to report, and the follow-up that the prompt requested.
    mutating func returnToPrompt() -> (failure: Failure?, closing: Closing) {
        defer {
            failure = failure.map { .reported($0) }
            closing = .notBegun
            dropCause = nil
        }
        return (failure, closing)
    }

    /// Decides how the run ends, after its last connection.
    /// - Parameters:
    ///   - requestFailure: The failure caused by requests, or `nil` if there is none.
    ///   - refusal: The failure caused by a refusal of what a line asked for, or `nil`. It replaces timeouts and the loss of
    ///     the connection, because it depends on chance what comes first.
    ///   - missing: The expression of `--ready` that the peer has not matched, or `nil`.
    ///   - isPrompt: Whether a user decides when the run ends.
    ///   - code: The close code of the last connection, or `nil` if there was no connection.
    mutating func drain(
        requestFailure: Failure?, refusal: Failure? = nil, missing: String? = nil, isPrompt: Bool,
        lastCode code: CloseCode?
    ) {
        guard !isDraining else { return }
        let wasEnding = isEnding
        if let refusal, (failure ?? requestFailure)?.report.yieldsToRefusal == true { failure = refusal }
        // The user may leave the prompt at any time.
        if failure == nil, requestFailure == nil, let missing, !ignoresIncoming, !(isPrompt && isClosing) {
            failure = .closedBeforeReady(missing, code)
        } else {
            failure = verdict(on: failure ?? requestFailure, missing: missing, isPrompt: isPrompt, lastCode: code)
        }
        phase = .draining(wasEnding: wasEnding)
    }

    private func verdict(
        on failure: Failure?, missing: String?, isPrompt: Bool, lastCode: CloseCode?
    ) -> Failure? {
        let unmet = conditions.unmetExpectations
        switch failure {
        case nil where !unmet.isEmpty: return .unmet(unmet, after: nil)
        // The goal says more.
        case .unsent(_, let code): if let goal = conditions.unmetGoal { return .closedEarly(goal, code) }
        case .runTimedOut(let limit) where !unmet.isEmpty: return .unmet(unmet, after: limit)
        default: break
        }
        // A reader that closes standard output ends the run before its goal, on purpose.
        guard !ignoresIncoming, var goal = conditions.unmetGoal else {
            return failure ?? conditions.incompleteReplies.map { .incompleteReplies($0) }
        }
        guard let failure else {
            // The user has left the prompt on purpose.
            return isPrompt && isClosing ? nil : .closedEarly(goal, lastCode ?? .noStatus)
        }
        goal.ready = missing
        return failure.report.leavesGoalOpen ? .incomplete(goal, failure) : failure
    }
}
