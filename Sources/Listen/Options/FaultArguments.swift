import CommandLine
import Conversation
import UserInterface

/// The faults that `wsx listen` injects to test clients.
package struct FaultArguments: Equatable, Sendable {
    /// The range of the random delay of messages to a client; nil: no delay.
    package var delay: ClosedRange<Duration>?
    /// The probability that a message to a client is dropped, 0 through 1.
    package var dropRate = 0.0
    /// In a relay, the side whose messages are delayed or dropped; nil: both.
    package var side: RelaySide?
    /// The seed of the random numbers; nil: a new one in each run.
    package var seed: Int?
    /// When clients are closed; nil: never.
    package var closeLimit: CloseLimit?
    /// The close frame for ``closeLimit``. 1012 (service restart) makes clients reconnect.
    package var closeFrame = CloseFrameArguments(closeCode: 1012)
    /// The requests that are rejected; nil: none.
    package var rejection: Rejection?
    package var answersPings = true
    /// The rate limit of each client's stream, in each direction; nil: none.
    package var bytesPerSecond: Int?

    package init() {}

    /// Whether messages to each client pass through a gate.
    package var concernMessages: Bool { delay != nil || dropRate > 0 || closeLimit != nil }

    /// The option of a relay that restricts the faults to one direction.
    static let sideOption = OptionSpecification<FaultArguments>(
        "fault-from", value: OptionValue("SIDE", .choices(of: RelaySide.self)), requires: ["delay", "drop-rate"],
        heading: .faults, summary: "Delay or drop only messages of one side",
        manual: "Delay or drop only the messages of *SIDE*, instead of those of both sides.",
        example: "--delay 200ms --fault-from server", seeAlso: ["delay", "drop-rate"]
    ) { arguments, value throws(ValueProblem) in arguments.side = try RelaySide.parse(value) }

    @OptionTable<FaultArguments> static var options: [OptionSpecification<FaultArguments>] {
        OptionSpecification(
            "delay", value: OptionValue("DURATION"), heading: .faults,
            summary: "Delay messages: 250ms, or 100ms-2s",
            manual: """
                Delay every message to a client by *DURATION*; in a relay, also those to the server. A range such as `100ms-2s` delays each message by a \
                random time in it. The order is kept. `wsx listen` answers pings without delay.
                """,
            example: "--echo --delay 100ms-2s", seeAlso: ["drop-rate", "seed"]
        ) { arguments, value throws(ValueProblem) in
            arguments.delay = try DelayValue.parse(value)
        }
        OptionSpecification(
            "drop-rate", value: OptionValue("P"), heading: .faults,
            summary: "Drop messages with probability P: 10%",
            manual: """
                Drop each message to a client with probability *P*, a fraction from 0 to 1 or a percentage such as `10%`; in \
                a relay, also those to the server.
                """,
            example: "--echo --drop-rate 5%", seeAlso: ["seed"]
        ) { arguments, value throws(ValueProblem) in
            arguments.dropRate = try FractionValue.parse(value)
        }
        OptionSpecification(
            "seed", value: OptionValue("N"), conflicts: ["threads"], requires: ["delay", "drop-rate"], heading: .faults,
            summary: "Seed for random delays and drops",
            manual: """
                Seed the random numbers of `--delay` and `--drop-rate` with *N*, which makes them the same in each \
                run. Each client has its own sequence, which depends on its number.
                """,
            example: "--echo --drop-rate 5% --seed 1", seeAlso: ["drop-rate", "delay"]
        ) { arguments, value throws(ValueProblem) in
            arguments.seed = try CountValue.parse(value, zeroAllowed: true)
        }
        OptionSpecification(
            "close-after", value: OptionValue("LIMIT"), heading: .faults,
            summary: "Close clients after N messages, or after 5s",
            manual: """
                Close a client after answering *LIMIT* of its messages. With a unit, as in `500ms`, `5s`, or `2m`, \
                *LIMIT* is the time after the client connected. Anything the client sends afterwards is ignored as if \
                the server were gone.
                """,
            example: "--echo --close-after 10", seeAlso: ["close-code", "reject"]
        ) { arguments, value throws(ValueProblem) in
            arguments.closeLimit = try CloseLimitValue.parse(value)
        }
        CloseFrameArguments.options(
            default: "1012", requires: ["close-after"], after: "--close-after 5", heading: .faults,
            code: (
                "Status code for --close-after",
                """
                Close clients with the status code *CODE*: 1000 through 1003, 1007 through 1014, or 3000 through 4999. \
                The default, 1012 (service restart), asks clients to reconnect.
                """
            ),
            reason: (
                "Reason for --close-after",
                MarkedText(
                    "Close clients with the reason *TEXT*, at most \(CloseReasonValue.longestBytes) bytes of UTF-8.")
            )
        ).lifted(\.closeFrame)
        OptionSpecification(
            "reject", value: OptionValue("STATUS"), heading: .faults,
            summary: "Reject upgrades: 503, or 503x3 for three",
            manual: """
                Reject every upgrade with the HTTP status *STATUS*, 300 through 599. `503x3` rejects three upgrades \
                and accepts the rest. In `wsx listen`, `--header` adds `Location`, `Retry-After`, or `WWW-Authenticate`.
                """,
            """
            Unless `--header` sets them, 401 and 407 ask for Basic authentication, 405 allows no method, and 426 names \
            the protocol. Requests that would be rejected without this option get their usual response and are not \
            counted.
            """,
            example: "--echo --reject 503x3 --header 'Retry-After: 1'", seeAlso: ["header"]
        ) { arguments, value throws(ValueProblem) in
            arguments.rejection = try RejectionValue.parse(value)
        }
        OptionSpecification(
            "no-pong", heading: .faults,
            summary: "Do not answer pings",
            manual: """
                Leave pings unanswered, although RFC 6455 §5.5.2 requires a pong. The output still shows the pings.
                """,
            seeAlso: ["heartbeat"]
        ) { arguments, _ in arguments.answersPings = false }
        OptionSpecification(
            "throttle", value: OptionValue("RATE"), heading: .faults,
            summary: "Limit clients to RATE bytes per second",
            manual: """
                Limit each client's connection to *RATE* bytes per second in each direction, including the upgrade and \
                TLS. *RATE* is 64 or more; `64k` and `1M` are in powers of 1024.
                """,
            example: "--echo --throttle 16k", seeAlso: ["delay"]
        ) { arguments, value throws(ValueProblem) in
            arguments.bytesPerSecond = try ThrottleValue.parse(value)
        }
    }
}
