extension OptionTable {
    /// How large things may be.
    static let limits = [
        OptionSpecification(
            "max-message-size", value: OptionValue("SIZE"), default: "64M", group: .limits,
            summary: "Largest message to receive",
            manual: "Close with 1009 when a message to be received is larger than *SIZE*.",
            effect: .update(
                .client { arguments, value throws(ValueProblem) in
                    arguments.maximumMessageBytes = try SizeValue.parse(value)
                })),
        OptionSpecification(
            "max-message-size", value: OptionValue("SIZE"), default: "16M", group: .limits,
            summary: "Largest message to receive",
            manual: "Close a client with 1009 when it sends a message larger than *SIZE*.",
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.maximumMessageBytes = try SizeValue.parse(value)
                })),
        OptionSpecification(
            "max-fragments", value: OptionValue("N"), default: "131072", group: .limits,
            summary: "Most fragments of one message",
            manual: "Close with 1008 when a message arrives in more than *N* fragments.",
            effect: .update(
                .common { arguments, value throws(ValueProblem) in
                    arguments.maximumFragments = try CountValue.parse(value)
                })),
        OptionSpecification(
            "fragment-size", value: OptionValue("SIZE"), group: .limits,
            summary: "Split larger outgoing messages",
            manual:
                "Send a message larger than *SIZE* in fragments of that many bytes. Messages are not split otherwise.",
            effect: .update(
                .common { arguments, value throws(ValueProblem) in
                    arguments.fragmentBytes = try SizeValue.parse(value)
                })),
    ]
}
