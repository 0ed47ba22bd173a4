extension OptionTable {
    /// What the server does wrong, so that clients can be tried with it.
    static let faults = [
        OptionSpecification(
            "delay", value: OptionValue("DURATION"), group: .faults,
            summary: "Hold messages back; or 100ms-2s: random",
            manual: """
                Send every message to a client so much later, wherever it comes from. *DURATION* may be a range such as \
                `100ms-2s`: then each waits for a random time of these, and for those before it. Pings are answered at \
                once.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.delay = try DelayValue.parse(value)
                })),
        OptionSpecification(
            "drop-rate", value: OptionValue("P"), group: .faults,
            summary: "Leave out messages: 0.1 or 10%",
            manual: """
                Leave out each message to a client with the probability *P*: a fraction from 0 to 1, or percents such \
                as `10%`.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.dropRate = try FractionValue.parse(value)
                })),
        OptionSpecification(
            "seed", value: OptionValue("N"), conflicts: ["threads"], requires: ["delay", "drop-rate"], group: .faults,
            summary: "Repeat the same random delays and drops",
            manual: """
                Begin the random numbers of `--delay` and `--drop-rate` with *N*: the same client, by its number, then \
                has the same delays and losses in each run. With several threads, which number a client gets is chance.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.seed = try CountValue.parse(value, zeroAllowed: true)
                })),
        OptionSpecification(
            "close-after", value: OptionValue("LIMIT"), group: .faults,
            summary: "Close after N messages, or after 5s",
            manual: """
                Close a client once *LIMIT* of its messages have been answered; with a unit, such as `500ms`, `5s` or \
                `2m`, so long after it has connected. What it sends after that is ignored, pings too, as if the server \
                had gone: so `wsx connect --reconnect` sends it again.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.closeLimit = try CloseLimitValue.parse(value)
                })),
        OptionSpecification(
            "close-code", value: OptionValue("CODE"), default: "1012", requires: ["close-after"], group: .faults,
            summary: "Status code of that close",
            manual: """
                Close with *CODE* after `--close-after`: 1000 through 1003, 1007 through 1014, or 3000 through 4999. \
                1012 says that the server restarts, which has clients connect again.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.closeCode = try CloseCodeValue.parse(value)
                })),
        OptionSpecification(
            "close-reason", value: OptionValue("TEXT"), requires: ["close-after"], group: .faults,
            summary: "Reason of that close",
            manual: "Close with the reason *TEXT* after `--close-after`, at most 123 bytes of UTF-8.",
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.closeReason = try CloseReasonValue.parse(value)
                })),
        OptionSpecification(
            "reject", value: OptionValue("STATUS"), group: .faults,
            summary: "Refuse with STATUS; 503x3: three times",
            manual: """
                Refuse every upgrade with *STATUS*, 300 through 599, or only the first ones: `503x3` refuses three and \
                accepts those after them. The fields of `--header` are in the refusal, too: `Location`, `Retry-After`, \
                `WWW-Authenticate`. Without them 401 and 407 ask for Basic, 405 allows no method, and 426 names the \
                protocol, as HTTP demands. Requests that could not be accepted anyway are answered as ever, and not counted.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.rejection = try RejectionValue.parse(value)
                })),
        OptionSpecification(
            "no-pong", group: .faults,
            summary: "Do not answer pings",
            manual: "Leave pings unanswered, though RFC 6455 §5.5.2 asks for an answer. They are shown as ever.",
            effect: .update(.listen { arguments, _ in arguments.faults.answersPings = false })),
        OptionSpecification(
            "throttle", value: OptionValue("RATE"), group: .faults,
            summary: "A slow network: bytes a second, 64k",
            manual: """
                Let *RATE* bytes a second through on each client's connection, each way, the upgrade and TLS included: \
                64 or more, `64k` and `1M` in powers of 1024.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.faults.bytesPerSecond = try ThrottleValue.parse(value)
                })),
        OptionSpecification(
            "replay", value: OptionValue("FILE", .file), singular: true,
            conflicts: ["echo", "broadcast", "exec", "input", "crlf"] + messageKinds + messageOutputs, group: .faults,
            summary: "Answer as in a recording",
            manual: """
                Answer each message as the server of the recording *FILE* did, see TRYING CLIENTS. Standard input is \
                then not read. `--replay-speed` keeps the pauses before the answers, or scales them; without it they \
                come at once.
                """,
            effect: .update(.listen { arguments, value in arguments.mode = .replay(path: value) })),
    ]
}
