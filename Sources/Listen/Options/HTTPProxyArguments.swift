import CommandLine
import UserInterface
import WSCore

/// The options of `wsx relay` as an HTTP proxy.
package struct HTTPProxyArguments: Equatable, Sendable {
    /// The hosts whose connections are intercepted; empty: all.
    package var intercepted: [HostPattern] = []
    /// As typed: `USER:PASSWORD`, `@FILE`, or `env:NAME`; `nil` if clients need no login.
    package var login: String?
    /// `nil`: in the user's state directory.
    package var authorityDirectory: String?
    /// Whether to print the certificate of the authority, and nothing else.
    package var printsAuthority = false

    static let options: [OptionSpecification<HTTPProxyArguments>] = [
        OptionSpecification(
            "intercept", value: OptionValue("HOST"), repetition: .adds, heading: .proxy,
            summary: "Intercept only connections to HOST",
            manual: """
                As an HTTP proxy, intercept only connections to *HOST*, in which `*` stands for any text. Without this \
                option, all are. Others pass untouched, with one line in the log. See HTTP PROXY.
                """,
            example: "wsx relay --intercept '*.example' 8080", seeAlso: ["proxy-login"]
        ) { arguments, value throws(ValueProblem) in
            guard let pattern = HostPattern(value) else {
                throw .unusable(words: "write a host without a port, such as api.example or, in ASCII, *.example")
            }
            arguments.intercepted.append(pattern)
        },
        OptionSpecification(
            "proxy-login", value: OptionValue("USER:PASSWORD"), startsProgram: SecretReference.isProgram,
            heading: .proxy,
            summary: "Require a login of the proxy's clients",
            manual: """
                As an HTTP proxy, require *USER* and *PASSWORD* (Proxy-Authorization, Basic); others get 407. Required to \
                listen on another address than loopback.
                """, .secrets,
            example: "wsx relay --proxy-login env:PROXY_LOGIN '*:8080'", seeAlso: ["intercept"]
        ) { arguments, value in arguments.login = value },
    ]
}

extension ListenArguments {
    /// Checks the options of a relay: some have no effect for an HTTP proxy or with a command, and others only there.
    /// - Parameters:
    ///   - isLocal: Whether only this machine can reach the relay.
    ///   - hasPort: Whether it listens on a port.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func checkRelay(isLocal: Bool, hasPort: Bool) throws(Failure) {
        guard case .relay(let relay) = mode else { return }
        let startsSomething = !address.isEmpty || !relay.isProxy || !relay.command.isEmpty
        let problems =
            [
                (
                    relay.proxy.printsAuthority && startsSomething, "--print-ca",
                    "it starts nothing; omit port, URL, and command"
                )
            ]
            + (relay.isProxy ? proxyProblems(of: relay, isLocal: isLocal) : serverProblems(of: relay))
            + (relay.command.isEmpty ? [] : commandProblems(of: relay, hasPort: hasPort))
        for (isProblem, option, why) in problems where isProblem { throw .badArgument(what: option, why: why) }
    }

    /// What is wrong with an option if the condition is true.
    private typealias Problem = (Bool, String, String)

    private var place: String { "[ADDRESS:]PORT '\(escapingControls(address))'" }

    private func proxyProblems(of relay: RelayMode, isLocal: Bool) -> [Problem] {
        let (request, tls) = (relay.server.request, relay.server.tls)
        let client = "clients choose the server of an HTTP proxy; write the URL of one, or omit the option"
        let login = "it is for one server; add exactly one --intercept HOST, without '*'"
        let hasNoLogin = relay.proxy.intercepted.onlyHost == nil
        let hasHost = request.headers.contains { $0.lowercased().hasPrefix("host:") }
        return [
            (server.acceptsHTTP2, "--http2", "an HTTP proxy speaks HTTP/1.1 with its clients; omit it"),
            (request.host != nil, "--host", client), (hasHost, "--header Host", client),
            (relay.server.network.unixSocket != nil, "--unix-socket", client),
            (tls.serverName != nil, "--tls-server-name", client),
            (hasNoLogin && !request.headers.isEmpty, "--header", login),
            (hasNoLogin && request.auth != nil, "--auth", login),
            (hasNoLogin && request.bearer != nil, "--bearer", login),
            (hasNoLogin && request.usesNetrc, "--netrc", login),
            (hasNoLogin && request.signatureScope != nil, "--aws-sigv4", login),
            (hasNoLogin && tls.certificate != nil, "--cert", login),
            (
                !isLocal && relay.proxy.login == nil, place,
                "other machines could use this proxy; add --proxy-login, or listen on 127.0.0.1"
            ),
        ]
    }

    private func serverProblems(of relay: RelayMode) -> [Problem] {
        let why = "it is for an HTTP proxy, which has no URL; omit one of the two"
        return [
            (!relay.proxy.intercepted.isEmpty, "--intercept", why), (relay.proxy.login != nil, "--proxy-login", why),
            (relay.proxy.authorityDirectory != nil, "--proxy-ca", why),
        ]
    }

    private func commandProblems(of relay: RelayMode, hasPort: Bool) -> [Problem] {
        [
            (
                !relay.isProxy, "COMMAND",
                "it runs behind an HTTP proxy, which has no URL; omit the URL, or what follows '--'"
            ),
            (!hasPort, place, "the command needs a port; 0 picks a free one"),
            (
                tls.isUsed, tls.isSelfSigned ? "--tls-self-signed" : "--tls-cert",
                "the command reaches the proxy on this machine, without TLS; omit it"
            ),
            (server.servesOnce, "--once", "the relay ends with the command; omit it"),
            (format.asksForOutput, "--output", "standard output is the command's; use --record FILE"),
        ]
    }
}

extension [HostPattern] {
    /// The only host that matches, or `nil` if there may be several.
    var onlyHost: String? { count == 1 ? self[0].host : nil }

    /// Whether connections to a host are intercepted.
    func matches(_ host: String) -> Bool { isEmpty || contains { $0.matches(host) } }
}
