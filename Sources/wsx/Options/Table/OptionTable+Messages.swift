extension OptionTable {
    /// What is sent, besides standard input.
    static let messages = [
        OptionSpecification(
            "execute", "x", value: OptionValue("MESSAGE"), repeatable: true, group: .messages,
            summary: "Send MESSAGE once open, as the operand does",
            manual: """
                Send *MESSAGE* once the connection is open, after those given as operands. \
                The same as an operand in all else.
                """,
            effect: .update(.connect { arguments, value in arguments.messages.append(value) })),
        OptionSpecification(
            "file", "f", value: OptionValue("PATH", .file), group: .messages,
            summary: "Send the file as one message",
            manual: """
                Send the whole file at *PATH* as one message once the connection is open, after every *MESSAGE*. \
                `-` stands for standard input. Otherwise it is then not read, unless `--interactive` is given.
                """,
            effect: .update(.connect { arguments, value in arguments.file = value })),
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
                Do not read standard input. The run goes on until the peer closes the connection, \
                or `--count`, `--timeout` or an interrupt ends it.
                """,
            effect: .update(.connect { arguments, _ in arguments.readsInput = false })),
        OptionSpecification(
            "no-stdin", group: .messages,
            summary: "Do not read stdin, only receive",
            manual: "Do not read standard input: nothing is sent but what the protocol asks for.",
            effect: .update(.listen { arguments, _ in arguments.readsInput = false })),
        OptionSpecification(
            "text", group: .messages,
            summary: "Send text messages (default)",
            manual: """
                Send text messages, also where `--input chunks`, `hex` or `base64` would send binary ones. \
                Of `--text` and `--binary` the last one counts.
                """,
            effect: .update(.shared { arguments, _ in arguments.payload = .text })),
        OptionSpecification(
            "binary", group: .messages,
            summary: "Send binary messages",
            manual: "Send binary messages. Of `--text` and `--binary` the last one counts.",
            effect: .update(.shared { arguments, _ in arguments.payload = .binary })),
    ]

    /// What the server does and whom it lets in.
    static let server = [
        OptionSpecification(
            "echo", group: .server,
            summary: "Send each message back to its sender",
            manual: "Send each message back to the client that sent it. Standard input is then not read.",
            effect: .update(.listen { arguments, _ in arguments.isEcho = true })),
        OptionSpecification(
            "path", value: OptionValue("PATH"), group: .server,
            summary: "Accept only this request path",
            manual: "Accept only requests for *PATH*, for instance `/chat`, and answer others with 404.",
            effect: .update(.listen { arguments, value in arguments.path = value })),
        OptionSpecification(
            "subprotocol", "s", value: OptionValue("NAME"), repeatable: true, group: .server,
            summary: "Speak this subprotocol (also A,B)",
            manual: """
                Speak the subprotocol *NAME* with clients that offer it. Repeat the option or separate names by \
                commas for several; the first one that a client offers is taken.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.subprotocols += try NameList.parse(value)
                })),
        OptionSpecification(
            "header", "H", value: OptionValue("HEADER"), repeatable: true, group: .server,
            summary: "Add 'Name: value' or @FILE to responses",
            manual: """
                Add a field to the response that accepts a client. *HEADER* is `Name: value`, \
                or `@` and the path of a file that has one such field a line.
                """,
            effect: .update(.listen { arguments, value in arguments.headers.append(value) })),
        OptionSpecification(
            "origin", "o", value: OptionValue("ORIGIN"), repeatable: true, group: .server,
            summary: "Let in browsers from ORIGIN; * is all",
            manual: """
                Accept browsers from *ORIGIN*, for instance `https://app.example`, as well. Without this option \
                a browser's Origin must be the server's own or a loopback one; any other is refused with 403. \
                `*` allows all. Clients that send no Origin are not concerned.
                """,
            effect: .update(.listen { arguments, value in arguments.origins.append(value) })),
        OptionSpecification(
            "handshake-timeout", value: OptionValue("DURATION"), default: "10s", group: .server,
            summary: "Time for a client's upgrade",
            manual: "Refuse a client with 408 when its upgrade takes longer than *DURATION*.",
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.handshakeTimeout = try DurationValue.parse(value, zeroAllowed: false)
                })),
    ]
}
