import CommandLine
import WSCore

/// The options for the way to the server: addresses, time limits, and proxies.
struct NetworkArguments: Equatable, Sendable {
    /// The Internet protocols that a connection may use.
    enum Family {
        case any
        case ipv4
        case ipv6
    }

    var addressFamily = Family.any
    /// As typed: `HOST:PORT:IP[,IP...]`.
    var resolve: [String] = []
    var sourceIPs: [String] = []
    var unixSocket: String?
    var connectTimeouts = ConnectTimeouts()
    /// As typed: a URL.
    var proxy: String?
    /// As typed: hosts, separated by commas.
    var noProxy: String?

    static let options: [OptionSpecification<NetworkArguments>] = [
        OptionSpecification(
            "ipv4", "4", heading: .network,
            summary: "Connect over IPv4 only",
            manual: "Connect over IPv4 only. Of `-4` and `-6` the last one counts."
        ) { arguments, _ in arguments.addressFamily = .ipv4 },
        OptionSpecification(
            "ipv6", "6", heading: .network,
            summary: "Connect over IPv6 only",
            manual: "Connect over IPv6 only. Of `-4` and `-6` the last one counts."
        ) { arguments, _ in arguments.addressFamily = .ipv6 },
        OptionSpecification(
            "resolve", value: OptionValue("HOST:PORT:IP"), repeatable: true, heading: .network,
            summary: "Connect to IP for this HOST and PORT",
            manual: """
                Connect to the address *IP* in place of looking *HOST* up, when its port is *PORT*. Several addresses have \
                commas between them, IPv6 addresses may be in brackets, and `*` for *HOST* is any host without an entry of \
                its own. Of several entries for one host and port the last counts. The request still names the host of \
                the URL.
                """
        ) { arguments, value in arguments.resolve.append(value) },
        OptionSpecification(
            "source-ip", value: OptionValue("IP"), repeatable: true, heading: .network,
            summary: "Connect from this address",
            manual: """
                Connect from *IP*, an address of this machine. Given for both IPv4 and IPv6, each is used for its own \
                kind; of several of one kind the first counts, and *wsx-bench*(1) gives them to its connections in turn. An address of the server of a kind that none is given \
                for is not tried.
                """
        ) { arguments, value in arguments.sourceIPs.append(value) },
        OptionSpecification(
            "unix-socket", value: OptionValue("PATH", .file), heading: .network,
            summary: "Connect to a socket file",
            manual: """
                Connect to the Unix domain socket at *PATH*; on Linux `@`*name* is one of the abstract namespace. Host and \
                path of the URL go into the request.
                """
        ) { arguments, value in arguments.unixSocket = value },
        OptionSpecification(
            "connect-timeout", value: OptionValue("DURATION"), default: "10s", heading: .network,
            summary: "Time to connect, upgrade included",
            manual: """
                Give up with status 6 when everything up to the upgrade takes longer. A phase can have a limit of its \
                own: `name=`*DURATION*, `connection=`, `proxy=`, `tls=` or `upgrade=`; separate several by commas, as \
                in `20s,name=2s,tls=5s`.
                """
        ) { arguments, value throws(ValueProblem) in
            try ConnectTimeoutValue.parse(value, into: &arguments.connectTimeouts)
        },
        OptionSpecification(
            "proxy", value: OptionValue("URL"), heading: .network,
            summary: "Connect through a proxy",
            manual: """
                Connect through the proxy *URL*: `http://`, `https://` (CONNECT, over TLS), `socks5://` (names are looked \
                up here) or `socks5h://` (by the proxy), with *user*`:`*password*`@` where it wants them. Without the \
                option the variables in ENVIRONMENT say; an empty *URL* stands for no proxy.
                """, .secrets
        ) { arguments, value in arguments.proxy = value },
        OptionSpecification(
            "no-proxy", value: OptionValue("HOSTS"), heading: .network,
            summary: "Connect to these without a proxy",
            manual: """
                Connect to these hosts without a proxy, in place of the variable `no_proxy`: names, which stand for all \
                that end in them, too, addresses, networks as in `10.0.0.0/8`, or `*` for all, each with `:`*port* if it \
                matters, separated by commas.
                """
        ) { arguments, value in arguments.noProxy = value },
    ]
}
