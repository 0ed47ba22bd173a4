import CommandLine

/// What `wsx listen` is to do wrong, so that clients can be tried with it.
struct FaultArguments: Equatable, Sendable {
    /// How long messages to a client are held back: a random time of these; nil: they are not.
    var delay: ClosedRange<Duration>?
    /// The probability with which a message to a client is left out, 0 through 1.
    var dropRate = 0.0
    /// What the random numbers begin with; nil: with something else in each run.
    var seed: Int?
    /// When a client is closed; nil: it is not.
    var closeLimit: CloseLimit?
    /// What it is then closed with: 1012, service restart, after which clients connect again.
    var closeFrame = CloseFrameArguments(closeCode: 1012)
    /// Which requests are refused; nil: none.
    var rejection: Rejection?
    var answersPings = true
    /// The rate of each client's stream, each way; nil: there is no limit.
    var bytesPerSecond: Int?

    /// Whether each client needs a gate for what is sent to it.
    var concernMessages: Bool { delay != nil || dropRate > 0 || closeLimit != nil }

    @OptionTable<FaultArguments> static var options: [OptionSpecification<FaultArguments>] {
        OptionSpecification(
            "delay", value: OptionValue("DURATION"), heading: .faults,
            summary: "Hold messages back; or 100ms-2s: random",
            manual: """
                Send every message to a client so much later, wherever it comes from. *DURATION* may be a range such as \
                `100ms-2s`: then each waits for a random time of these, and for those before it. Pings are answered at \
                once.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.delay = try DelayValue.parse(value)
        }
        OptionSpecification(
            "drop-rate", value: OptionValue("P"), heading: .faults,
            summary: "Leave out messages: 0.1 or 10%",
            manual: """
                Leave out each message to a client with the probability *P*: a fraction from 0 to 1, or percents such \
                as `10%`.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.dropRate = try FractionValue.parse(value)
        }
        OptionSpecification(
            "seed", value: OptionValue("N"), conflicts: ["threads"], requires: ["delay", "drop-rate"], heading: .faults,
            summary: "Repeat the same random delays and drops",
            manual: """
                Begin the random numbers of `--delay` and `--drop-rate` with *N*: the same client, by its number, then \
                has the same delays and losses in each run. With several threads, which number a client gets is chance.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.seed = try CountValue.parse(value, zeroAllowed: true)
        }
        OptionSpecification(
            "close-after", value: OptionValue("LIMIT"), heading: .faults,
            summary: "Close after N messages, or after 5s",
            manual: """
                Close a client once *LIMIT* of its messages have been answered; with a unit, such as `500ms`, `5s` or \
                `2m`, so long after it has connected. What it sends after that is ignored, pings too, as if the server \
                had gone: so `wsx connect --reconnect` sends it again.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.closeLimit = try CloseLimitValue.parse(value)
        }
        CloseFrameArguments.options(
            default: "1012", requires: ["close-after"], after: "--close-after 5", heading: .faults,
            code: (
                "Status code of that close",
                """
                Close with *CODE* after `--close-after`: 1000 through 1003, 1007 through 1014, or 3000 through 4999. \
                1012 says that the server restarts, which has clients connect again.
                """
            ),
            reason: (
                "Reason of that close",
                "Close with the reason *TEXT* after `--close-after`, at most 123 bytes of UTF-8."
            )
        ).lifted(\.closeFrame)
        OptionSpecification(
            "reject", value: OptionValue("STATUS"), heading: .faults,
            summary: "Refuse with STATUS; 503x3: three times",
            manual: """
                Refuse every upgrade with *STATUS*, 300 through 599, or only the first ones: `503x3` refuses three and \
                accepts those after them. The fields of `--header` are in the refusal, too: `Location`, `Retry-After`, \
                `WWW-Authenticate`. Without them 401 and 407 ask for Basic, 405 allows no method, and 426 names the \
                protocol, as HTTP demands. Requests that could not be accepted anyway are answered as ever, and not counted.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.rejection = try RejectionValue.parse(value)
        }
        OptionSpecification(
            "no-pong", heading: .faults,
            summary: "Do not answer pings",
            manual: "Leave pings unanswered, though RFC 6455 §5.5.2 asks for an answer. They are shown as ever."
        ) { arguments, _ in arguments.answersPings = false }
        OptionSpecification(
            "throttle", value: OptionValue("RATE"), heading: .faults,
            summary: "A slow network: bytes a second, 64k",
            manual: """
                Let *RATE* bytes a second through on each client's connection, each way, the upgrade and TLS included: \
                64 or more, `64k` and `1M` in powers of 1024.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.bytesPerSecond = try ThrottleValue.parse(value)
        }
    }
}

/// When `wsx listen` closes a client.
enum CloseLimit: Equatable, Sendable {
    /// After so many messages of the client.
    case messages(Int)
    /// After so long.
    case time(Duration)
}

/// Which requests `wsx listen` refuses, and how.
struct Rejection: Equatable, Sendable {
    /// The status, 300 through 599.
    var status: Int
    /// How many requests are refused before others are accepted; nil: all.
    var count: Int?
}
