import WSCore

/// The application protocol of a pipeline: turns lines into messages, and messages into events.
///
///     closed ─► opening ── ready ──► ready
///                  └── failure, disconnect, close, timeout ──► over
///
/// Without a session, because the protocol has not been detected, messages and lines pass unchanged.
struct ProtocolStage {
    private enum State {
        case closed
        /// The server has to confirm the login by this time, or at any time if `nil`.
        case opening(until: UInt64?)
        case ready
        /// The connection is useless.
        case over(ProtocolProblem, wasReady: Bool)
    }

    private let settings: Pipeline.Application
    private let readinessTimeout: Duration?
    private(set) var descriptor: ApplicationProtocol?
    private(set) var session: (any ProtocolSession)?
    private var state = State.closed
    private var output = ProtocolOutput()
    /// The number of lines that the server had not confirmed when the last connection ended.
    private(set) var lastUnconfirmedCount = 0
    /// Until when a session that takes no more lines has to send or drop some, or `nil` if it takes lines.
    private var fullDeadline: UInt64?
    /// The number of errors that the server has reported: in replies and events, and as refusals of what a line asked for.
    private(set) var errorCounts = (replies: 0, refusals: 0)
    /// When the last line was sent.
    private var lastLineTime: UInt64 = 0
    /// Whether this end has begun the closing handshake, after which nothing is sent.
    var isClosing = false

    init(_ settings: Pipeline.Application, readinessTimeout: Duration?) {
        self.settings = settings
        self.readinessTimeout = readinessTimeout
        if case .session(let descriptor, let session) = settings.choice {
            (self.descriptor, self.session) = (descriptor, session)
        }
    }

    /// Whether lines may be sent.
    var isReady: Bool {
        switch state {
        case .ready: true
        case .closed, .opening: session == nil
        case .over: false
        }
    }

    /// Why the connection is useless, or `nil` if it is not.
    var problem: ProtocolProblem? { if case .over(let problem, _) = state { problem } else { nil } }
    private var isOver: Bool { problem != nil }

    /// What lines wait for.
    var lineCause: ProtocolProblem.UnsentCause {
        switch state {
        case .ready, .over(_, wasReady: true): .subscription
        case .closed, .opening, .over: .login
        }
    }

    /// Whether the server still has to confirm lines, for at most as long as a login may take.
    func awaitsConfirmation(at now: UInt64) -> Bool {
        guard let readinessTimeout, session?.unconfirmedCount ?? 0 > 0 else { return false }
        return now < lastLineTime &+ readinessTimeout.nanoseconds
    }

    // MARK: Connections

    /// Begins a connection, before anything is received on it.
    mutating func opened(_ url: WebSocketURL?, subprotocol: String?, at now: UInt64, _ effects: inout EffectQueue) {
        isClosing = false
        if session == nil, let url { detect(.detected(url: url, subprotocol: subprotocol), &effects) }
        guard session != nil else { return }
        lastUnconfirmedCount = 0
        begin(subprotocol: subprotocol, at: now, &effects)
    }

    private mutating func begin(subprotocol: String?, at now: UInt64, _ effects: inout EffectQueue) {
        state = .opening(until: readinessTimeout.map { now + $0.nanoseconds })
        output.removeAll()
        session?.connectionOpened(subprotocol: subprotocol, at: now, &output)
        takeOutput(at: now, of: nil, &effects)
    }

    private mutating func detect(_ found: ApplicationProtocol?, _ effects: inout EffectQueue) {
        guard let found, case .detect(let makeSession) = settings.choice, let session = makeSession(found) else {
            return
        }
        (descriptor, self.session) = (found, session)
        effects.append(.detected(found.name))
    }

    /// Handles the end of a connection.
    /// - Parameter reconnects: Whether another connection may follow.
    mutating func ended(_ end: ConnectionEnd, reconnects: Bool) -> ProtocolProblem? {
        let problem = problem(of: end, reconnects: reconnects)
        switch state {
        case .ready, .over(_, wasReady: true): lastUnconfirmedCount = session?.unconfirmedCount ?? 0
        case .closed, .opening, .over: break
        }
        state = .closed
        fullDeadline = nil
        return problem
    }

    private func problem(of end: ConnectionEnd, reconnects: Bool) -> ProtocolProblem? {
        guard let session, end.violation == nil, !end.closing.wasStartedHere else { return nil }
        let frame = end.closing.received
        let isNormal = frame.map { $0.code == nil || $0.code == .normalClosure } ?? false
        let meaning = frame?.code.flatMap { session.meaning(of: $0) }
        switch state {
        case .opening: return .ended(frame, meaning: meaning, afterLogin: false)
        case .ready where meaning != nil: return .ended(frame, meaning: meaning, afterLogin: true)
        case .ready where isNormal && reconnects && session.endsWithMessage:
            return .unusable("the server closed it without ending the session")
        // The connection has ended in the turn of the message.
        case .over(let problem, _): return problem.isNormalEnd(reconnects: reconnects) ? nil : problem
        case .ready, .closed: return nil
        }
    }

    // MARK: Lines

    /// Sends a line.
    mutating func submit(
        _ payload: RawSpan, wantsReply: Bool, at now: UInt64, _ effects: inout EffectQueue
    ) throws(ProtocolInputError) -> LineReceipt {
        let text = payload.withUnsafeBytes { Array($0) }
        guard let session else {
            effects.append(.send(text, .text, .line))
            return LineReceipt()
        }
        lastLineTime = now
        let resolved = if descriptor?.readsFiles == true { try settings.resolve(text) } else { text }
        let key: ProtocolEvent.ReplyKey?
        do throws(ProtocolInputError) {
            key = try session.send(resolved.span.bytes, wantsReply: wantsReply, at: now, &output)
        } catch {
            output.removeAll()
            throw error
        }
        if key == nil, wantsReply, settings.awaitsReplies, let reason = descriptor?.missingReplyReason {
            output.removeAll()
            throw ProtocolInputError(reason)
        }
        var heldNumber: Int?
        for case .lineWaits(let number) in output.items { heldNumber = number }
        let receipt = LineReceipt(
            key: key, confirmedBy: session.lastConfirmation(key: key), heldNumber: heldNumber,
            isRenewed: session.renewsLastLine)
        takeOutput(at: now, of: nil, &effects)
        return receipt
    }

    /// Ends the connection if the session stays full for as long as a login may take.
    mutating func lineWaits(at now: UInt64) {
        guard fullDeadline == nil, let readinessTimeout, isReady, session?.isFull == true else { return }
        fullDeadline = now + readinessTimeout.nanoseconds
    }

    // MARK: Messages and time

    /// Handles a received message.
    /// - Returns: Whether it is the protocol's. Otherwise, it passes unchanged.
    mutating func received(
        _ payload: RawSpan, as kind: MessageKind, _ decoding: Decoding?, at now: UInt64, _ effects: inout EffectQueue
    ) -> Bool {
        if session == nil {
            detect(.detected(firstMessage: payload, as: kind), &effects)
            // In the middle of a connection.
            if session != nil { begin(subprotocol: nil, at: now, &effects) }
        }
        guard let session else { return false }
        guard !isOver else { return true }
        session.received(payload, as: kind, at: now, &output)
        takeOutput(at: now, of: payload, &effects, as: kind, decoding)
        return true
    }

    var deadline: UInt64? {
        switch state {
        case .closed, .over: nil
        case .opening(let time): earliest(earliest(time, session?.deadline), fullDeadline)
        case .ready: earliest(session?.deadline, fullDeadline)
        }
    }

    mutating func timePassed(at now: UInt64, unsentLines: ProtocolProblem?, _ effects: inout EffectQueue) {
        guard !isOver else { return }
        if let session, let deadline = session.deadline, deadline <= now {
            session.timePassed(at: now, &output)
            takeOutput(at: now, of: nil, &effects)
        }
        if case .opening(let time?) = state, time <= now, let readinessTimeout {
            fail(.notReady(after: readinessTimeout), &effects)
        } else if let time = fullDeadline, time <= now, let unsentLines, !isOver {
            fail(unsentLines, &effects)
        }
    }

    // MARK: Output

    /// Appends what the session has requested to the effects.
    /// - Parameter payload: The received message that is the cause, or `nil` if there is none.
    private mutating func takeOutput(
        at now: UInt64, of payload: RawSpan?, _ effects: inout EffectQueue, as kind: MessageKind = .text,
        _ decoding: Decoding? = nil
    ) {
        var isUnknown = false
        for item in output.items {
            if isOver { break }
            switch item {
            case .send(let payload, let kind): effects.append(.send(payload, kind, .application))
            case .event(let event):
                if event.isRefusal { errorCounts.refusals += 1 } else if event.role.isError { errorCounts.replies += 1 }
                effects.append(.event(event))
            case .unknown(let reason):
                // A message with several such parts is shown once, with the first reason.
                guard !isUnknown, let payload else { continue }
                isUnknown = true
                effects.append(
                    .notUnderstood(payload.withUnsafeBytes { Array($0) }, kind, decoding, reason: reason))
            case .ready:
                guard case .opening = state else { continue }
                state = .ready
                effects.append(.ready)
            case .failure(let words, let isAboutLogin):
                fail(.refused(words, afterLogin: isReady, isAboutLogin: isAboutLogin), &effects)
            case .disconnect(let words): fail(.unusable(words), &effects)
            case .lineRefused(let words): fail(.refusedLine(words), &effects)
            case .close(let code, let message):
                fail(.ended(CloseFrame(code: code), meaning: message, afterLogin: isReady), &effects)
            // The closing connection discards its messages, so the line still counts as waiting.
            case .lineSent where isClosing: break
            case .lineSent(let number):
                fullDeadline = nil
                effects.append(.lineSent(number))
            case .linesDropped(let numbers):
                fullDeadline = nil
                effects.append(.linesDropped(numbers))
            case .renewed(let topic): effects.append(.renewed(topic))
            case .lineWaits: break
            }
        }
        output.removeAll()
    }

    private mutating func fail(_ problem: ProtocolProblem, _ effects: inout EffectQueue) {
        state = .over(problem, wasReady: isReady)
        effects.append(.failed(problem))
    }
}

/// The earlier of two times, of which each may not exist.
package func earliest(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}
