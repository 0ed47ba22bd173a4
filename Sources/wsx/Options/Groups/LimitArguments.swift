import CommandLine

/// The limits of messages, and of the time for a closing handshake.
struct LimitArguments: Equatable, Sendable {
    /// 64 MiB for a client, which asked for what it gets; less for a server, to which anyone may send.
    var maximumMessageBytes = 64 << 20
    var maximumFragments = 131_072
    /// The most bytes of one outgoing frame, 1 or more; nil never splits.
    var fragmentBytes: Int?
    var closeTimeout = Duration.seconds(5)

    /// The options.
    /// - Parameters:
    ///   - messageSize: The default of `--max-message-size`.
    ///   - manual: What the manual says of it.
    static func options(
        messageSize: String = "64M",
        manual: MarkedText = "Close with 1009 when a message to be received is larger than *SIZE*."
    ) -> [OptionSpecification<LimitArguments>] {
        [
            OptionSpecification(
                "close-timeout", value: OptionValue("DURATION"), default: "5s", heading: .ending,
                summary: "Time for the peer to answer a close",
                manual: "Drop the connection when the peer has not answered a close frame for *DURATION*."
            ) { arguments, value throws(ValueProblem) in
                arguments.closeTimeout = try DurationValue.parse(value)
            },
            OptionSpecification(
                "max-message-size", value: OptionValue("SIZE"), default: messageSize, heading: .limits,
                summary: "Largest message to receive", manual: manual
            ) { arguments, value throws(ValueProblem) in
                arguments.maximumMessageBytes = try SizeValue.parse(value)
            },
            OptionSpecification(
                "max-fragments", value: OptionValue("N"), default: "131072", heading: .limits,
                summary: "Most fragments of one message",
                manual: "Close with 1008 when a message arrives in more than *N* fragments."
            ) { arguments, value throws(ValueProblem) in
                arguments.maximumFragments = try CountValue.parse(value)
            },
            OptionSpecification(
                "fragment-size", value: OptionValue("SIZE"), heading: .limits,
                summary: "Split larger outgoing messages",
                manual:
                    "Send a message larger than *SIZE* in fragments of that many bytes. Messages are not split otherwise."
            ) { arguments, value throws(ValueProblem) in
                arguments.fragmentBytes = try SizeValue.parse(value)
            },
        ]
    }
}
