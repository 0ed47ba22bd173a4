import CommandLine

/// The options for staying connected to a server.
struct StayingArguments: Equatable, Sendable {
    var reconnection = Reconnection.never
    var heartbeats = HeartbeatArguments()
    /// Not empty.
    var heartbeatMessage: String?

    @OptionTable<StayingArguments> static var options: [OptionSpecification<StayingArguments>] {
        OptionSpecification(
            "reconnect", value: OptionValue("N", implied: Reconnection.unbounded), heading: .staying,
            summary: "Connect again, N times or forever",
            manual: """
                Connect again when the connection is lost or cannot be made and trying again can help, after a random \
                time of up to 4 seconds, which doubles with every try up to a minute. With *N*, give up after so many \
                tries in a row. What is sent again is told under STAYING CONNECTED.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.reconnection = try Reconnection.parse(value)
        }
        HeartbeatArguments.options(
            summary: "Ping so often, and miss a silent peer",
            manual: """
                Send a ping every *DURATION*. A peer of which nothing has come after several of them, no byte \
                of any kind, is lost: the run ends with status 6, or goes on with another connection (`--reconnect`).
                """
        ).lifted(\.heartbeats)
        OptionSpecification(
            "heartbeat-message", value: OptionValue("TEXT"), requires: ["heartbeat"], heading: .staying,
            summary: "Send a message in place of the pings",
            manual: """
                Send the text message *TEXT* in place of each ping, for servers that want a heartbeat of the \
                application's own. An answer to it is a message like any other: it is written to standard output, and \
                counts for `--count` and `--linger`.
                """
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            arguments.heartbeatMessage = value
        }
    }
}

/// The options for detecting a dead peer.
struct HeartbeatArguments: Equatable, Sendable {
    /// More than 0; nil: no pings are sent.
    var heartbeat: Duration?
    /// 1 or more.
    var heartbeatMisses = 3

    /// The options.
    /// - Parameters:
    ///   - summary: The line of help for `--heartbeat`.
    ///   - manual: What the manual says of it.
    static func options(summary: String, manual: MarkedText) -> [OptionSpecification<HeartbeatArguments>] {
        [
            OptionSpecification(
                "heartbeat", value: OptionValue("DURATION"), heading: .staying, summary: summary, manual: manual
            ) { arguments, value throws(ValueProblem) in
                arguments.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
            },
            OptionSpecification(
                "heartbeat-misses", value: OptionValue("N"), default: "3", requires: ["heartbeat"], heading: .staying,
                summary: "Heartbeats without life until it is lost",
                manual: "Take the peer for lost after *N* heartbeats in a row (1 or more) that brought no sign of life."
            ) { arguments, value throws(ValueProblem) in
                arguments.heartbeatMisses = try CountValue.parse(value)
            },
        ]
    }
}

/// Whether a connection that is lost, or does not come about, is tried again.
enum Reconnection: Equatable {
    case never
    /// After as many tries in a row, 1 or more, it is given up.
    case times(Int)
    case always

    /// What `--reconnect` stands for alone.
    static let unbounded = "forever"

    /// Reads a number of tries or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Reconnection {
        text == unbounded ? .always : .times(try CountValue.parse(text))
    }
}
