extension OptionTable {
    /// What the server does and whom it lets in.
    static let server = [
        OptionSpecification(
            "echo", conflicts: ["broadcast"] + inputOptions + messageKinds + messageOutputs, group: .server,
            summary: "Send each message back to its sender",
            manual: "Send each message back to the client that sent it. Standard input is then not read.",
            effect: .update(.listen { arguments, _ in arguments.mode = .echo })),
        OptionSpecification(
            "broadcast", conflicts: ["echo"], group: .server,
            summary: "Send each message to all other clients",
            manual: """
                Send each message to all clients but the one that sent it, and show it as without the option. What is \
                typed, or read from standard input, goes to every client.
                """,
            effect: .update(.listen { arguments, _ in arguments.mode = .broadcast })),
        OptionSpecification(
            "path", value: OptionValue("PATH"), singular: true, group: .server,
            summary: "Accept only this request path",
            manual: """
                Accept only requests for *PATH*, for instance `/chat`, and answer others with 404. `%61` is the same as \
                `a`, and `%2f` the same as `%2F`, which is no slash.
                """,
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
                    arguments.subprotocols += try SubprotocolValue.parse(value)
                })),
        OptionSpecification(
            "header", "H", value: OptionValue("HEADER"), repeatable: true, group: .server,
            summary: "Add 'Name: value' or @FILE to responses",
            manual: """
                Add a field to the response that accepts a client, and to those to requests that ask for no WebSocket, \
                for instance `Access-Control-Allow-Origin: *`. There it takes the place of `Cache-Control: no-cache` \
                and `Cross-Origin-Resource-Policy: same-site`; what else a response has of its own stays. *HEADER* is \
                `Name: value`, or `@` and the path of a file that has one such field a line.
                """,
            effect: .update(.listen { arguments, value in arguments.headers.append(value) })),
        OptionSpecification(
            "origin", "o", value: OptionValue("ORIGIN"), repeatable: true, group: .access,
            summary: "Let in browsers from ORIGIN; * is all",
            manual: """
                Accept browsers from *ORIGIN*, for instance `https://app.example`, as well. Without this option \
                a browser's Origin must be the server's own or a loopback one; any other is refused with 403. \
                `*` allows all. Clients that send no Origin are not concerned.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.origins.append(try OriginValue.parse(value, allAllowed: true))
                })),
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
