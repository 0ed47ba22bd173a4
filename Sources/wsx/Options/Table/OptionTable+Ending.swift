extension OptionTable {
    /// When the run ends, and with which words.
    static let ending = [
        OptionSpecification(
            "linger", value: OptionValue("DURATION"), group: .ending,
            summary: "Wait so long for replies after stdin (1s)",
            manual: """
                After standard input or the last *MESSAGE*, stay until nothing has arrived for *DURATION*, then close. \
                `forever` stays until the peer closes the connection. With `--until` that is the default. With requests \
                the time begins with the last reply, and by default is over at once. Otherwise it is `1s`.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in arguments.linger = try Linger.parse(value) })),
        OptionSpecification(
            "count", "n", value: OptionValue("N"), group: .ending,
            summary: "Leave after N received messages",
            manual: "Close the connection after *N* messages (1 or more) have been received, and exit with 0.",
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in arguments.count = try CountValue.parse(value) })),
        OptionSpecification(
            "until", value: OptionValue("REGEX"), repeatable: true, group: .ending,
            summary: "Leave when a message matches",
            manual: """
                Close the connection when a received message matches *REGEX*, and exit with 0. That message is still \
                written, and what comes after it counts no more. Of several expressions any one will do. The syntax is \
                that of Perl, as PCRE2 has it; binary messages are searched as well.
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
