/// A mode of load tests: everything specific to it, except the code of its workload.
///
/// Each mode has a file in `Workloads/` with its description and workload, and an entry in ``all``.
package struct BenchMode: Sendable {
    /// The name in `--mode` and in results.
    let name: String
    /// One sentence for the help.
    package let summary: String
    /// The paragraph for the manual.
    package let manual: String
    /// The options that this mode accepts and some others do not.
    let options: Set<ModeOption>
    /// The options that only this mode accepts.
    var ownOptions: Set<ModeOption> = []
    /// The terms for sent and received messages.
    package let wording: ModeWording
    /// The meaning of the mode's counts.
    package let metrics: ModeMetrics
    /// The connections and messages of the mode.
    package let load: ModeLoad
    /// Finds a problem that option parsing does not detect; returns `nil` for a valid plan.
    var problem: @Sendable (LoadPlan) -> LoadPlanProblem? = { _ in nil }
    /// Creates the workload of a thread.
    let makeWorkload: @Sendable (LoadContext) -> any Workload

    /// Whether the mode accepts an option.
    package func accepts(_ option: ModeOption) -> Bool { options.contains(option) || ownOptions.contains(option) }
}

/// The options of `wsx bench` that only some modes accept.
package enum ModeOption: String, Sendable {
    case connectRate = "connect-rate"
    case messages
    case rate
    case ramp
    case think
    case lifetime
    case stages
    case inFlight = "in-flight"
    case replyTimeout = "reply-timeout"
    case publishers
    case heartbeat
    case heartbeatMessage = "heartbeat-message"
    case message
    case file
    case size
    case binary
    case correlate
    case expect
    case replyEnd = "reply-end"
    case latencyFrom = "latency-from"
    case scenario
    case applicationProtocol = "protocol"
    case encode
}

/// The terms for a mode's sent and received messages.
package struct ModeWording: Sendable {
    /// The beginning of the results: `Echo test`.
    let title: String
    /// Whether the messages follow the title: `Echo test with text messages of 20 bytes`.
    let titleNamesMessages: Bool
    /// The objects that the rate counts: `replies`.
    package let countedThings: String
    // The defaults suit modes that send and receive messages.
    /// The label of the line with the counts in the table: `messages`.
    package internal(set) var sentThings = "messages"
    /// The verb for sent objects: `sent`.
    package internal(set) var sentVerb = "sent"
    /// The verb for received objects: `received`.
    var receivedVerb = "received"
    /// The requirement that messages with faults violate, as a clause.
    package internal(set) var expectation = "each message must come back once, in order, and unchanged"

    /// The first line of the results.
    /// - Parameter messages: The sent messages: `text messages of 20 bytes`.
    package func headline(_ messages: String) -> String {
        titleNamesMessages ? "\(title) with \(messages)" : title
    }

    /// The counts of sent and received objects: `5 sent, 4 received`.
    package func counts(sent: String, received: String) -> String {
        "\(sent) \(sentVerb), \(received) \(receivedVerb)"
    }
}

/// The meaning of a mode's counts.
package struct ModeMetrics: Sendable {
    /// The message counts that a rate can be based on.
    package enum Counted: Sendable {
        case sent
        case received

        /// The one of two counts that it is about.
        package func of(sent: Int, received: Int) -> Int {
            switch self {
            case .sent: sent
            case .received: received
            }
        }
    }

    /// The total that shares of messages, such as `lost<0.1%`, refer to.
    package enum Population: Sendable {
        /// The sent messages.
        case sent
        /// The deliveries: each message should reach several readers.
        case deliveries
    }

    /// Whether each received message has a latency.
    package var hasLatencies = true
    /// Whether each received message is compared with the expected one.
    package var verifiesMessages = false
    /// Whether each sent message ends up received, lost, or mismatched.
    package var accountsForAllSent = false
    /// The messages that the rate counts.
    package var rate = Counted.received
    /// The total that shares refer to.
    package var population = Population.sent
}

/// The connections and messages of a mode.
package struct ModeLoad: Sendable {
    /// The connections that send.
    package enum Senders: Sendable {
        case all
        /// The first ``LoadPlan/Connections/publisherCount`` connections.
        case publishers
    }

    /// The default timing of messages, without `--rate`.
    package enum Pace: Sendable {
        /// Closed loop: each reply triggers the next message.
        case replies
        /// A rate in messages per second, for all connections together.
        case rate(Int)
        /// One message per ``LoadPlan/Pace/heartbeat`` on each connection.
        case heartbeat
    }

    /// Whether results describe the messages.
    package enum Messages: Sendable {
        case always
        /// Only if the user specified messages.
        case whenGiven
        case never
    }

    /// Whether connections are opened before the load starts. They are not if opening them is the load.
    package var needsConnections = true
    /// The connections that send.
    package var senders = Senders.all
    /// The default timing of messages.
    package var pace = Pace.replies
    /// Whether results describe the messages.
    package var messages = Messages.never
    /// The size of generated messages without `--size`, in bytes.
    package var defaultBytes = 20
    /// The size of a connection's send queue, in bytes, above which messages wait as due times, which take less memory.
    package var queueLimitBytes = 256 << 10
}
