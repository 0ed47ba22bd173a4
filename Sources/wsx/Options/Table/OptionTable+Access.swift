extension OptionTable {
    /// Who may come in, how many at a time, and for how long.
    static let access = [
        OptionSpecification(
            "auth", "a", value: OptionValue("USER:PASSWORD"), repeatable: true, group: .access,
            summary: "Let in who knows USER and PASSWORD",
            manual: """
                Answer requests with 401 unless they log in with HTTP basic authentication as *USER*. This holds for \
                everything on the port. With `--bearer`, either lets in. \
                Without TLS, whoever can read the traffic learns the password.
                """, secrets,
            effect: .update(.listen { arguments, value in arguments.credentials.append(value) })),
        OptionSpecification(
            "bearer", value: OptionValue("TOKEN"), repeatable: true, group: .access,
            summary: "Let in who knows TOKEN",
            manual: """
                Answer requests with 401 unless they have the bearer token *TOKEN* (RFC 6750). With `--auth`, either \
                lets in.
                """, secrets,
            effect: .update(.listen { arguments, value in arguments.tokens.append(value) })),
        OptionSpecification(
            "max-connections", value: OptionValue("N"), group: .limits,
            summary: "Most clients at a time",
            manual: """
                Serve *N* clients at a time, those counted in whose request is still to come. Further ones wait until \
                one has left.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.maximumConnections = try CountValue.parse(value)
                })),
        OptionSpecification(
            "idle-timeout", value: OptionValue("DURATION"), group: .limits,
            summary: "Close clients that are idle so long",
            manual: """
                Close a client with 1001 and the reason `idle` when nothing has come from it, and nothing was sent to it, \
                for *DURATION*, or up to a quarter longer. Pings and pongs count as well. A client that waits for what \
                `--delay` or `--replay` holds back is not idle.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.idleTimeout = try DurationValue.parse(value, zeroAllowed: false)
                })),
        OptionSpecification(
            "threads", value: OptionValue("N"), default: "1", conflicts: ["once", "record", "max-connections", "seed"],
            group: .server,
            summary: "Threads of --echo and --replay",
            manual: """
                Serve on *N* threads, between which the system deals the clients out. Each client is served by one of \
                them; only `--echo` and `--replay` do so.
                """,
            effect: .update(
                .listen { arguments, value throws(ValueProblem) in
                    arguments.threadCount = try CountValue.parse(value, largest: 256)
                })),
        OptionSpecification(
            "once", group: .server,
            summary: "Serve one client, then end",
            manual: """
                Serve one WebSocket client and end when it has left, with the status by which `wsx connect` would tell \
                of that end; with `--exec` it is 1 when the program failed, unless it had to be ended. As soon as it is accepted, nobody else is. Requests that are refused, and those for \
                pages, do not count. The end of standard input ends nothing: the client is waited for.
                """,
            effect: .update(.listen { arguments, _ in arguments.servesOnce = true })),
    ]
}
