extension OptionTable {
    /// How the server is reached.
    static let network = [
        OptionSpecification(
            "ipv4", "4", group: .network,
            summary: "Connect over IPv4 only",
            manual: "Connect over IPv4 only. Of `-4` and `-6` the last one counts.",
            effect: .update(.client { arguments, _ in arguments.addressFamily = .ipv4 })),
        OptionSpecification(
            "ipv6", "6", group: .network,
            summary: "Connect over IPv6 only",
            manual: "Connect over IPv6 only. Of `-4` and `-6` the last one counts.",
            effect: .update(.client { arguments, _ in arguments.addressFamily = .ipv6 })),
        OptionSpecification(
            "resolve", value: OptionValue("HOST:PORT:IP"), repeatable: true, group: .network,
            summary: "Connect to IP for this HOST and PORT",
            manual: """
                Connect to the address *IP* in place of looking *HOST* up, when its port is *PORT*. Several addresses have \
                commas between them, IPv6 addresses may be in brackets, and `*` for *HOST* is any host without an entry of \
                its own. Of several entries for one host and port the last counts. The request still names the host of \
                the URL.
                """,
            effect: .update(.client { arguments, value in arguments.resolve.append(value) })),
        OptionSpecification(
            "source-ip", value: OptionValue("IP"), repeatable: true, group: .network,
            summary: "Connect from this address",
            manual: """
                Connect from *IP*, an address of this machine. Given for both IPv4 and IPv6, each is used for its own \
                kind; of several of one kind the first counts, and *wsx-bench*(1) gives them to its connections in turn. An address of the server of a kind that none is given \
                for is not tried.
                """,
            effect: .update(.client { arguments, value in arguments.sourceIPs.append(value) })),
        OptionSpecification(
            "unix-socket", value: OptionValue("PATH", .file), group: .network,
            summary: "Connect to a socket file",
            manual: """
                Connect to the Unix domain socket at *PATH*; on Linux `@`*name* is one of the abstract namespace. Host and \
                path of the URL go into the request.
                """,
            effect: .update(.client { arguments, value in arguments.unixSocket = value })),
        OptionSpecification(
            "connect-timeout", value: OptionValue("DURATION"), default: "10s", group: .network,
            summary: "Time to connect, upgrade included",
            manual: """
                Give up with status 6 when everything up to the upgrade takes longer. A phase can have a limit of its \
                own: `name=`*DURATION*, `connection=`, `proxy=`, `tls=` or `upgrade=`; separate several by commas, as \
                in `20s,name=2s,tls=5s`.
                """,
            effect: .update(
                .client { arguments, value throws(ValueProblem) in
                    try ConnectTimeoutValue.parse(value, into: &arguments.connectTimeouts)
                })),
    ]
}
