extension OptionTable {
    /// What is sent, besides standard input.
    static let messages = [
        OptionSpecification(
            "execute", "x", value: OptionValue("MESSAGE"), repeatable: true, group: .messages,
            summary: "Send MESSAGE once open, as the operand does",
            manual: """
                Send *MESSAGE* once the connection is open, after those given as operands. \
                Otherwise it is the same as an operand. A proxy's address is rejected: curl's `-x` is `--proxy`.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.messages.append(try MessageValue.parse(value))
                })),
        OptionSpecification(
            "file", "f", value: OptionValue("PATH", .file), group: .messages,
            summary: "Send the file as one message",
            manual: """
                Send the whole file at *PATH* as one message once the connection is open, after every *MESSAGE*. \
                `-` stands for standard input. Otherwise it is then not read, unless `--interactive` is given.
                """,
            effect: .update(
                .connect { arguments, value throws(ValueProblem) in
                    arguments.file = try MessageFileValue.parse(value)
                })),
        OptionSpecification(
            "interactive", "i", conflicts: ["no-stdin"], group: .messages,
            summary: "Go on with stdin after the messages",
            manual: """
                After the messages given as arguments go on with standard input: \
                with the prompt on a terminal, with the pipe elsewhere.
                """,
            effect: .update(.connect { arguments, _ in arguments.isInteractive = true })),
        OptionSpecification(
            "no-stdin", group: .messages,
            summary: "Do not read stdin, only receive",
            manual: """
                Do not read standard input. The run goes on until the peer closes the connection, or `--count`, \
                `--until`, `--timeout` or an interrupt ends it. `--linger` has no effect.
                """,
            effect: .update(.connect { arguments, _ in arguments.readsInput = false })),
        OptionSpecification(
            "no-stdin", conflicts: inputOptions, group: .messages,
            summary: "Do not read stdin, only receive",
            manual: "Do not read standard input: nothing is sent but what the protocol asks for.",
            effect: .update(.listen { arguments, _ in arguments.readsInput = false })),
        text(.update(.connect { arguments, _ in arguments.payload = .text })),
        text(
            conflicts: ["input=json"],
            .update(.listen { arguments, _ in arguments.payload = .text })),
        binary(.update(.connect { arguments, _ in arguments.payload = .binary })),
        binary(
            conflicts: ["input=json"],
            .update(.listen { arguments, _ in arguments.payload = .binary })),
    ]

    // Messages on the command line of `connect` are of this kind whatever standard input is.

    private static func text(conflicts: [OptionReference] = [], _ effect: OptionEffect) -> OptionSpecification {
        OptionSpecification(
            "text", conflicts: conflicts, group: .messages,
            summary: "Send text messages (default)",
            manual: """
                Send text messages, also where `--input chunks`, `hex` or `base64` would send binary ones. \
                Of `--text` and `--binary` the last one counts.
                """,
            effect: effect)
    }

    private static func binary(conflicts: [OptionReference] = [], _ effect: OptionEffect) -> OptionSpecification {
        OptionSpecification(
            "binary", conflicts: conflicts, group: .messages,
            summary: "Send binary messages",
            manual: "Send binary messages. Of `--text` and `--binary` the last one counts.",
            effect: effect)
    }
}
