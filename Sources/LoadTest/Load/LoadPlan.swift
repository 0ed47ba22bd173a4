import WSCore

/// The load that was asked for: how many connections, and which messages at which pace.
public struct LoadPlan: Sendable {
    /// The messages that are sent.
    public struct Messages: Sendable {
        /// Text or binary.
        public var kind = MessageKind.text
        /// Sent in turn; empty: messages are generated.
        public var templates: [MessageTemplate] = []
        /// The size of generated messages, 1 or more; nil: what the mode needs.
        public var sizeBytes: Int?
        /// Tells the messages of a broadcast from those of another run.
        public var runNumber: UInt32 = 0

        /// Plans generated text messages.
        public init() {}
    }

    /// What the connections do.
    public let mode: BenchMode
    /// 1 or more.
    public var connectionCount = 1
    /// 1 or more, at most ``connectionCount``.
    public var threadCount = 1
    /// 1 or more, fewer than ``connectionCount``.
    public var publisherCount = 1
    /// The connections to open each second; nil: as many as possible.
    public var connectRate: Int?
    /// The number of messages to send; nil: as many as ``duration`` allows.
    public var messageCount: Int?
    /// The messages to send each second, on all connections together; nil: what the mode says.
    public var rate: Int?
    /// The time until the load is complete.
    public var ramp = Duration.zero
    /// The time during which messages do not count.
    public var warmup = Duration.zero
    /// The time during which messages are sent and count; nil: until ``messageCount``.
    public var duration: Duration?
    /// The time from ping to ping of a connection, more than 0.
    public var heartbeat = Duration.seconds(10)
    /// The messages of a connection that may be without a reply, 1 or more.
    public var inFlight = 1
    /// More than 0.
    public var replyTimeout = Duration.seconds(10)
    /// The messages that are sent.
    public var messages = Messages()

    /// Plans a load of one connection.
    public init(_ mode: BenchMode) {
        self.mode = mode
    }
}

/// Why a plan cannot be carried out.
public struct LoadPlanProblem: Error, Equatable {
    /// The option at fault, as typed: `--size 20`.
    public let option: String
    /// A clause without a full stop.
    public let reason: String
}

extension LoadPlan {
    /// The first problem of the plan that the options do not rule out; nil: there is none.
    public var problem: LoadPlanProblem? { mode.descriptor.problem(self) }

    /// The number of connections that send, of all threads.
    public var senderCount: Int {
        switch mode.load.senders {
        case .all: connectionCount
        case .publishers: publisherCount
        }
    }

    /// The size of generated messages, in bytes.
    public var messageBytes: Int { messages.sizeBytes ?? mode.load.defaultBytes }

    /// The schedule for opening the connections of a thread; nil: as soon as possible.
    public func openings(for shard: Shard) -> LoadSchedule? {
        connectRate.map { LoadSchedule(rate: Double($0), connectionCount: connectionCount, shard: shard) }
    }

    /// When the messages of a thread are due; nil: each reply has the next one sent.
    public func schedule(for shard: Shard) -> LoadSchedule? {
        guard let messagesPerSecond, shard.connectionCount(of: senderCount) > 0 else { return nil }
        return LoadSchedule(rate: messagesPerSecond, ramp: ramp, connectionCount: senderCount, shard: shard)
    }

    /// The messages to send each second, of all threads; nil: each reply has the next one sent.
    private var messagesPerSecond: Double? {
        switch mode.load.pace {
        case .replies: rate.map { Double($0) }
        case .rate(let usual): Double(rate ?? usual)
        case .heartbeat: Double(connectionCount) / (heartbeat / .seconds(1))
        }
    }

    /// The number of messages that a thread sends; `Int.max`: no limit.
    internal func messageCount(of shard: Shard) -> Int {
        messageCount.map { shard.messageCount(of: $0, connectionCount: senderCount) } ?? .max
    }

    /// Makes the message that is sent for an echo.
    /// - Parameter clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    internal func makeEchoMessage(clockOffset: UInt64) -> EchoMessage {
        messages.templates.isEmpty
            ? EchoMessage(byteCount: messageBytes) : EchoMessage(messages.templates, clockOffset: clockOffset)
    }
}
