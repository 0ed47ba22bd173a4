import Conversation
import Formats
import WSCore

/// The requested load: the number of connections, and the messages with their timing.
public struct LoadPlan: Sendable {
    /// The messages to send.
    public struct Messages: Sendable {
        /// Text or binary.
        public var kind = MessageKind.text
        /// The messages to send in turn. If empty, messages are generated.
        public var templates: [MessageTemplate] = []
        /// The size of generated messages in bytes, at least 1, or `nil` for the mode's default.
        public var sizeBytes: Int?
        /// Distinguishes the messages of a broadcast from those of other runs.
        public var runNumber: UInt32 = 0

        /// Plans generated text messages.
        public init() {}
    }

    /// How replies are matched to requests, and checked.
    public struct Replies: Sendable {
        /// The field that is equal in a request and its reply, or `nil` if replies arrive in order.
        public var field: JSONField?
        /// The regular expressions that each reply has to match.
        public var expectations: [String] = []

        /// Plans replies of any content in the order of the requests.
        public init() {}
    }

    /// The mode of the load.
    public let mode: BenchMode
    /// The number of connections; at least 1.
    public var connectionCount = 1
    /// The number of threads; at least 1 and at most ``connectionCount``.
    public var threadCount = 1
    /// The number of publishers; at least 1 and less than ``connectionCount``.
    public var publisherCount = 1
    /// The number of connections to open per second, or `nil` for as many as possible.
    public var connectRate: Int?
    /// The number of messages to send, or `nil` for as many as ``duration`` allows.
    public var messageCount: Int?
    /// The number of messages to send per second on all connections together, or `nil` for the mode's default.
    public var rate: Int?
    /// The time until the full load is reached.
    public var ramp = Duration.zero
    /// The time at the beginning during which messages do not count.
    public var warmup = Duration.zero
    /// The time during which messages are sent and count, or `nil` to send ``messageCount`` messages.
    public var duration: Duration?
    /// The time between pings on a connection; more than 0.
    public var heartbeat = Duration.seconds(10)
    /// The maximum number of messages in flight per connection; at least 1.
    public var inFlight = 1
    /// The time limit for replies; more than 0.
    public var replyTimeout = Duration.seconds(10)
    /// The messages to send.
    public var messages = Messages()
    /// How replies are matched to requests, and checked.
    public var replies = Replies()
    /// The first messages and automatic answers of each connection, or `nil` if there are none.
    public var exchange: AutomaticExchange.Plan?
    /// The time limit for the server to become ready after the first messages; more than 0.
    public var readinessTimeout = Duration.seconds(10)

    /// Plans a load of one connection.
    public init(_ mode: BenchMode) {
        self.mode = mode
    }
}

/// Why a plan is invalid.
public struct LoadPlanProblem: Error, Equatable {
    /// The option at fault, as typed: `--size 20`.
    public let option: String
    /// A clause without a period.
    public let reason: String
}

extension LoadPlan {
    /// The first problem of the plan that option parsing does not detect, or `nil` if the plan is valid.
    public var problem: LoadPlanProblem? { mode.descriptor.problem(self) }

    /// The number of connections that send, in all threads.
    public var senderCount: Int {
        switch mode.load.senders {
        case .all: connectionCount
        case .publishers: publisherCount
        }
    }

    /// Whether a request may be sent before the reply to the previous one on its connection.
    internal var overlapsRequests: Bool { inFlight > 1 || rate != nil }

    /// The size of generated messages, in bytes.
    public var messageBytes: Int { messages.sizeBytes ?? mode.load.defaultBytes }

    /// The schedule for opening the connections of a thread, or `nil` to open them as soon as possible.
    public func openings(for shard: Shard) -> LoadSchedule? {
        connectRate.map { LoadSchedule(rate: Double($0), connectionCount: connectionCount, shard: shard) }
    }

    /// The schedule of a thread's messages, or `nil` for a closed loop.
    public func schedule(for shard: Shard) -> LoadSchedule? {
        guard let messagesPerSecond, shard.connectionCount(of: senderCount) > 0 else { return nil }
        return LoadSchedule(rate: messagesPerSecond, ramp: ramp, connectionCount: senderCount, shard: shard)
    }

    /// The number of messages per second in all threads, or `nil` for a closed loop.
    private var messagesPerSecond: Double? {
        switch mode.load.pace {
        case .replies: rate.map { Double($0) }
        case .rate(let usual): Double(rate ?? usual)
        case .heartbeat: Double(connectionCount) / (heartbeat / .seconds(1))
        }
    }

    /// The number of messages that a thread sends; `Int.max` for no limit.
    internal func messageCount(of shard: Shard) -> Int {
        messageCount.map { shard.messageCount(of: $0, connectionCount: senderCount) } ?? .max
    }

    /// Creates the message to send for an echo.
    /// - Parameter clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    internal func makeEchoMessage(clockOffset: UInt64) -> EchoMessage {
        messages.templates.isEmpty
            ? EchoMessage(byteCount: messageBytes) : EchoMessage(messages.templates, clockOffset: clockOffset)
    }
}
