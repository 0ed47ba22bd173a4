import CommandLine
import UserInterface

/// The options that end a run of `wsx connect` and decide its status.
package struct EndingArguments: Equatable, Sendable {
    /// Nil: the default, which depends on the other options.
    package var linger: Linger?
    /// The number of received messages after which the run ends, 1 or more.
    package var count: Int?
    /// Whether the run ends after one received message for each message sent.
    package var isOne = false
    /// The texts of valid conditions.
    package var until: [String] = []
    /// The texts of valid conditions.
    package var expectations: [String] = []
    package var timeout: Duration?

    static let options: [OptionSpecification<EndingArguments>] = [
        OptionSpecification(
            "linger", value: OptionValue("DURATION"), about: .ending, heading: .ending,
            summary: "Wait for replies after the input ends [1s]",
            manual: """
                After the input ends, stay connected until no message has arrived for *DURATION*, then close the \
                connection. `forever` waits until the peer closes it.
                """,
            """
            The default is `1s` or, if the server has sent exactly one reply for each message, 100 milliseconds or two \
            round trips, whichever is longer. To measure these, a ping precedes the first message; what arrives before \
            its pong, such as a greeting, is no reply. With an explicit *DURATION*, which servers with several replies \
            per message need, there is no ping. A notice says if only some messages got a reply, and, on a terminal, \
            if none did.
            """,
            """
            With `--until`, the default is `forever`. With `--count` or `--one`, it is 30 seconds after the end of the \
            input, or `forever` if `--timeout` is given. With requests, the wait starts at the last reply and the \
            default is `0`.
            """,
            example: "--linger 5s", seeAlso: ["one", "count"], aliases: ["w", "wait"]
        ) { arguments, value throws(ValueProblem) in arguments.linger = try Linger.parse(value) },
        OptionSpecification(
            "count", "n", value: OptionValue("N"), about: .ending, heading: .ending,
            summary: "Exit after receiving N messages",
            manual: "Close the connection after receiving *N* messages (1 or more), and exit with 0.",
            """
            If fewer messages arrive, the exit status is 7 if the peer closes normally first, 1 if it closes with an \
            error or the connection is lost, and 6 if the wait of `--linger` ends. With `--no-stdin`, only `--timeout` \
            ends the wait. With `--pick`, messages that are omitted do not count.
            """,
            example: "--count 10", seeAlso: ["one", "until"]
        ) { arguments, value throws(ValueProblem) in arguments.count = try MessageCountValue.parse(value) },
        OptionSpecification(
            "one", "1", about: .ending, conflicts: ["count"], heading: .ending,
            summary: "Exit after one reply per message",
            manual: """
                Exit with 0 as soon as one message has arrived for each message sent: one request, one reply. If \
                nothing is sent, exit after the first message. `--until` is an error; use `--expect`.
                """,
            """
            If replies are missing, the exit status and the time limit are those of `--count`. The prompt does not open: \
            on a terminal, standard input is not read. With `--request`, `--correlate`, or `--json-rpc`, the run \
            already ends after the last reply; other messages do not count.
            """,
            """
            A greeting is written, but is no reply, and neither is a message that `--answer` answers. What arrives \
            before the pong to a ping ahead of the first message is a greeting, unless the pong takes more than a \
            second. There is no ping with `--ready`, `--protocol`, or replies that have ids.
            """,
            """
            With `--pick`, each reply must have the value. A reply without it writes nothing, and the exit status is 7. \
            To wait for a message that has the value, use `--count 1` instead.
            """,
            example: #"--one --execute '{"op":"health"}'"#, seeAlso: ["count", "expect", "pick", "request", "timeout"]
        ) { arguments, _ in arguments.isOne = true },
        OptionSpecification(
            "until", value: OptionValue("REGEX"), repetition: .adds, about: .ending, heading: .ending,
            summary: "Exit when a message matches REGEX",
            manual: """
                Close the connection when a received message matches *REGEX* (PCRE2), and exit with 0. The matching \
                message is the last one written. If the peer closes normally before a match, exit with 7. If the option \
                is repeated, one match is enough. Binary messages are searched, too. In one that is not UTF-8, `.` \
                matches any byte, and `\\xff` the byte FF.
                """,
            MessageConditionValue.manual,
            example: "--until '\"status\":\"ready\"'", seeAlso: ["expect"]
        ) { arguments, value throws(ValueProblem) in
            arguments.until.append(try MessageConditionValue.parse(value))
        },
        OptionSpecification(
            "expect", value: OptionValue("REGEX"), repetition: .adds, about: .ending, heading: .ending,
            summary: "Exit with 7 unless a message matches REGEX",
            manual: """
                Exit with 7 unless a received message matches *REGEX*, or `json:` as with `--until`. If the option is \
                repeated, every *REGEX* needs a match. The option does not end the run. With `--one` and `--request`, a \
                greeting does not count. Only runs that would exit with 0, or that `--timeout` ends, exit with 7.
                """,
            example: "--expect '\"ok\"' --count 1", seeAlso: ["until", "fail"]
        ) { arguments, value throws(ValueProblem) in
            arguments.expectations.append(try MessageConditionValue.parse(value))
        },
        .timeout(
            \.timeout, manual: "End the run with status 6 after *DURATION*."),
    ]
}
