import CommandLine

/// The options for detecting a dead peer.
package struct HeartbeatArguments: Equatable, Sendable {
    /// The time from ping to ping, more than 0; nil: no pings.
    package var heartbeat: Duration?
    /// 1 or more.
    package var heartbeatMisses = 3

    package init() {}

    /// The options.
    /// - Parameters:
    ///   - summary: The summary of `--heartbeat`.
    ///   - manual: The manual of `--heartbeat`.
    package static func options(summary: String, manual: MarkedText) -> [OptionSpecification<HeartbeatArguments>] {
        [
            OptionSpecification(
                "heartbeat", value: OptionValue("DURATION"), heading: .staying, summary: summary,
                manual: manual,
                example: "--heartbeat 20s", seeAlso: ["heartbeat-misses"]
            ) { arguments, value throws(ValueProblem) in
                arguments.heartbeat = try DurationValue.parse(value, zeroAllowed: false)
            },
            OptionSpecification(
                "heartbeat-misses", value: OptionValue("N"), default: "3", requires: ["heartbeat"], heading: .staying,
                summary: "Drop the peer after N missed heartbeats",
                manual: """
                    Drop the connection after *N* missed heartbeats in a row (1 or more): nothing at all arrives from \
                    the peer before the next one.
                    """,
                example: "--heartbeat 10s --heartbeat-misses 2", seeAlso: ["heartbeat"]
            ) { arguments, value throws(ValueProblem) in
                arguments.heartbeatMisses = try CountValue.parse(value)
            },
        ]
    }
}
