import CommandLine
import WSCore

/// The options for reaching the server: addresses, time limits, and proxies.
package struct NetworkArguments: Equatable, Sendable {
    /// The Internet protocols that a connection may use.
    package enum Family {
        case any
        case ipv4
        case ipv6
    }

    package var addressFamily = Family.any
    /// As typed: `HOST:PORT:IP[,IP...]`.
    package var resolve: [String] = []
    package var sourceIPs: [String] = []
    package var unixSocket: String?
    package var connectTimeouts = ConnectTimeouts()
    /// As typed: a URL.
    package var proxy: String?
    /// How the user and password of an HTTP proxy are sent.
    package var proxyAuthentication = AuthenticationMethod.basic
    /// As typed: a list of hosts.
    package var noProxy: String?
    package var httpVersion = HTTPVersion.http1

    package static let http2 = OptionSpecification<NetworkArguments>(
        "http2", heading: .network,
        summary: "Connect over HTTP/2",
        manual: """
            Open the WebSocket as a stream of an HTTP/2 connection (RFC 8441). A `wss://` server must select HTTP/2 in \
            the TLS handshake (ALPN `h2`), and a `ws://` server must speak it from the first byte (prior knowledge). \
            There is no fallback to HTTP/1.1. A proxy is still asked for a tunnel over HTTP/1.1.
            """,
        example: "--http2"
    ) { arguments, _ in arguments.httpVersion = .http2 }

    package static let options: [OptionSpecification<NetworkArguments>] = [
        OptionSpecification(
            "ipv4", "4", heading: .network,
            summary: "Connect over IPv4 only",
            manual: "Connect over IPv4 only."
        ) { arguments, _ in arguments.addressFamily = .ipv4 },
        OptionSpecification(
            "ipv6", "6", heading: .network,
            summary: "Connect over IPv6 only",
            manual: "Connect over IPv6 only. Of `--ipv4` and `--ipv6`, the last one wins."
        ) { arguments, _ in arguments.addressFamily = .ipv6 },
        OptionSpecification(
            "resolve", value: OptionValue("HOST:PORT:IP"), repetition: .adds, heading: .network,
            summary: "Use IP as the address of HOST:PORT",
            manual: """
                Use *IP* as the address of *HOST* on *PORT* instead of looking up the name. The request still names \
                the URL's host.
                """,
            """
            Separate several addresses with commas; IPv6 addresses may be in brackets. `*` as *HOST* matches any host \
            that no other entry names. If several entries match, the last one wins.
            """,
            example: "--resolve api.example:443:127.0.0.1", seeAlso: ["host"]
        ) { arguments, value in arguments.resolve.append(value) },
        OptionSpecification(
            "source-ip", value: OptionValue("IP"), repetition: .adds, heading: .network,
            summary: "Connect from this local address",
            manual: """
                Connect from *IP*, an address of this machine. To use both families, give an IPv4 and an IPv6 address: \
                server addresses of another family are skipped. Of several addresses of one family, `wsx connect` uses \
                the first and `wsx bench` uses all in turn.
                """,
            example: "--source-ip 192.0.2.17", seeAlso: ["ipv4"]
        ) { arguments, value in arguments.sourceIPs.append(value) },
        OptionSpecification(
            "unix-socket", value: OptionValue("PATH", .file), heading: .network,
            summary: "Connect to this Unix domain socket",
            manual: """
                Connect to the Unix domain socket at *PATH*. The URL's host and path are used only in the request, and \
                proxies are ignored. Redirects stay on the socket. On Linux, `@`*name* is a socket in the abstract \
                namespace.
                """,
            example: "--unix-socket /run/app.sock", seeAlso: ["host"]
        ) { arguments, value in arguments.unixSocket = value },
        OptionSpecification(
            "connect-timeout", value: OptionValue("DURATION"), default: "10s", heading: .network,
            summary: "Limit the time to connect",
            manual: """
                Give up with status 6 if connecting takes longer than *DURATION*. Connecting begins with the name \
                lookup and ends with the upgrade, and includes redirects. With `--ready` or `--protocol`, the login \
                after the upgrade has the same limit.
                """,
            """
            To limit a single phase, write its name before the duration: `name=` (name lookup), `connection=` (TCP or \
            Unix domain socket), `proxy=` (request to the proxy), `tls=` (TLS handshake), or `upgrade=` (WebSocket \
            handshake). Separate several limits with commas.
            """,
            example: "--connect-timeout 20s,name=2s,tls=5s", seeAlso: ["timeout"]
        ) { arguments, value throws(ValueProblem) in
            try ConnectTimeoutValue.parse(value, into: &arguments.connectTimeouts)
        },
        OptionSpecification(
            "proxy", value: OptionValue("URL"), startsProgram: SecretReference.isProgram, heading: .network,
            summary: "Connect through this proxy",
            manual: """
                Connect through the proxy at *URL*, which may contain *user*`:`*password*`@`. The schemes are \
                `http://` (HTTP CONNECT, the default), `https://` (CONNECT over TLS), `socks5://` (SOCKS 5; names are \
                looked up locally), and `socks5h://` (the proxy looks up names). The default port is 443 for `https` \
                and 1080 for the others.
                """,
            "This option overrides the proxy variables in ENVIRONMENT. An empty *URL* disables proxies.",
            .secrets, example: "--proxy socks5h://localhost:1080", seeAlso: ["no-proxy", "proxy-digest"]
        ) { arguments, value in arguments.proxy = value },
        OptionSpecification(
            "proxy-digest", heading: .network,
            summary: "Log in to the proxy with HTTP Digest",
            manual: """
                Log in to an HTTP proxy with Digest authentication, never with Basic, like `--digest` for servers. Of \
                `--proxy-digest` and `--proxy-anyauth`, the last one wins.
                """,
            example: "--proxy http://me:secret@localhost:3128 --proxy-digest", seeAlso: ["proxy"]
        ) { arguments, _ in arguments.proxyAuthentication = .digest },
        OptionSpecification(
            "proxy-anyauth", heading: .network,
            summary: "Log in to the proxy with its best scheme",
            manual: """
                Log in to an HTTP proxy with the strongest scheme that it offers, like `--anyauth` for servers.
                """,
            seeAlso: ["proxy"]
        ) { arguments, _ in arguments.proxyAuthentication = .strongest },
        OptionSpecification(
            "no-proxy", value: OptionValue("HOSTS"), heading: .network,
            summary: "Connect to these hosts without a proxy",
            manual: """
                Connect to these hosts without a proxy. *HOSTS* is a comma-separated list of names, addresses, and \
                networks such as `10.0.0.0/8`, each with an optional `:`*port*. A name also matches its subdomains, \
                and `*` matches every host. This option overrides the variable `no_proxy`.
                """,
            example: "--no-proxy localhost,corp.example,10.0.0.0/8", seeAlso: ["proxy"]
        ) { arguments, value in arguments.noProxy = value },
    ]
}
