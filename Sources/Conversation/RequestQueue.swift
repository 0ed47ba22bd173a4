import Formats
import WSCore

/// The requests of a run, from the input to the reply: numbers them, makes calls of them, holds back those that have to
/// wait, and knows which are in flight.
///
///     input → add → waiting → next → in flight → received, expire
///                      ▲                 │
///                      └─ connectionLost ┘
public struct RequestQueue {
    /// What the arguments ask for.
    public struct Settings: Equatable {
        /// Where requests and replies have the same value; nil: replies come in order.
        public var field: JSONField?
        /// Whether a request waits for the reply to the one before.
        public var isSequential: Bool
        /// Whether the input is lines of which JSON-RPC calls are made.
        public var makesCalls: Bool
        /// Whether these say which version of JSON-RPC they are.
        public var callsHaveVersion: Bool
        /// How long a reply may take.
        public var replyTimeout: Duration
        /// Whether another connection may follow, on which requests are sent again.
        public var keepsRequests: Bool

        /// Makes settings; by default replies come in order and within 30 s.
        public init(
            field: JSONField? = nil, isSequential: Bool = false, makesCalls: Bool = false,
            callsHaveVersion: Bool = true, replyTimeout: Duration = .seconds(30), keepsRequests: Bool = false
        ) {
            self.field = field
            self.isSequential = isSequential
            self.makesCalls = makesCalls
            self.callsHaveVersion = callsHaveVersion
            self.replyTimeout = replyTimeout
            self.keepsRequests = keepsRequests
        }
    }

    /// With so many replies awaited, further requests wait.
    public static let maximumInFlight = 65_536
    /// With so many bytes of requests kept for another connection, further ones wait.
    public static let keptBytesLimit = 16 << 20

    /// What is asked for. How calls are written depends on the server; the rest is the same for any.
    public var settings: Settings
    private var tracker: RequestTracker
    /// What is to be sent, from ``firstWaiting`` on.
    private var waiting: [Request] = []
    private var firstWaiting = 0
    private var initial: [Request] = []
    /// Whether the next connection begins with the initial messages.
    public var sendsInitial = true
    /// The number of the last message that was sent; those that lost connections have sent again have lower ones.
    private var lastSent = 0
    /// How many messages of the input there were.
    public private(set) var messageCount = 0
    /// How many were given up in all.
    public private(set) var expiredCount = 0

    /// Makes a queue without requests.
    public init(_ settings: Settings) {
        self.settings = settings
        tracker = RequestTracker(
            field: settings.field, timeout: settings.replyTimeout, keepsRequests: settings.keepsRequests)
    }

    /// Whether replies are told by their order alone, so that after a request that was given up they cannot be told.
    public var goesByOrder: Bool { settings.field == nil }
    /// Whether messages wait to be sent: the source of more is to pause.
    public var isFull: Bool { firstWaiting < waiting.count }
    /// Whether everything has been sent, and answered or given up.
    public var isSettled: Bool { !isFull && tracker.count == 0 }
    /// How many messages wait to be sent or answered.
    public var unansweredCount: Int { waiting.count - firstWaiting + tracker.count }

    /// Takes a message of the input.
    /// - Parameter isInitial: Whether every connection begins with it.
    public mutating func add(
        _ payload: RawSpan, as kind: MessageKind, isInitial: Bool = false
    ) throws(JSONRPCCallError) {
        let number = messageCount + 1
        let composed =
            settings.makesCalls && UTF8Validator.isValid(payload)
            ? try JSONRPCCall.compose(payload, id: number, hasVersion: settings.callsHaveVersion)
            : payload.withUnsafeBytes { Array($0) }
        messageCount = number
        let request = Request(number: number, payload: composed, kind: kind, isInitial: isInitial)
        waiting.append(request)
        if isInitial { initial.append(request) }
    }

    /// Takes the next message that may be sent now.
    /// - Parameters:
    ///   - now: The monotonic time.
    ///   - isInitial: Whether only one will do with which every connection begins.
    /// - Returns: The message, whether a reply to it is awaited, and whether it was sent before.
    public mutating func next(
        at now: Duration, isInitial: Bool = false
    ) -> (message: Request, isAwaited: Bool, wasSent: Bool)? {
        guard isFull, hasRoom else { return nil }
        let message = waiting[firstWaiting]
        guard message.isInitial || !isInitial else { return nil }
        dropFirstWaiting()
        let wasSent = message.number <= lastSent
        lastSent = max(lastSent, message.number)
        return (message, tracker.sent(message, at: now), wasSent)
    }

    /// Takes a received message.
    public mutating func received(_ payload: RawSpan, at now: Duration) -> RequestTracker.Finding {
        tracker.received(payload, at: now)
    }

    /// When the next request is to be given up; nil: none is in flight.
    public mutating func nextExpiry() -> Duration? {
        tracker.nextExpiry()
    }

    /// Gives up the requests whose time is over, and returns them.
    public mutating func expire(at now: Duration) -> [RequestTracker.Expired] {
        let expired = tracker.expire(at: now)
        expiredCount += expired.count
        return expired
    }

    /// Gives all in flight the whole time anew: what has come could not be read until now.
    public mutating func holdExpiry(at now: Duration) {
        tracker.holdExpiry(until: now + settings.replyTimeout)
    }

    /// Forgets all but the messages with which every connection begins.
    public mutating func abandon() {
        _ = tracker.takeAll()
        waiting = sendsInitial ? initial : []
        firstWaiting = 0
    }

    /// Takes note that the connection is lost: first come the messages with which every connection begins, then the
    /// requests without a reply, then what waited already.
    public mutating func connectionLost() {
        let later = tracker.takeAll() + waiting[firstWaiting...]
        waiting = (sendsInitial ? initial : []) + later.filter { !$0.isInitial }
        firstWaiting = 0
    }

    private var hasRoom: Bool {
        if settings.isSequential { return tracker.count == 0 }
        return tracker.count < Self.maximumInFlight && tracker.keptBytes < Self.keptBytesLimit
    }

    private mutating func dropFirstWaiting() {
        firstWaiting += 1
        // Moved to the front when at least half is gone, so that each moves a bounded number of times.
        guard firstWaiting * 2 > waiting.count else { return }
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
    }
}

/// A message of the input, where the input is requests.
public struct Request: Equatable {
    /// Counts the messages of the input from 1, also those that want no reply.
    public let number: Int
    /// The bytes that are sent.
    public let payload: [UInt8]
    /// Text or binary.
    public let kind: MessageKind
    /// Whether every connection begins with it.
    public let isInitial: Bool
}
