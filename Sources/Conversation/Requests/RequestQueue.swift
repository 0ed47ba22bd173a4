import Formats
import WSCore

/// The requests of a run from the input to the reply. Numbers them, converts them to calls, queues those that have to
/// wait, and tracks those in flight.
///
///     input → add → waiting → next → in flight → received, expire
///                      ▲                 │
///                      └─ connectionLost ┘
package struct RequestQueue {
    /// The settings of a queue.
    package struct Settings: Equatable {
        /// How replies are matched to requests.
        package enum Matching: Equatable {
            /// By their order.
            case order
            /// By an id that a request and its reply have in common.
            case id(Correlation)
            /// By the ids of JSON-RPC calls, to which input lines are converted. `hasVersion`: whether they contain the
            /// JSON-RPC version.
            case calls(hasVersion: Bool = true)
            /// By the keys that an application protocol assigns to requests and replies.
            case keys

            fileprivate var correlation: Correlation? {
                switch self {
                case .id(let correlation): correlation
                case .calls: Correlation("id")
                case .order, .keys: nil
                }
            }
        }

        package var matching: Matching
        /// Whether each request waits for the reply to the previous one.
        package var isSequential: Bool
        /// The time limit for replies.
        package var replyTimeout: Duration
        /// Whether unanswered requests are kept, to send them again on another connection.
        package var keepsRequests: Bool

        package init(
            _ matching: Matching = .order, isSequential: Bool = false, replyTimeout: Duration = .seconds(30),
            keepsRequests: Bool = false
        ) {
            self.matching = matching
            self.isSequential = isSequential
            self.replyTimeout = replyTimeout
            self.keepsRequests = keepsRequests
        }

        /// Whether input lines are converted to JSON-RPC calls.
        package var makesCalls: Bool { if case .calls = matching { true } else { false } }
    }

    /// The maximum number of requests in flight.
    package static let maximumInFlight = 65_536
    /// The size of requests kept for another connection, in bytes, above which further requests wait.
    package static let keptBytesLimit = 16 << 20

    /// The settings. Only the notation of calls depends on the server and may change.
    package var settings: Settings
    private var tracker: RequestTracker
    /// The messages to send; those before ``firstWaiting`` have been sent.
    private var waiting: [Request] = []
    private var firstWaiting = 0
    private var initial: [Request] = []
    /// Whether the next connection begins with the initial messages.
    package var sendsInitial = true
    /// The number of the last new message sent. Messages with lower numbers are sent again after a lost connection.
    private var lastSent = 0
    /// The number of input messages so far.
    package private(set) var messageCount = 0
    /// The total number of requests that have timed out.
    package private(set) var expiredCount = 0
    /// The requests that have been given up, because connections keep ending before their reply.
    package private(set) var kept: [Request] = []
    private var caution = ResendingCaution()
    /// Whether a request that is not initial was answered on this connection.
    private var hasAnswered = false
    /// The earliest time for the first request of this connection.
    private var firstTime = Duration.zero

    /// Creates an empty queue.
    package init(_ settings: Settings) {
        self.settings = settings
        tracker = RequestTracker(
            settings.matching.correlation, usesKeys: settings.matching == .keys, timeout: settings.replyTimeout,
            keepsRequests: settings.keepsRequests)
    }

    /// Whether replies are matched only by their order. Then they can no longer be matched after a timeout.
    package var goesByOrder: Bool { settings.matching == .order }
    /// Whether messages wait to be sent, and their source should pause.
    package var isFull: Bool { firstWaiting < waiting.count }
    /// Whether all messages have been sent, and all requests answered or timed out.
    package var isSettled: Bool { !isFull && tracker.count == 0 }
    /// Whether any message has been sent.
    package var hasSent: Bool { lastSent > 0 }
    /// The number of messages that wait to be sent.
    package var waitingCount: Int { waiting.count - firstWaiting }
    /// The number of messages that wait to be sent or answered.
    package var unansweredCount: Int { waitingCount + tracker.count + kept.count }
    /// The number of messages that were sent and have no reply, including those that were given up.
    package var unconfirmedCount: Int {
        // Messages are sent in the order of their numbers, so those to be sent again are first.
        tracker.count + kept.count + waiting[firstWaiting...].prefix { $0.number <= lastSent }.count
    }

    /// The message that an input message becomes.
    /// - Parameter number: The number of the message, or `nil` if it is the next one.
    /// - Throws: ``JSONRPCCallError`` if the line cannot be converted to a call.
    package func message(for payload: RawSpan, number: Int? = nil) throws(JSONRPCCallError) -> [UInt8] {
        guard case .calls(let hasVersion) = settings.matching, UTF8Validator.isValid(payload) else {
            return payload.withUnsafeBytes { Array($0) }
        }
        return try JSONRPCCall.compose(payload, id: number ?? messageCount + 1, hasVersion: hasVersion)
    }

    /// Finds out why a message that ``message(for:number:)`` has returned must not be sent. Returns `nil` for a request,
    /// and for a JSON-RPC notification.
    package func problem(with message: RawSpan) -> RequestProblem? {
        switch settings.matching {
        case .order, .keys: nil
        case .id(let correlation): .of(message, without: correlation.request)
        case .calls: .ofCall(message)
        }
    }

    /// Appends a message that ``message(for:number:)`` has returned, or one that is not final until it is sent.
    /// - Parameter draftName: The name in error messages of a message that is not final. `nil`: the message is final.
    package mutating func append(
        _ message: [UInt8], as kind: MessageKind, isInitial: Bool = false, draftName: String? = nil
    ) {
        messageCount += 1
        let request = Request(
            number: messageCount, payload: message, kind: kind, isInitial: isInitial, draftName: draftName)
        waiting.append(request)
        if isInitial { initial.append(request) }
    }

    /// The next message that may be sent now, if it is not final. The caller calls ``finish(_:)`` or ``dropDraft()``.
    /// - Parameter isInitial: Whether to consider only initial messages.
    package func nextDraft(at now: Duration, isInitial: Bool = false) -> Request? {
        guard isFull, hasRoom, now >= firstTime else { return nil }
        let message = waiting[firstWaiting]
        return message.draftName != nil && (message.isInitial || !isInitial) ? message : nil
    }

    /// Makes the next message final. From now on, it is the same on every connection.
    package mutating func finish(_ payload: [UInt8]) {
        let draft = waiting[firstWaiting]
        let message = Request(number: draft.number, payload: payload, kind: draft.kind, isInitial: draft.isInitial)
        waiting[firstWaiting] = message
        if let index = initial.firstIndex(where: { $0.number == draft.number }) { initial[index] = message }
    }

    /// Discards the next message, which cannot be made final.
    package mutating func dropDraft() {
        let number = waiting[firstWaiting].number
        initial.removeAll { $0.number == number }
        dropFirstWaiting()
    }

    /// Returns and removes the next message that may be sent now, or `nil` if there is none.
    /// - Parameters:
    ///   - now: The monotonic time.
    ///   - isInitial: Whether to return only initial messages.
    /// - Returns: The message, whether a reply is expected, and whether it was sent before. With keys, ``sent(_:key:at:)``
    ///   tells whether a reply is expected.
    package mutating func next(
        at now: Duration, isInitial: Bool = false
    ) -> (message: Request, isAwaited: Bool, wasSent: Bool)? {
        guard isFull, hasRoom, now >= firstTime else { return nil }
        let message = waiting[firstWaiting]
        guard message.isInitial || !isInitial else { return nil }
        dropFirstWaiting()
        let wasSent = message.number <= lastSent
        lastSent = max(lastSent, message.number)
        return (message, settings.matching == .keys ? false : tracker.sent(message, at: now), wasSent)
    }

    /// Records that a message returned by ``next(at:isInitial:)`` has been sent, and that its reply will have a key.
    package mutating func sent(_ message: Request, key: String, at now: Duration) {
        tracker.sent(message, key: key, at: now)
    }

    /// Matches a received reply by its key.
    package mutating func received(key: String, at now: Duration) -> RequestTracker.Finding {
        note(tracker.received(key: key, at: now))
    }

    /// Matches a received message to a request.
    package mutating func received(_ payload: RawSpan, at now: Duration) -> RequestTracker.Finding {
        // A call by the server may have the id of one of ours. JSON-RPC 2.0 §5: a reply has no method.
        if settings.makesCalls, let message = JSONMembers(payload) {
            if message.has("method") { return .push }
            // §5: the id of an error is null if the server could not read that of the call. Some servers omit it.
            if message.isNull("id"), message.has("id") || message.json("error")?.first == UInt8(ascii: "{"),
                !message.isNull("error")
            {
                return note(tracker.receivedWithoutID(at: now))
            }
        }
        return note(tracker.received(payload, at: now))
    }

    private mutating func note(_ finding: RequestTracker.Finding) -> RequestTracker.Finding {
        guard case .reply(let reply) = finding else { return finding }
        // Each connection begins with the initial messages, so their replies are no progress.
        if !initial.contains(where: { $0.number == reply.number }) {
            hasAnswered = true
            caution.confirmed(1)
        }
        endCaution()
        return finding
    }

    /// Sends requests as usual again if none is left that was sent on a lost connection.
    private mutating func endCaution() {
        guard caution.isCareful, tracker.count == 0, !hasSuspects else { return }
        caution.allConfirmed()
    }

    /// Whether requests wait that were sent on lost connections.
    private var hasSuspects: Bool { isFull && waiting[firstWaiting].number <= lastSent }

    /// When the next request times out, or `nil` if none is in flight.
    package mutating func nextExpiry() -> Duration? {
        tracker.nextExpiry()
    }

    /// Removes the requests that have timed out and returns them.
    package mutating func expire(at now: Duration) -> [RequestTracker.Expired] {
        let expired = tracker.expire(at: now)
        expiredCount += expired.count
        endCaution()
        return expired
    }

    /// Restarts the timeouts of all requests in flight because received messages could not be read until now.
    package mutating func holdExpiry(at now: Duration) {
        tracker.holdExpiry(until: now + settings.replyTimeout)
    }

    /// Discards all messages except the initial ones.
    package mutating func abandon() {
        _ = tracker.takeAll()
        waiting = sendsInitial ? initial : []
        firstWaiting = 0
        kept = []
        caution = ResendingCaution()
    }

    /// Records a new connection. If requests go carefully, the first one waits a little.
    package mutating func connectionOpened(at now: Duration) {
        hasAnswered = false
        firstTime = now + caution.connectionOpened()
    }

    /// When the first request of this connection may be sent, or `nil` if it may be sent now.
    package func nextTime(after now: Duration) -> Duration? { isFull && firstTime > now ? firstTime : nil }

    /// Queues messages for the next connection: first the initial messages, then unanswered requests, then those
    /// already waiting.
    /// - Returns: A request that is given up, because connections keep ending before its reply, or `nil`.
    @discardableResult
    package mutating func connectionLost() -> Request? {
        var unanswered = tracker.takeAll()
        let verdict = caution.connectionEnded(
            firstUnconfirmed: unanswered.first?.payload, hasConfirmed: hasAnswered)
        hasAnswered = false
        if verdict == .giveUp {
            let request = unanswered.removeFirst()
            kept.append(request)
            initial.removeAll { $0.number == request.number }
        }
        let later = unanswered + waiting[firstWaiting...]
        waiting = (sendsInitial ? initial : []) + later.filter { !$0.isInitial }
        firstWaiting = 0
        return verdict == .giveUp ? kept.last : nil
    }

    /// Queues the requests that were given up again.
    package mutating func retryKept() {
        guard !kept.isEmpty else { return }
        let later = Array(waiting[firstWaiting...])
        // They precede messages that were never sent, and are not initial any more.
        waiting = later.filter { $0.number <= lastSent } + kept.map(\.asLine) + later.filter { $0.number > lastSent }
        firstWaiting = 0
        kept = []
        caution.suspectLines()
    }

    /// Forgets the requests that were given up.
    package mutating func dropKept() {
        kept = []
    }

    /// Records that a message has been sent again, and that its reply will have a key.
    package mutating func sentAgain(_ number: Int, _ line: UnconfirmedLines.Line, key: String, at now: Duration) {
        tracker.sent(
            Request(number: number, payload: line.payload, kind: line.kind, isInitial: false), key: key, at: now)
    }

    private var hasRoom: Bool {
        if settings.isSequential { return tracker.count == 0 }
        // New requests wait for the replies to all that are sent again.
        if caution.isCareful { return tracker.count < (hasSuspects ? caution.window : 1) }
        return tracker.count < Self.maximumInFlight && tracker.keptBytes < Self.keptBytesLimit
    }

    private mutating func dropFirstWaiting() {
        firstWaiting += 1
        // Compact only when more than half is unused, so each message moves a bounded number of times.
        guard firstWaiting * 2 > waiting.count else { return }
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
    }
}

/// An input message of a run with requests.
package struct Request: Equatable {
    /// The number of the message, counting all input messages from 1, including those without a reply.
    package let number: Int
    /// The payload to send.
    package let payload: [UInt8]
    /// Text or binary.
    package let kind: MessageKind
    /// Whether each connection begins with it.
    package let isInitial: Bool
    /// The name in error messages if the payload is not final, because its placeholders are replaced when it is sent.
    /// `nil`: the payload is final.
    package var draftName: String?

    /// The request without a place at the beginning of each connection.
    fileprivate var asLine: Request { Request(number: number, payload: payload, kind: kind, isInitial: false) }
}
