import Conversation
import Formats
import WSCore

/// Treats messages as requests: holds them back, sends them, matches replies to them, and gives up those without one.
/// The first stage behind the input, for runs with `--request`, `--correlate`, or `--json-rpc`.
final class RequestStage {
    /// What the stage needs of the run.
    protocol Host: AnyObject {
        /// Whether there is an open connection that has room.
        var takesRequests: Bool { get }
        /// Whether replies may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Whether the run is about to end.
        var isEnding: Bool { get }
        /// Sends a message.
        /// - Parameters:
        ///   - isAwaited: Whether a reply to it is awaited.
        ///   - wasSent: Whether it was sent on an earlier connection.
        func send(_ message: Request, isAwaited: Bool, wasSent: Bool)
        /// Called when a request has no reply in time and later replies cannot be matched.
        func requestFailed(_ failure: Failure)
        /// Called at the end of a turn in which replies have made room or may have been the last.
        func requestsMoved()
    }

    private unowned let host: any Host
    private let loop: EventLoop
    private let outputs: ConnectOutputs
    private let replyTimeout: Duration
    private let isPrompt: Bool
    private let failsOnErrorReply: Bool
    private let reportsErrors: Bool
    private var queue: RequestQueue
    /// The error replies to JSON-RPC calls so far.
    private var errorReplyCount = 0
    /// Fires when the oldest request has had its time.
    private var timer: Timer?
    /// Set while there is work to be done at the end of the turn.
    private var isWorkScheduled = false

    /// Makes a stage of a queue.
    init(
        _ queue: RequestQueue, _ settings: ConnectSettings, outputs: ConnectOutputs, on loop: EventLoop, host: any Host
    ) {
        self.queue = queue
        self.host = host
        self.loop = loop
        self.outputs = outputs
        let arguments = settings.arguments
        replyTimeout = arguments.replies.replyTimeout
        isPrompt = settings.isRepl
        failsOnErrorReply = arguments.replies.failsOnErrorReply
        // The prompt shows the whole reply.
        reportsErrors = arguments.replies.calls != nil && !settings.isRepl
    }

    /// The queue of a run, which holds the messages with which every connection begins; nil: messages are no requests.
    ///
    /// Throws ``Failure/badInput(what:why:)`` for a message that is no JSON-RPC call.
    static func queue(_ settings: ConnectSettings) throws(Failure) -> RequestQueue? {
        guard let requests = settings.requests else { return nil }
        var queue = RequestQueue(requests)
        do throws(JSONRPCCallError) {
            for message in settings.messages {
                try queue.add(message.payload.span.bytes, as: message.kind, isInitial: true)
            }
        } catch {
            throw .badInput(what: "message \(queue.messageCount + 1)", why: "\(error)")
        }
        return queue
    }

    /// Whether the source of requests is to pause.
    var isFull: Bool { queue.isFull }
    /// Whether all requests have been sent, and answered or given up.
    var isSettled: Bool { queue.isSettled }
    /// The number of requests that wait to be sent or answered.
    var unansweredCount: Int { queue.unansweredCount }
    /// The number of messages of the input so far.
    var messageCount: Int { queue.messageCount }

    // MARK: Sending

    /// Takes a message of the input and sends it as soon as it may be sent.
    func add(_ payload: RawSpan, as kind: MessageKind) throws(JSONRPCCallError) {
        try queue.add(payload, as: kind)
        sendWaiting()
    }

    /// Sends the messages that may be sent now.
    /// - Parameter isInitial: Whether only those with which every connection begins.
    func sendWaiting(isInitial: Bool = false) {
        guard !host.isEnding else { return }
        while host.takesRequests, let (message, isAwaited, wasSent) = queue.next(at: loop.now, isInitial: isInitial) {
            host.send(message, isAwaited: isAwaited, wasSent: wasSent)
        }
        startTimer()
    }

    /// Goes on with what had to wait, at the end of the turn: a handler of a connection cannot send.
    func scheduleWork() {
        guard !isWorkScheduled else { return }
        isWorkScheduled = true
        loop.atEndOfTurn(self)
    }

    // MARK: Receiving

    /// Matches a received message to its request, and reports JSON-RPC errors.
    func received(_ payload: RawSpan) -> RequestTracker.Finding {
        let finding = queue.received(payload, at: loop.now)
        if reportsErrors { reportErrors(in: payload, finding) }
        if case .reply = finding { scheduleWork() }
        return finding
    }

    /// Reports the errors that a reply to JSON-RPC calls carries.
    private func reportErrors(in payload: RawSpan, _ finding: RequestTracker.Finding) {
        // A reply to somebody else's call has an id that we have not sent.
        for error in JSONRPCError.errors(in: payload) where finding.reply != nil || error.id == "null" {
            errorReplyCount += 1
            outputs.console.error(error.description(asReplyTo: finding.reply?.number))
        }
    }

    // MARK: Time

    /// Restarts the time limit of all requests in flight, because reading was paused.
    func holdExpiry() {
        queue.holdExpiry(at: loop.now)
    }

    private func startTimer() {
        guard timer == nil, let time = queue.nextExpiry() else { return }
        // Pending replies are read before requests are given up.
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
        guard !host.isEnding else { return }
        let expired = queue.expire(at: loop.now)
        if let first = expired.first, queue.goesByOrder, !isPrompt {
            return host.requestFailed(.noReply(to: first.number, after: replyTimeout))
        }
        for request in expired { report(request) }
        if !expired.isEmpty { scheduleWork() }
        startTimer()
    }

    private func report(_ request: RequestTracker.Expired) {
        let name = "request \(request.number)" + (request.id.map { " (id \($0))" } ?? "")
        let words = "\(name): no reply within \(Phrase.duration(replyTimeout))"
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

    /// Takes note of the end of a connection.
    /// - Parameter isRetried: Whether the requests without a reply are sent again on the next one.
    func connectionEnded(isRetried: Bool) {
        timer = nil
        if isRetried { queue.connectionLost() }
    }

    /// Forgets all requests but those with which every connection begins.
    func abandon() {
        queue.abandon()
    }

    /// Goes on with another server.
    func begin(with settings: ConnectSettings) {
        queue.sendsInitial = !settings.messages.isEmpty
        queue.abandon()
        if let requests = settings.requests { queue.settings = requests }
    }

    /// What the requests make the run end with; nil: the run does not fail because of them.
    /// - Parameter countsUnanswered: Whether requests that still wait count.
    func failure(countsUnanswered: Bool) -> Failure? {
        guard !isPrompt else { return nil }
        if queue.unansweredCount > 0, countsUnanswered { return .unanswered(queue.unansweredCount) }
        if queue.expiredCount > 0 { return .lateReplies(queue.expiredCount, after: replyTimeout) }
        guard failsOnErrorReply, errorReplyCount > 0 else { return nil }
        return .errorReplies(errorReplyCount)
    }
}

extension RequestStage: EndOfTurnWork {
    /// Sends what replies have made room for, and has the run wait for its end when all are there.
    func endTurn() {
        isWorkScheduled = false
        sendWaiting()
        host.requestsMoved()
    }
}
