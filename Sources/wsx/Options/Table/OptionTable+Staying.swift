extension OptionTable {
    /// What keeps a connection, and what brings another.
    static let staying = [
        OptionSpecification(
            "reconnect", value: OptionValue("N", implied: Reconnection.unbounded), group: .staying,
            summary: "Connect again, N times or forever",
            manual: """
                Connect again when the connection is lost or cannot be made and trying again can help, after a random \
                time of up to 4 seconds, which doubles with every try up to a minute. With *N*, give up after so many \
                tries in a row. What is sent again is told under STAYING CONNECTED.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.reconnection = try Reconnection.parse(value)
                })),
        OptionSpecification(
            "heartbeat", value: OptionValue("DURATION"), group: .staying,
            summary: "Ping so often, and miss a silent peer",
            manual: """
                Send a ping every *DURATION*. A peer of which nothing has come after several of them, no byte \
                of any kind, is lost: the run ends with status 6, or goes on with another connection (`--reconnect`).
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "heartbeat", value: OptionValue("DURATION"), group: .staying,
            summary: "Ping so often, and drop silent clients",
            manual: """
                Send each client a ping every *DURATION*. One of which nothing has come after several of them, no byte \
                of any kind, is lost: its connection is dropped, without a closing handshake.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "heartbeat-misses", value: OptionValue("N"), default: "3", requires: ["heartbeat"], group: .staying,
            summary: "Heartbeats without life until it is lost",
            manual: "Take the peer for lost after *N* heartbeats in a row (1 or more) that brought no sign of life.",
            effect: .update(
                .shared { arguments, value throws(ValueProblem) in
                    arguments.heartbeatMisses = try CountValue.parse(value)
                })),
        OptionSpecification(
            "heartbeat-message", value: OptionValue("TEXT"), requires: ["heartbeat"], group: .staying,
            summary: "Send a message in place of the pings",
            manual: """
                Send the text message *TEXT* in place of each ping, for servers that want a heartbeat of the \
                application's own. An answer to it is a message like any other: it is written to standard output, and \
                counts for `--count` and `--linger`.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    guard !value.isEmpty else { throw .emptyText }
                    arguments.heartbeatMessage = value
                })),
    ]
}
