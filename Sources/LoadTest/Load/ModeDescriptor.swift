/// What a load test does with its connections: a name, and the descriptor that belongs to it.
///
/// Each mode is a file in `Workloads/` that has its descriptor and its workload, and a line in ``all``.
public struct BenchMode: Sendable {
    /// Options, wording, metrics, and workload.
    public let descriptor: ModeDescriptor

    /// Makes the mode of a descriptor.
    internal init(_ descriptor: ModeDescriptor) {
        self.descriptor = descriptor
    }

    /// One sentence for the help.
    public var summary: String { descriptor.summary }
    /// The terms for what the mode sends and receives.
    public var wording: ModeWording { descriptor.wording }
    /// The meaning of the mode's counts.
    public var metrics: ModeMetrics { descriptor.metrics }
    /// The connections and messages of the mode.
    public var load: ModeLoad { descriptor.load }

    /// Whether an option has a meaning in this mode.
    public func accepts(_ option: ModeOption) -> Bool {
        descriptor.options.contains(option) || descriptor.ownOptions.contains(option)
    }
}

/// All that is specific to a mode, apart from the code of its workload.
public final class ModeDescriptor: Sendable {
    /// The name in `--mode` and in results.
    public let name: String
    /// One sentence for the help.
    public let summary: String
    /// The manual's paragraph.
    public let manual: String
    /// The options that this mode accepts and some others do not.
    public let options: Set<ModeOption>
    /// The options that only this mode has.
    public let ownOptions: Set<ModeOption>
    /// The terms for what it sends and receives.
    public let wording: ModeWording
    /// The meaning of its counts.
    public let metrics: ModeMetrics
    /// Its connections and messages.
    public let load: ModeLoad
    /// Finds a problem of a plan that the options do not rule out; nil: there is none.
    internal let problem: @Sendable (LoadPlan) -> LoadPlanProblem?
    /// Makes the workload of a thread.
    internal let makeWorkload: @Sendable (LoadContext) -> any Workload

    /// Describes a mode.
    internal init(
        name: String, summary: String, manual: String, options: Set<ModeOption>, ownOptions: Set<ModeOption> = [],
        wording: ModeWording, metrics: ModeMetrics, load: ModeLoad,
        problem: @escaping @Sendable (LoadPlan) -> LoadPlanProblem? = { _ in nil },
        makeWorkload: @escaping @Sendable (LoadContext) -> any Workload
    ) {
        self.name = name
        self.summary = summary
        self.manual = manual
        self.options = options
        self.ownOptions = ownOptions
        self.wording = wording
        self.metrics = metrics
        self.load = load
        self.problem = problem
        self.makeWorkload = makeWorkload
    }
}

/// The options of `wsx bench` that not all modes have.
public enum ModeOption: String, Sendable {
    case connectRate = "connect-rate"
    case messages
    case rate
    case ramp
    case inFlight = "in-flight"
    case replyTimeout = "reply-timeout"
    case publishers
    case heartbeat
    case message
    case file
    case size
    case binary
}

/// The terms for what a mode sends and receives.
public struct ModeWording: Sendable {
    /// What results begin with: `Echo`.
    let title: String
    /// Whether the messages follow the title: `Echo of text messages of 20 bytes`.
    let titleNamesMessages: Bool
    /// What the rate counts: `replies`.
    public let countedThings: String
    /// The name of the table's line with the counts: `messages`.
    public let sentThings: String
    /// What happened to those that were sent: `sent`.
    let sentVerb: String
    /// What happened to those that came back: `received`.
    let receivedVerb: String
    /// What each message is expected to do: `come back`.
    public let expectation: String

    /// Sets the terms; the defaults are those of messages that are sent and received.
    init(
        title: String, titleNamesMessages: Bool, countedThings: String, sentThings: String = "messages",
        sentVerb: String = "sent", receivedVerb: String = "received", expectation: String = "come back"
    ) {
        self.title = title
        self.titleNamesMessages = titleNamesMessages
        self.countedThings = countedThings
        self.sentThings = sentThings
        self.sentVerb = sentVerb
        self.receivedVerb = receivedVerb
        self.expectation = expectation
    }

    /// The beginning of the results.
    /// - Parameter messages: The messages that were sent: `text messages of 20 bytes`.
    public func headline(_ messages: String) -> String {
        titleNamesMessages ? "\(title) with \(messages)" : title
    }

    /// How many were sent, and how many came back: `5 sent, 4 received`.
    public func counts(sent: String, received: String) -> String {
        "\(sent) \(sentVerb), \(received) \(receivedVerb)"
    }
}

/// The meaning of a mode's counts.
public struct ModeMetrics: Sendable {
    /// The two counts of messages that a rate can be made of.
    public enum Counted: Sendable {
        case sent
        case received
    }

    /// The whole that a share of messages, such as `lost<0.1%`, is a part of.
    public enum Population: Sendable {
        /// The messages that were sent.
        case sent
        /// The deliveries: each message is to reach several readers.
        case deliveries
    }

    /// Whether each received message has a latency.
    public var hasLatencies = true
    /// Whether each message is checked when it arrives.
    public var verifiesMessages = false
    /// Whether each message that was sent is received, lost, or mismatched in the end.
    public var accountsForAllSent = false
    /// The messages that the rate is made of.
    public var rate = Counted.received
    /// The whole that shares are a part of.
    public var population = Population.sent
}

/// The connections and messages of a mode.
public struct ModeLoad: Sendable {
    /// The connections that send.
    public enum Senders: Sendable {
        case all
        /// The first ``LoadPlan/publisherCount`` of all.
        case publishers
    }

    /// What says when messages are sent, unless `--rate` does.
    public enum Pace: Sendable {
        /// Replies: each is followed by the next message.
        case replies
        /// A rate in messages a second, of all connections together.
        case rate(Int)
        /// ``LoadPlan/heartbeat``, which is the time from message to message of a connection.
        case heartbeat
    }

    /// Whether results have messages to describe.
    public enum Messages: Sendable {
        case always
        /// Only where messages were given.
        case whenGiven
        case never
    }

    /// Whether connections are opened before the load begins: they are not where opening them is the load.
    public var needsConnections = true
    /// The connections that send.
    public var senders = Senders.all
    /// What says when messages are sent.
    public var pace = Pace.replies
    /// Whether results have messages to describe.
    public var messages = Messages.never
    /// The size of a generated message unless `--size` says another one, in bytes.
    public var defaultBytes = 20
    /// With more bytes queued for a connection, its messages wait where they take less room.
    public var queueLimitBytes = 256 << 10
}
