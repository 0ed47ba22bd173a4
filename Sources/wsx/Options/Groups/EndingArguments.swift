import CommandLine

/// The options for the end of a run of `wsx connect`, and its status.
struct EndingArguments: Equatable, Sendable {
    /// Nil: what else was asked for decides.
    var linger: Linger?
    /// The number of received messages that ends the run, 1 or more.
    var count: Int?
    /// Regular expressions, which compile.
    var until: [String] = []
    var expectations: [String] = []
    var timeout: Duration?

    static let options: [OptionSpecification<EndingArguments>] = [
        OptionSpecification(
            "linger", value: OptionValue("DURATION"), heading: .ending,
            summary: "Wait for replies after the input [1s]",
            manual: """
                After the end of the input, stay connected until no message has arrived for *DURATION*, then close. \
                `forever` waits until the peer closes. The default is `1s`. With `--until` it is `forever`. With `--count` \
                it is 30 seconds after the last input, or `forever` if `--timeout` is given. With requests, the time starts \
                at the last reply and the default is `0`.
                """
        ) { arguments, value throws(ValueProblem) in arguments.linger = try Linger.parse(value) },
        OptionSpecification(
            "count", "n", value: OptionValue("N"), heading: .ending,
            summary: "Exit after N received messages",
            manual: """
                Close the connection once *N* messages (1 or more) have been received, and exit with 0. If fewer arrive, \
                the run fails: with status 6 when the wait is over (30 seconds after the last input, or `--linger`, or \
                `--timeout`), and with status 7 when the peer closes first. With `--no-stdin` only `--timeout` ends the wait.
                """
        ) { arguments, value throws(ValueProblem) in arguments.count = try CountValue.parse(value) },
        OptionSpecification(
            "until", value: OptionValue("REGEX"), repeatable: true, heading: .ending,
            summary: "Exit when a message matches",
            manual: """
                Close the connection when a received message matches *REGEX*, and exit with 0. The matching message is \
                the last one written. If the option is repeated, any one match is enough. If the peer closes before a \
                match, exit with 7. The syntax is Perl's, as implemented by PCRE2; binary messages are searched, too.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.until.append(try PatternValue.parse(value))
        },
        OptionSpecification(
            "expect", value: OptionValue("REGEX"), repeatable: true, heading: .ending,
            summary: "Exit with 7 unless a message matches",
            manual: """
                Exit with 7 where the run would end with 0, or by `--timeout`, and no received message has matched \
                *REGEX*. Of several expressions each must have matched. It ends nothing by itself: see `--until`.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.expectations.append(try PatternValue.parse(value))
        },
        .timeout(
            \.timeout, manual: "End the run with status 6 when it has taken *DURATION* and nothing else has ended it."),
    ]
}

extension OptionSpecification {
    /// The option that limits the time of a run.
    static func timeout(
        _ path: WritableKeyPath<Arguments, Duration?> & Sendable, manual: MarkedText
    ) -> OptionSpecification {
        OptionSpecification(
            "timeout", value: OptionValue("DURATION"), heading: .ending, summary: "End the whole run after so long",
            manual: manual
        ) { arguments, value throws(ValueProblem) in
            arguments[keyPath: path] = try DurationValue.parse(value, zeroAllowed: false)
        }
    }
}

/// How long to wait for replies after the end of the input before the connection is closed.
enum Linger: Equatable {
    /// Until no message has arrived for this long.
    case idle(Duration)
    /// For this long, whatever arrives.
    case total(Duration)
    case forever

    /// How long to wait; nil: without a limit.
    var limit: Duration? {
        switch self {
        case .idle(let limit), .total(let limit): limit
        case .forever: nil
        }
    }

    /// Whether each message starts the wait anew.
    var restartsOnArrival: Bool {
        if case .idle = self { true } else { false }
    }

    /// Reads a duration or the word `forever`.
    static func parse(_ text: String) throws(ValueProblem) -> Linger {
        if text == "forever" { return .forever }
        do {
            return .idle(try DurationValue.parse(text))
        } catch .notADuration {
            throw .notADuration(orForever: true)
        }
    }
}
