import CommandLine

/// The options for admitting clients: who, how many at a time, and for how long.
struct AccessArguments: Equatable, Sendable {
    /// Origins allowed besides the server's own and loopback ones; `*` allows all.
    var origins: [String] = []
    /// As typed, each `USER:PASSWORD`, `@FILE` or `env:NAME`; any of them lets in, and so does a token.
    var credentials: [String] = []
    /// As typed, each a token, `@FILE` or `env:NAME`.
    var tokens: [String] = []
    /// 1 or more; nil: what the descriptor limit leaves.
    var maximumConnections: Int?
    /// More than 0; nil: clients may be idle for ever.
    var idleTimeout: Duration?

    static let options: [OptionSpecification<AccessArguments>] = [
        OptionSpecification(
            "origin", "o", value: OptionValue("ORIGIN"), repeatable: true, heading: .access,
            summary: "Let in browsers from ORIGIN; * is all",
            manual: """
                Accept browsers from *ORIGIN*, for instance `https://app.example`, as well. Without this option \
                a browser's Origin must be the server's own or a loopback one; any other is refused with 403. \
                `*` allows all. Clients that send no Origin are not concerned.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.origins.append(try OriginValue.parse(value, allAllowed: true))
        },
        OptionSpecification(
            "auth", "a", value: OptionValue("USER:PASSWORD"), repeatable: true, heading: .access,
            summary: "Let in who knows USER and PASSWORD",
            manual: """
                Answer requests with 401 unless they log in with HTTP basic authentication as *USER*. This holds for \
                everything on the port. With `--bearer`, either lets in. \
                Without TLS, whoever can read the traffic learns the password.
                """, .secrets
        ) { arguments, value in arguments.credentials.append(value) },
        OptionSpecification(
            "bearer", value: OptionValue("TOKEN"), repeatable: true, heading: .access,
            summary: "Let in who knows TOKEN",
            manual: """
                Answer requests with 401 unless they have the bearer token *TOKEN* (RFC 6750). With `--auth`, either \
                lets in.
                """, .secrets
        ) { arguments, value in arguments.tokens.append(value) },
        OptionSpecification(
            "max-connections", value: OptionValue("N"), heading: .limits,
            summary: "Most clients at a time",
            manual: """
                Serve *N* clients at a time, those counted in whose request is still to come. Further ones wait until \
                one has left.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.maximumConnections = try CountValue.parse(value)
        },
        OptionSpecification(
            "idle-timeout", value: OptionValue("DURATION"), heading: .limits,
            summary: "Close clients that are idle so long",
            manual: """
                Close a client with 1001 and the reason `idle` when nothing has come from it, and nothing was sent to it, \
                for *DURATION*, or up to a quarter longer. Pings and pongs count as well. A client that waits for what \
                `--delay` or `--replay` holds back is not idle.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.idleTimeout = try DurationValue.parse(value, zeroAllowed: false)
        },
    ]
}
