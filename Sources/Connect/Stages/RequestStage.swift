import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// Handles messages as requests: queues and sends them, matches replies, and times out requests without a reply. This
/// is the first stage after the input, for runs with `--request`, `--correlate`, or `--json-rpc`, or `--protocol` at
/// the prompt or with `--request` or `--one`.
final class RequestStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Whether a connection is open and has room in its send queue.
        /// - Parameter isInitial: Whether the request begins the connection, so that no line precedes it.
        func takesRequests(isInitial: Bool) -> Bool
        /// Whether replies may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Whether the run is ending.
        var isEnding: Bool { get }
        /// Sends a message.
        /// - Parameters:
        ///   - isAwaited: Whether the stage expects a reply.
        ///   - wasSent: Whether the message was already sent on an earlier connection.
        /// - Returns: The key of the reply in an application protocol, or `nil` if there is none.
        func send(_ message: Request, isAwaited: Bool, wasSent: Bool) -> String?
        /// Called before requests time out, to pass on messages that may be replies.
        func requestsWillExpire()
        /// Called for a message that turns out not to be sendable when it is its turn.
        /// - Parameter name: The name of the message in errors.
        func lineInvalid(_ problem: InputProblem, named name: String)
        /// Called when a request times out and later replies can no longer be matched.
        func requestFailed(_ failure: Failure)
        /// Called at the end of a turn in which replies made room or may have been the last.
        func requestsMoved()
    }

    /// Where requests come from.
    private enum Source {
        case input
        case prompt
        /// The prompt. Lines are requests only because replies are matched to them, and may remain unanswered.
        case promptWithoutRequests
    }

    private unowned let host: any Host
    private let loop: EventLoop
    private let outputs: ConnectOutputs
    private let source: Source
    private let replies: ReplyArguments
    private let isOne: Bool
    /// Replaces the placeholders of a message when it is sent, or `nil` without `--template`.
    private let templates: TemplateStage?
    private(set) var queue: RequestQueue
    /// The number of error replies to JSON-RPC calls so far.
    private var errorReplyCount = 0
    /// Fires when the oldest request times out.
    private var timer: Timer?
    /// Sends the first request of a connection that ended too often.
    private lazy var delayTimer = Timer(on: loop) { [unowned self] in endTurn() }
    /// Whether work is scheduled for the end of the turn.
    private var isWorkScheduled = false

    /// Creates a stage for a queue.
    init(
        _ queue: RequestQueue, _ settings: ConnectSettings, templates: TemplateStage? = nil, outputs: ConnectOutputs,
        on loop: EventLoop, host: any Host
    ) {
        self.queue = queue
        self.templates = templates
        self.host = host
        self.loop = loop
        self.outputs = outputs
        replies = settings.arguments.replies
        source = !settings.isRepl ? .input : replies.hasRequests ? .prompt : .promptWithoutRequests
        isOne = settings.arguments.ending.isOne
    }

    /// Creates the queue of a run, with the initial messages of each connection. Returns `nil` if messages are not
    /// requests.
    ///
    /// - Throws: ``Failure/badInput(what:why:)`` for a message that is not a request, or that cannot be encoded.
    static func queue(_ settings: ConnectSettings, _ encoder: MessageEncoder?) throws(Failure) -> RequestQueue? {
        guard let requests = settings.requests else { return nil }
        var queue = RequestQueue(requests)
        for message in settings.messages {
            let name = "message \(queue.messageCount + 1)"
            let isTemplate = settings.arguments.data.usesTemplates && message.kind == .text
            do throws(InputProblem) {
                var payload = message.payload
                if !isTemplate || !TemplateStage.mayHavePlaceholders(payload) {
                    payload = try final(payload.span.bytes, as: message.kind, in: queue, encoder)
                }
                queue.append(
                    isTemplate ? message.payload : payload, as: message.kind, isInitial: true,
                    draftName: isTemplate ? name : nil)
            } catch {
                throw encoder?.programFailure ?? .badInput(what: name, why: "\(error)")
            }
        }
        return queue
    }

    /// The message to send. A call is encoded only here, because other messages have been checked as they were typed.
    /// - Parameter number: The number of the message, or `nil` if it is the next one.
    private static func final(
        _ payload: RawSpan, as kind: MessageKind, number: Int? = nil, in queue: RequestQueue, _ encoder: MessageEncoder?
    ) throws(InputProblem) -> [UInt8] {
        let message: [UInt8]
        do throws(JSONRPCCallError) {
            message = try queue.message(for: payload, number: number)
        } catch {
            throw .notACall(error)
        }
        if let problem = queue.problem(with: message.span.bytes) { throw .notARequest(problem) }
        if queue.settings.makesCalls, let problem = encoder?.encodingProblem(with: message.span.bytes, as: kind) {
            throw .notEncodable(problem)
        }
        return message
    }

    /// Whether requests may remain unanswered.
    var isImplicit: Bool { source == .promptWithoutRequests }
    /// The number of requests that wait to be sent or answered.
    var unansweredCount: Int { isImplicit ? queue.waitingCount : queue.unansweredCount }
    /// The number of messages that were sent and need a reply that is missing.
    var unconfirmedCount: Int { isImplicit ? 0 : queue.unconfirmedCount }

    // MARK: Sending

    /// Queues an input message and sends it as soon as possible.
    func add(_ payload: RawSpan, as kind: MessageKind) throws(InputProblem) {
        queue.append(try Self.final(payload, as: kind, in: queue, outputs.encoder), as: kind)
        sendWaiting()
    }

    /// Queues a text message whose placeholders are replaced when it is sent, because they may insert values of replies
    /// that have not arrived yet.
    /// - Parameter name: The name of the message in errors.
    /// - Throws: ``InputProblem/notATemplate(_:)`` if its placeholders are invalid.
    func add(template: RawSpan, named name: String) throws(InputProblem) {
        if let problem = templates?.problem(in: template) { throw .notATemplate(problem) }
        queue.append(template.withUnsafeBytes { Array($0) }, as: .text, draftName: name)
        sendWaiting()
    }

    /// Replaces the placeholders of the next message, if it has any.
    /// - Returns: Whether the message can be sent. Otherwise it has been discarded.
    private func finishNext(isInitial: Bool) -> Bool {
        guard let draft = queue.nextDraft(at: loop.now, isInitial: isInitial), let name = draft.draftName, let templates
        else {
            return true
        }
        do throws(InputProblem) {
            let payload: [UInt8]
            switch templates.result(draft.payload.span.bytes) {
            case .success(let message): payload = message
            case .failure(let problem): throw .notATemplate(problem)
            }
            if let problem = outputs.encoder?.problem(with: payload.span.bytes, as: draft.kind) {
                throw .notEncodable(problem)
            }
            queue.finish(
                try Self.final(
                    payload.span.bytes, as: draft.kind, number: draft.number, in: queue, outputs.encoder))
            return true
        } catch {
            queue.dropDraft()
            host.lineInvalid(error, named: name)
            return false
        }
    }

    /// Sends the messages that may be sent now.
    /// - Parameter isInitial: Whether to send only the initial messages of the connection.
    func sendWaiting(isInitial: Bool = false) {
        guard !host.isEnding else { return }
        while host.takesRequests(isInitial: isInitial) {
            guard finishNext(isInitial: isInitial) else {
                if host.isEnding { return }
                continue
            }
            guard let (message, isAwaited, wasSent) = queue.next(at: loop.now, isInitial: isInitial) else { break }
            let key = host.send(message, isAwaited: isAwaited, wasSent: wasSent)
            if let key { queue.sent(message, key: key, at: loop.now) }
        }
        startTimer()
        if let time = queue.nextTime(after: loop.now) { delayTimer.start(after: time - loop.now) }
    }

    /// Records that a line was sent again, which is the request with this number.
    func sentAgain(_ line: UnconfirmedLines.Line, _ number: Int, key: String) {
        queue.sentAgain(number, line, key: key, at: loop.now)
        startTimer()
    }

    /// Schedules queued work for the end of the turn, after the messages of the same read: they answer nothing that is
    /// sent now.
    func scheduleWork() {
        guard !isWorkScheduled else { return }
        isWorkScheduled = true
        loop.atEndOfTurn(self)
    }

    // MARK: Receiving

    /// Matches a received message to its request and reports JSON-RPC errors.
    /// - Parameter time: When it arrived, or `nil` for now.
    func received(_ payload: RawSpan, at time: Duration? = nil) -> RequestTracker.Finding {
        let finding = queue.received(payload, at: time ?? loop.now)
        // The prompt shows replies in full, so errors need no extra line.
        if replies.calls != nil, source == .input { reportErrors(in: payload, finding) }
        if case .reply = finding { scheduleWork() }
        return finding
    }

    /// Matches a reply of an application protocol to its request.
    func received(key: String) -> RequestTracker.Finding {
        let finding = queue.received(key: key, at: loop.now)
        if case .reply = finding { scheduleWork() }
        return finding
    }

    /// Reports the JSON-RPC errors in a reply.
    private func reportErrors(in payload: RawSpan, _ finding: RequestTracker.Finding) {
        // An unknown id belongs to another client's call; `null` may belong to ours.
        for error in JSONRPCError.errors(in: payload) where finding.reply != nil || error.id == "null" {
            errorReplyCount += 1
            outputs.console.error(
                error.description(asReplyTo: finding.reply?.number, masking: { outputs.console.secrets.masking($0) }))
        }
    }

    // MARK: Time

    /// Restarts the timeouts of all requests in flight because reading was paused.
    func holdExpiry() {
        queue.holdExpiry(at: loop.now)
    }

    private func startTimer() {
        guard timer == nil, let time = queue.nextExpiry() else { return }
        // Read pending replies before requests time out.
        startTimer(after: max(.zero, time - loop.now)) { [unowned self] in
            startTimer(after: .milliseconds(1)) { [unowned self] in expire() }
        }
    }

    private func startTimer(after delay: Duration, action: @escaping () -> Void) {
        let timer = Timer(on: loop, action: action)
        self.timer = timer
        timer.start(after: delay)
    }

    private func expire() {
        timer = nil
        if host.isReadingPaused { holdExpiry() }
        host.requestsWillExpire()
        guard !host.isEnding else { return }
        let expired = queue.expire(at: loop.now)
        if let first = expired.first, queue.goesByOrder, source == .input {
            return host.requestFailed(.noReply(to: first.number, after: replies.replyTimeout))
        }
        if !isImplicit { for request in expired { report(request) } }
        if !expired.isEmpty { scheduleWork() }
        startTimer()
    }

    private func report(_ request: RequestTracker.Expired) {
        let name = "request \(request.number)" + (request.id.map { " (id \($0))" } ?? "")
        let words = "\(name): no reply within \(Phrase.duration(replies.replyTimeout))"
        outputs.console.error(words)
        outputs.writeEvent { events in
            events.write("error") { event in
                event.add("kind", "timeout" as StaticString)
                event.add("message", words)
                event.add("request", request.number)
            }
        }
    }

    // MARK: Connections

    /// Handles a connection on which messages may be sent.
    func connectionOpened() {
        queue.connectionOpened(at: loop.now)
    }

    /// Handles the end of a connection.
    /// - Parameter isRetried: Whether unanswered requests are sent again on the next connection.
    /// - Returns: A request that is given up, because connections keep ending before its reply, or `nil`.
    @discardableResult
    func connectionEnded(isRetried: Bool) -> Request? {
        timer = nil
        delayTimer.stop()
        return isRetried ? queue.connectionLost() : nil
    }

    /// Sends the requests that were given up again.
    func retryKept() {
        queue.retryKept()
        scheduleWork()
    }

    /// Forgets the requests that were given up.
    func dropKept() {
        queue.dropKept()
    }

    /// Discards all requests except the initial ones.
    func abandon() {
        queue.abandon()
    }

    /// Continues with another server.
    func begin(with settings: ConnectSettings) {
        queue.sendsInitial = !settings.messages.isEmpty
        queue.abandon()
        if let requests = settings.requests { queue.settings = requests }
    }

    /// The failure caused by requests, or `nil` if there is none.
    /// - Parameters:
    ///   - countsUnanswered: Whether unanswered requests count as a failure.
    ///   - code: The close code of the last connection.
    func failure(countsUnanswered: Bool, lastCode code: CloseCode?) -> Failure? {
        guard source == .input else { return nil }
        if queue.unansweredCount > 0, countsUnanswered {
            guard isOne else { return .unanswered(queue.unansweredCount) }
            let goal = UnmetGoal(
                receivedCount: queue.messageCount - queue.unansweredCount, count: queue.messageCount, until: [],
                countsReplies: true)
            return .closedEarly(goal, code ?? .noStatus)
        }
        if queue.expiredCount > 0 { return .lateReplies(queue.expiredCount, after: replies.replyTimeout) }
        guard replies.failsOnErrorReply, errorReplyCount > 0 else { return nil }
        return .errorReplies(errorReplyCount)
    }
}

extension RequestStage: EndOfTurnWork {
    /// Sends waiting requests and reports progress to the run.
    func endTurn() {
        isWorkScheduled = false
        sendWaiting()
        host.requestsMoved()
    }
}
