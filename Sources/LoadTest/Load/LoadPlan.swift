import Conversation
import Formats
import WSCore

/// The requested load: the number of connections, and the messages with their timing.
package struct LoadPlan: Sendable {
    /// The messages to send.
    package struct Messages: Sendable {
        /// Text or binary.
        package var kind = MessageKind.text
        /// The messages to send in turn. If empty, messages are generated.
        package var templates: [Template] = []
        /// The variables of the templates in a broadcast: the columns of the data file and ``MarkedMessage/variable``. In
        /// other modes, `nil`, which stands for the columns.
        package var variables: VariableNames?
        /// The size of generated messages in bytes, at least 1, or `nil` for the mode's default.
        package var sizeBytes: Int?
        /// Distinguishes the messages of a broadcast from those of other runs.
        package var runNumber: UInt32 = 0

        /// Plans generated text messages.
        package init() {}
    }

    /// The connections that carry the load.
    package struct Connections: Equatable, Sendable {
        /// At least 1; with ``stages``, their maximum.
        package var count: Int
        /// The number of threads, which share the connections; at least 1 and at most ``count``.
        package var threadCount = 1
        /// At least 1 and less than ``count``.
        package var publisherCount = 1
        /// The number of connections to open per second, at least 1, or `nil` for as many as possible.
        package var openingRate: Int?
        /// The number of active connections in each stage, or `nil` if all are active.
        package var stages: LoadStages?
        /// The time after which a connection is closed and opened again, or `nil` for never.
        package var lifetime: ClosedRange<Duration>?
        /// Whether connections may resume the TLS sessions of earlier ones.
        package var resumesTLS = false
        /// The number of connections that are streams of one HTTP/2 connection, at least 1, or `nil` over HTTP/1.1.
        package var streams: Int?

        /// Plans connections that are open during the whole load.
        package init(count: Int) {
            self.count = count
        }
    }

    /// A number of messages to send per second on all connections together.
    package enum Rate: Equatable, Sendable {
        /// At least 1.
        case constant(Int)
        case stages(LoadStages)
    }

    /// When messages are sent.
    package struct Pace: Equatable, Sendable {
        /// `nil` for the mode's default.
        package var rate: Rate?
        /// How messages arrive at ``rate``.
        package var arrival = Arrival.constant
        /// The time until the full load is reached.
        package var ramp = Duration.zero
        /// The pause on a connection between a reply and the next message, or `nil` for none.
        package var think: ClosedRange<Duration>?
        /// The maximum number of messages in flight per connection; at least 1.
        package var inFlight = 1
        /// The time between pings, and between heartbeat messages, on a connection; more than 0.
        package var heartbeat = Duration.seconds(10)

        /// Plans one message in flight.
        package init() {}

        /// The rate if it is constant.
        internal var constantRate: Int? { if case .constant(let rate) = rate { rate } else { nil } }
        /// The rate if it changes.
        package var rateStages: LoadStages? { if case .stages(let stages) = rate { stages } else { nil } }
    }

    /// How replies are matched to requests, how they are checked, and how long they are awaited.
    package struct Replies: Equatable, Sendable {
        /// The time limit for replies; more than 0.
        package var timeout = Duration.seconds(10)
        /// The time limit for all replies after the load, or `nil` for none besides ``timeout``.
        package var drain: Duration?
        /// The location of the id that a request and its reply have in common, or `nil` if replies arrive in order.
        package var correlation: Correlation?
        /// The regular expressions that each reply has to match. They are valid.
        package var expectations: [String] = []
        /// The condition on the last message of a reply, which is valid, or `nil` if each reply is one message.
        package var end: String?

        /// Plans replies of any content in the order of the requests.
        package init() {}
    }

    /// The scenario of a connection, or its messages besides those of the load, and the formats of both.
    package struct Conversation: Sendable {
        /// The first messages and automatic answers of each connection, or `nil` if there are none.
        package var exchange: AutoReply.Plan?
        /// The scenarios that connections play, or `nil` if there are none.
        package var scenarios: ScenarioMix?
        /// The application protocol of each connection, or `nil` if there is none. Not together with ``exchange``.
        package var applicationProtocol: LoadProtocol?
        /// The formats of binary messages, or `nil` to leave them unchanged. An encoder excludes
        /// ``applicationProtocol`` and ``exchange``.
        package var codecs: MessageCodecs?
        /// The time limit for the server to become ready after the first messages; more than 0.
        package var readinessTimeout = Duration.seconds(10)

        /// Plans no other messages.
        package init() {}
    }

    package let mode: BenchMode
    package var connections = Connections(count: 1)
    package var pace = Pace()
    /// The number of messages to send, or `nil` for as many as ``duration`` allows.
    package var messageCount: Int?
    /// The time at the beginning during which messages do not count.
    package var warmup = Duration.zero
    /// The time during which messages are sent and count, or `nil` to send ``messageCount`` messages.
    package var duration: Duration?
    package var messages = Messages()
    package var replies = Replies()
    /// The location of the time at which publishers elsewhere have sent a message, or `nil` if it is not measured.
    package var publishedTime: JSONPath?
    /// The data file with a row for each connection, or `nil` if there is none.
    package var data: LoadData?
    /// The scenario of each connection, or its messages besides those of the load.
    package var conversation = Conversation()

    /// Plans a load of one connection.
    package init(_ mode: BenchMode) {
        self.mode = mode
    }
}

/// Why a plan is invalid.
package struct LoadPlanProblem: Error, Equatable {
    /// The option at fault, as typed: `--size 20`.
    package let option: String
    /// A clause without a period.
    package let reason: String
}

extension LoadPlan {
    /// The first problem of the plan that option parsing does not detect, or `nil` if the plan is valid.
    package var problem: LoadPlanProblem? { mode.problem(self) }

    /// The stages of the load: of its connections, or of its rate.
    package var allStages: LoadStages? { connections.stages ?? pace.rateStages }

    /// Whether connections are opened and closed during the load.
    internal var changesConnections: Bool { connections.lifetime != nil || connections.stages != nil }

    /// Whether messages are pings, one per ``Pace/heartbeat`` on each connection.
    internal var isHeartbeat: Bool { if case .heartbeat = mode.load.pace { true } else { false } }

    /// Whether connections are opened before the load starts.
    package var opensConnectionsFirst: Bool { mode.load.needsConnections && connections.stages == nil }

    /// Whether a connection may have to log in before the load, or has automatic messages.
    package var hasLogin: Bool {
        conversation.exchange != nil || conversation.applicationProtocol != nil
    }

    /// The number of connections that send, in all threads.
    package var senderCount: Int {
        switch mode.load.senders {
        case .all: connections.count
        case .publishers: connections.publisherCount
        }
    }

    /// Whether a request may be sent before the reply to the previous one on its connection.
    internal var overlapsRequests: Bool { pace.inFlight > 1 || pace.rate != nil }

    /// The size of generated messages, in bytes.
    package var messageBytes: Int { messages.sizeBytes ?? mode.load.defaultBytes }

    /// The schedule for opening the connections of a thread, or `nil` to open them as soon as possible.
    package func openings(for shard: Shard) -> LoadSchedule? {
        connections.openingRate.map {
            LoadSchedule(rate: Double($0), connectionCount: connections.count, shard: shard)
        }
    }

    /// The schedule of a thread's messages, or `nil` for a closed loop.
    package func schedule(for shard: Shard) -> LoadSchedule? {
        guard shard.connectionCount(of: senderCount) > 0 else { return nil }
        if let rateStages = pace.rateStages {
            return LoadSchedule(rateStages.course, pace.arrival, connectionCount: senderCount, shard: shard)
        }
        guard let messagesPerSecond else { return nil }
        return LoadSchedule(
            rate: messagesPerSecond, ramp: pace.ramp, pace.arrival, connectionCount: senderCount, shard: shard)
    }

    /// The number of messages per second in all threads, or `nil` for a closed loop.
    private var messagesPerSecond: Double? {
        switch mode.load.pace {
        case .replies: pace.constantRate.map { Double($0) }
        case .rate(let usual): Double(pace.constantRate ?? usual)
        case .heartbeat: Double(connections.count) / (pace.heartbeat / .seconds(1))
        }
    }

    /// The number of messages that a thread sends; `Int.max` for no limit.
    internal func messageCount(of shard: Shard) -> Int {
        messageCount.map { shard.messageCount(of: $0, connectionCount: senderCount) } ?? .max
    }

    /// Creates the message to send for an echo.
    /// - Parameters:
    ///   - rows: The rows of the data file, or `nil` if there is none.
    ///   - clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    internal func makeEchoMessage(rows: ConnectionRows?, clockOffset: UInt64) -> EchoMessage {
        messages.templates.isEmpty
            ? EchoMessage(byteCount: messageBytes)
            : EchoMessage(
                messages.templates, variables: messages.variables, rows: rows, clockOffset: clockOffset)
    }
}
