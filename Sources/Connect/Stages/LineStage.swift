import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The lines of a run: sends them or lets them wait in its ``LineQueue``, which gets the time and the settings from here,
/// and reports what becomes of requests.
final class LineStage {
    /// The wait for the pong that confirms the last messages before the connection is closed.
    private enum ClosingWait {
        case none
        case running(Timer)
        /// The wait has ended, or is skipped because the run is in a hurry.
        case over
    }

    /// What lines of the input are before they are sent.
    enum InputForm {
        case message
        case template
        /// A piece that becomes a message of this kind, with `--wrap` around it.
        case piece(MessageKind)
    }

    /// Set before the first call.
    unowned var run: ConnectRun!
    var queue: LineQueue
    let loop: EventLoop
    let outputs: ConnectOutputs
    private let replies: ReplyArguments
    private let ending: EndingArguments
    /// Whether replies are matched to lines.
    let areRequests: Bool
    /// Whether lines are kept until they are confirmed, to send them again on another connection.
    let keepsLines: Bool
    let inputForm: InputForm
    /// The schedule of the lines, or `nil` without `--every`.
    let pacer: InputPacer?
    /// The time limit for the confirmation of the last messages.
    private let confirmationTimeout: Duration
    /// The number of error replies to JSON-RPC calls so far.
    private var errorReplyCount = 0
    /// Fires when the oldest request times out.
    private var expiryTimer: Timer?
    /// Sends the next ping or line.
    private lazy var timer = Timer(on: loop) { [unowned self] in
        confirmInTime()
        if queue.isCareful { linesMoved() }
    }
    /// Sends the next line that waits for its time.
    private(set) lazy var paceTimer = Timer(on: loop) { [unowned self] in linesMoved() }
    private var closingWait = ClosingWait.none
    /// Whether work is scheduled for the end of the turn.
    private var isWorkScheduled = false

    /// Creates the stage of a run.
    init(_ queue: consuming LineQueue, _ settings: ConnectSettings, outputs: ConnectOutputs, on loop: EventLoop) {
        self.queue = queue
        self.loop = loop
        self.outputs = outputs
        replies = settings.arguments.replies
        ending = settings.arguments.ending
        areRequests = settings.lines.areRequests
        keepsLines = settings.lines.keepsLines
        inputForm =
            settings.wrapKind.map { .piece($0) } ?? (settings.arguments.data.usesTemplates ? .template : .message)
        pacer = settings.arguments.messages.input.interval.map { InputPacer(every: $0) }
        confirmationTimeout = settings.arguments.client.limits.closeTimeout
    }

    /// The messages of the command line.
    /// - Throws: ``Failure/badInput(what:why:)`` for a message that is not a request, or that cannot be encoded.
    static func operands(_ settings: ConnectSettings, _ stages: OptionalStages) throws(Failure) -> [Line] {
        var operands: [Line] = []
        for message in settings.messages {
            let number = operands.count + 1
            let name = "message \(number)"
            let isTemplate = message.isPiece || settings.arguments.data.usesTemplates && message.kind == .text
            do throws(InputProblem) {
                var payload = message.payload
                if !isTemplate || !message.isPiece && !TemplateStage.mayHavePlaceholders(payload) {
                    payload = try final(
                        payload.span.bytes, as: message.kind, number: number, settings.lines, stages.encoder)
                }
                operands.append(
                    Line(
                        isTemplate ? message.payload : payload, as: message.kind, number: number, from: .operand,
                        draft: !isTemplate ? nil : message.isPiece ? .piece(name) : .template(name)))
            } catch {
                throw stages.encodingProgram?.failure ?? .badInput(what: name, why: "\(error)")
            }
        }
        return operands
    }

    /// The message to send. A call is encoded only here, because other messages have been checked as they were typed.
    private static func final(
        _ payload: RawSpan, as kind: MessageKind, number: Int, _ settings: LineQueue.Settings,
        _ encoder: TextEncoder?
    ) throws(InputProblem) -> [UInt8] {
        let message: [UInt8]
        do throws(JSONRPCCallError) {
            message = try settings.message(for: payload, number: number)
        } catch {
            throw .notACall(error)
        }
        if let problem = settings.problem(with: message.span.bytes) { throw .notARequest(problem) }
        if settings.makesCalls, let problem = encoder?.problem(with: message.span.bytes, as: kind) {
            throw .notEncodable(problem)
        }
        return message
    }

    /// Whether a user types the lines.
    private var hasPrompt: Bool { run.settings.hasPrompt }

    // MARK: Requests

    /// The next request, made from a line.
    func request(_ payload: RawSpan, as kind: MessageKind) throws(InputProblem) -> Line {
        let number = queue.messageCount + 1
        return queue.request(
            try Self.final(payload, as: kind, number: number, queue.settings, outputs.encoder), as: kind)
    }

    /// Makes the message of a line with placeholders, or with `--wrap` around it.
    func finished(_ draft: Line, with templates: TemplateStage) throws(InputProblem) -> Line {
        let payload: [UInt8]
        let wraps = if case .piece = draft.draft { true } else { false }
        switch templates.result(draft.payload.span.bytes, wraps: wraps) {
        case .success(let message): payload = message
        case .failure(let problem): throw .notATemplate(problem)
        }
        if !queue.settings.makesCalls, let problem = outputs.encoder?.problem(with: payload.span.bytes, as: draft.kind)
        {
            throw .notEncodable(problem)
        }
        return draft.finished(
            try Self.final(
                payload.span.bytes, as: draft.kind, number: draft.number, queue.settings, outputs.encoder))
    }

    /// Matches a received message to its request and reports JSON-RPC errors.
    /// - Parameter time: When it arrived, or `nil` for now.
    func received(_ payload: RawSpan, at time: Duration? = nil) -> LineQueue.Finding {
        let finding = queue.received(payload, at: time ?? loop.now)
        // The prompt shows replies in full, so errors need no extra line.
        if replies.calls != nil, !hasPrompt { reportErrors(in: payload, finding) }
        if case .reply = finding { scheduleWork() }
        return finding
    }

    /// Matches a reply of an application protocol to its request.
    func received(key: String) -> LineQueue.Finding {
        let finding = queue.received(key: key, at: loop.now)
        if case .reply = finding { scheduleWork() }
        return finding
    }

    /// Reports the JSON-RPC errors in a reply.
    private func reportErrors(in payload: RawSpan, _ finding: LineQueue.Finding) {
        // An unknown id belongs to another client's call; `null` may belong to ours.
        for error in JSONRPCError.errors(in: payload) where finding.reply != nil || error.id == "null" {
            errorReplyCount += 1
            outputs.diagnostics.error(
                error.description(
                    asReplyTo: finding.reply?.number, masking: { outputs.diagnostics.secrets.masking($0) }))
        }
    }

    /// Starts the timer for the oldest request, if none runs.
    func limitReplyTime() {
        guard expiryTimer == nil, let time = queue.nextExpiry() else { return }
        // Read pending replies before requests time out.
        startExpiryTimer(after: max(.zero, time - loop.now)) { [unowned self] in
            startExpiryTimer(after: .milliseconds(1)) { [unowned self] in expire() }
        }
    }

    private func startExpiryTimer(after delay: Duration, action: @escaping () -> Void) {
        let timer = Timer(on: loop, action: action)
        expiryTimer = timer
        timer.start(after: delay)
    }

    private func expire() {
        expiryTimer = nil
        if run.isReadingPaused { queue.holdExpiry(at: loop.now) }
        run.delivery.takeHeldAsReplies()
        guard !run.state.isEnding else { return }
        let expired = queue.expire(at: loop.now)
        if let first = expired.first, queue.settings.matching == .order, !hasPrompt {
            return run.end(with: .noReply(to: first.number, after: replies.replyTimeout))
        }
        if queue.settings.needsReplies { for request in expired { report(request) } }
        if !expired.isEmpty { scheduleWork() }
        limitReplyTime()
    }

    private func report(_ request: LineQueue.Expired) {
        let name = "request \(request.number)" + (request.id.map { " (id \($0))" } ?? "")
        let words = "\(name): no reply within \(Phrase.duration(replies.replyTimeout))"
        outputs.diagnostics.error(words)
        outputs.writeEvent { events in
            events.write("error") { event in
                event.add("kind", "timeout" as StaticString)
                event.add("message", words)
                event.add("request", request.number)
            }
        }
    }

    /// The failure caused by requests, or `nil` if there is none.
    /// - Parameters:
    ///   - countsUnanswered: Whether unanswered requests count as a failure.
    ///   - code: The close code of the last connection.
    func failure(countsUnanswered: Bool, lastCode code: CloseCode?) -> Failure? {
        guard areRequests, !hasPrompt else { return nil }
        let count = queue.unansweredCount
        if count > 0, countsUnanswered {
            guard ending.isOne else { return .unanswered(count) }
            let goal = UnmetGoal(
                receivedCount: queue.messageCount - count, count: queue.messageCount, until: [], countsReplies: true)
            return .closedEarly(goal, code ?? .noStatus)
        }
        if queue.expiredCount > 0 { return .lateReplies(queue.expiredCount, after: replies.replyTimeout) }
        guard replies.failsOnErrorReply, errorReplyCount > 0 else { return nil }
        return .errorReplies(errorReplyCount)
    }

    // MARK: Confirming

    /// Handles the end of the input.
    func inputEnded() {
        queue.inputEnded()
        confirmInTime()
    }

    /// Sends the confirming ping now, or schedules it or the next line.
    func confirmInTime() {
        guard keepsLines else { return }
        let now = loop.turnTime
        if queue.needsPing(at: now) { run.sendHidden(ping: queue.makePing()) }
        if let time = queue.nextDueTime(after: now) { timer.start(after: time - now) }
    }

    /// Processes a pong.
    /// - Returns: Whether the pong answers one of these pings, and whether it ends the wait before the closing handshake.
    func pongReceived(_ payload: RawSpan) -> (isConfirmation: Bool, endsWait: Bool) {
        guard keepsLines, queue.pongReceived(payload) else { return (false, false) }
        scheduleWork()
        guard case .running = closingWait, queue.isRead else { return (true, false) }
        closingWait = .over
        return (true, true)
    }

    /// Processes a reply or an acknowledgement of the application protocol.
    func acknowledged(_ key: String) {
        if keepsLines, queue.acknowledged(key) { scheduleWork() }
    }

    /// Schedules queued work for the end of the turn, after the messages of the same read: they answer nothing that is
    /// sent now.
    func scheduleWork() {
        guard !isWorkScheduled else { return }
        isWorkScheduled = true
        loop.atEndOfTurn(self)
    }

    /// Whether the closing handshake has to wait until the peer has confirmed the last messages. The first call asks
    /// for the confirmation. The peer has the close timeout to send it.
    func delaysClosing() -> Bool {
        switch closingWait {
        case .running: return true
        case .over: return false
        case .none: break
        }
        // Messages that still wait will not be sent.
        guard !queue.isRead else { return false }
        inputEnded()
        let timer = Timer(on: loop) { [unowned self] in closingWaitEnded() }
        timer.start(after: confirmationTimeout)
        closingWait = .running(timer)
        return true
    }

    /// Ends the wait before the closing handshake.
    func hurry() {
        closingWait = .over
    }

    /// Ends the wait without a pong, unless reading is paused and the pong may already have arrived.
    private func closingWaitEnded() {
        if case .running(let timer) = closingWait, run.isReadingPaused {
            return timer.start(after: confirmationTimeout)
        }
        closingWait = .over
        run.close(with: run.closeFrame)
    }

    // MARK: Connections

    /// Handles the end of a connection. The parameters are those of ``LineQueue``.
    /// - Returns: A line that is given up, or `nil`, and whether the peer confirmed lines.
    func connectionEnded(
        _ end: ConnectionEnd, isInterruption: Bool, keepsHeld: Bool, waitingFor cause: ProtocolProblem.UnsentCause
    ) -> (givenUp: Line?, hasConfirmed: Bool) {
        timer.stop()
        expiryTimer = nil
        if Self.isAnswer(end.closing) { queue.closeConfirmed() }
        let hasConfirmed = queue.hasConfirmed
        let givenUp = queue.connectionEnded(
            isInterruption: isInterruption, keepsHeld: keepsHeld, waitingFor: cause)
        return (givenUp, hasConfirmed)
    }

    /// Prepares for another connection.
    func connectionFollows() {
        closingWait = .none
    }

    /// Sends the lines that were given up again.
    func retryKept() {
        queue.retryKept(at: loop.turnTime)
        scheduleWork()
    }

    /// Whether the peer has answered our close frame, and therefore has read everything before it. A close frame with
    /// another code may have crossed ours. Without a code or with 1000, the peer has finished in any case.
    private static func isAnswer(_ closing: ClosingHandshake) -> Bool {
        guard closing.wasStartedHere, let received = closing.received else { return false }
        return received.code == nil || received.code == .normalClosure || received.code == closing.sent?.code
    }
}

extension LineStage: EndOfTurnWork {
    /// Sends the next lines.
    func endTurn() {
        isWorkScheduled = false
        linesMoved()
    }
}
