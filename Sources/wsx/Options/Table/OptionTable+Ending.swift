extension OptionTable {
    /// When the run ends, and with which words.
    static let ending = [
        OptionSpecification(
            "linger", value: OptionValue("DURATION"), group: .ending,
            summary: "Wait for replies after the input [1s]",
            manual: """
                After the end of the input, stay connected until no message has arrived for *DURATION*, then close. \
                `forever` waits until the peer closes. The default is `1s`. With `--until` it is `forever`. With `--count` \
                it is 30 seconds after the last input, or `forever` if `--timeout` is given. With requests, the time starts \
                at the last reply and the default is `0`.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in arguments.linger = try Linger.parse(value) })),
        OptionSpecification(
            "count", "n", value: OptionValue("N"), group: .ending,
            summary: "Exit after N received messages",
            manual: """
                Close the connection once *N* messages (1 or more) have been received, and exit with 0. If fewer arrive, \
                the run fails: with status 6 when the wait is over (30 seconds after the last input, or `--linger`, or \
                `--timeout`), and with status 7 when the peer closes first. With `--no-stdin` only `--timeout` ends the wait.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in arguments.count = try CountValue.parse(value) })),
        OptionSpecification(
            "until", value: OptionValue("REGEX"), repeatable: true, group: .ending,
            summary: "Exit when a message matches",
            manual: """
                Close the connection when a received message matches *REGEX*, and exit with 0. The matching message is \
                the last one written. If the option is repeated, any one match is enough. If the peer closes before a \
                match, exit with 7. The syntax is Perl's, as implemented by PCRE2; binary messages are searched, too.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.until.append(try PatternValue.parse(value))
                })),
        OptionSpecification(
            "expect", value: OptionValue("REGEX"), repeatable: true, group: .ending,
            summary: "Exit with 7 unless a message matches",
            manual: """
                Exit with 7 where the run would end with 0, or by `--timeout`, and no received message has matched \
                *REGEX*. Of several expressions each must have matched. It ends nothing by itself: see `--until`.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.expectations.append(try PatternValue.parse(value))
                })),
        OptionSpecification(
            "timeout", value: OptionValue("DURATION"), group: .ending,
            summary: "End the whole run after so long",
            manual: "End the run with status 6 when it has taken *DURATION* and nothing else has ended it.",
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.timeout = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "timeout", value: OptionValue("DURATION"), group: .ending,
            summary: "End the whole run after so long",
            manual: """
                End the run with status 6 and the results so far when it has taken *DURATION*, opening of connections \
                included, and nothing else has ended it.
                """,
            effect: .update(
                .bench { arguments, value throws(ValueProblem) in
                    arguments.timeout = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "close-code", value: OptionValue("CODE"), default: "1000", group: .ending,
            summary: "Status code of the close frame",
            manual: """
                Close with the status code *CODE*: 1000 through 1003, 1007 through 1014, or 3000 through 4999. \
                The others may not be sent.
                """,
            effect: .update(
                .client { arguments, value throws(ValueProblem) in
                    arguments.closeCode = try CloseCodeValue.parse(value)
                })),
        OptionSpecification(
            "close-reason", value: OptionValue("TEXT"), group: .ending,
            summary: "Reason in the close frame",
            manual: "Close with the reason *TEXT*, at most 123 bytes of UTF-8.",
            effect: .update(
                .client { arguments, value throws(ValueProblem) in
                    arguments.closeReason = try CloseReasonValue.parse(value)
                })),
        OptionSpecification(
            "close-timeout", value: OptionValue("DURATION"), default: "5s", group: .ending,
            summary: "Time for the peer to answer a close",
            manual: "Drop the connection when the peer has not answered a close frame for *DURATION*.",
            effect: .update(
                .common { arguments, value throws(ValueProblem) in
                    arguments.closeTimeout = try DurationValue.parse(value)
                })),
    ]
}
