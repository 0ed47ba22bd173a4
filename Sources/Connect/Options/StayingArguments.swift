import CommandLine
import UserInterface

/// The options for staying connected to a server: reconnecting and heartbeats.
package struct StayingArguments: Equatable, Sendable {
    package var reconnection = Reconnection.never
    /// The bounds of the waits before retries, above 0; nil: the default ones.
    package var reconnectDelay: ClosedRange<Duration>?
    package var heartbeats = HeartbeatArguments()
    /// As typed, text or `@FILE`, then the text; only the text of a file may be empty. nil: pings are sent.
    package var heartbeatMessage: String?

    @OptionTable<StayingArguments> static var options: [OptionSpecification<StayingArguments>] {
        OptionSpecification(
            "reconnect", value: OptionValue("N", implied: Reconnection.unbounded), heading: .staying,
            summary: "Reconnect, at most N times in a row",
            manual: """
                Reconnect if the connection is lost or cannot be established, unless retrying cannot help. Messages \
                that the peer may have missed are sent again. With *N*, give up after *N* failed retries in a row. See \
                STAYING CONNECTED.
                """,
            example: "--reconnect=10", seeAlso: ["reconnect-delay", "heartbeat"]
        ) { arguments, value throws(ValueProblem) in
            arguments.reconnection = try Reconnection.parse(value)
        }
        OptionSpecification(
            "reconnect-delay", value: OptionValue("MIN[..MAX]"), requires: ["reconnect"], heading: .staying,
            summary: "Wait MIN before each retry, at most MAX",
            manual: """
                Wait the duration *MIN* before each retry. With *MAX*, each wait is random, from *MIN* to a ceiling \
                that starts at twice *MIN* and doubles up to *MAX*. A server can ask for a longer wait with \
                `Retry-After`.
                """,
            example: "--reconnect --reconnect-delay 500ms..30s", seeAlso: ["reconnect"]
        ) { arguments, value throws(ValueProblem) in
            let delay = try DelayValue.parse(value)
            guard delay.lowerBound > .zero else { throw .durationOutOfRange(zeroAllowed: false) }
            arguments.reconnectDelay = delay
        }
        HeartbeatArguments.options(
            summary: "Ping every DURATION; drop a silent peer",
            manual: """
                Send a ping every *DURATION*. A server that sends nothing at all for `--heartbeat-misses` heartbeats \
                is considered dead: the run ends with status 6 or, with `--reconnect`, continues on a new connection.
                """
        ).lifted(\.heartbeats)
        OptionSpecification(
            "heartbeat-message", value: OptionValue("TEXT"), about: .heartbeatMessage, requires: ["heartbeat"],
            heading: .staying, summary: "Send TEXT instead of pings",
            manual: """
                Send the text message *TEXT* instead of each ping, for servers that expect heartbeats at the \
                application level. `@`*FILE* is as for `--first-message`. \
                Answers are ordinary messages: they are written to standard output and count for `--count` and \
                `--linger`. With `--request`, also give `--correlate`; otherwise an answer would count as a reply.
                """,
            example: #"--heartbeat 20s --heartbeat-message '{"op":"ping"}'"#, seeAlso: ["heartbeat"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            arguments.heartbeatMessage = value
        }
    }
}

/// How often to reconnect if a connection is lost or cannot be established.
package enum Reconnection: Equatable {
    case never
    /// At most this many retries in a row, 1 or more.
    case times(Int)
    case always

    /// The value of `--reconnect` without a number.
    static let unbounded = "forever"

    /// Parses a number of retries or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Reconnection {
        text == unbounded ? .always : .times(try CountValue.parse(text))
    }
}
