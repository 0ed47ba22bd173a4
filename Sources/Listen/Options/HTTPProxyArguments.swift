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
    /// Checks the options of a relay: some have no effect for an HTTP proxy, and others only there.
    /// - Parameter isLocal: Whether only this machine can reach the port.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func checkProxyOptions(isLocal: Bool) throws(Failure) {
        guard case .relay(let relay) = mode else { return }
        let (request, network, tls, proxy) = (relay.server.request, relay.server.network, relay.server.tls, relay.proxy)
        let problems: [(Bool, String, String)]
        if relay.isProxy {
            let client = "clients choose the server of an HTTP proxy; write the URL of one, or omit the option"
            let login = "it is for one server; add exactly one --intercept HOST, without '*'"
            let hasNoLogin = proxy.intercepted.onlyHost == nil
            problems = [
                (server.acceptsHTTP2, "--http2", "an HTTP proxy speaks HTTP/1.1 with its clients; omit it"),
                (request.host != nil, "--host", client), (network.unixSocket != nil, "--unix-socket", client),
                (tls.serverName != nil, "--tls-server-name", client),
                (hasNoLogin && !request.headers.isEmpty, "--header", login),
                (hasNoLogin && request.auth != nil, "--auth", login),
                (hasNoLogin && request.bearer != nil, "--bearer", login),
                (hasNoLogin && request.usesNetrc, "--netrc", login),
                (hasNoLogin && request.signatureScope != nil, "--aws-sigv4", login),
                (hasNoLogin && tls.certificate != nil, "--cert", login),
                (
                    !isLocal && proxy.login == nil, "[ADDRESS:]PORT '\(escapingControls(address))'",
                    "other machines could use this proxy; add --proxy-login, or listen on 127.0.0.1"
                ),
            ]
        } else {
            let url = "it is for an HTTP proxy, which has no URL; omit one of the two"
            problems = [
                (!proxy.intercepted.isEmpty, "--intercept", url), (proxy.login != nil, "--proxy-login", url),
                (proxy.authorityDirectory != nil, "--proxy-ca", url),
            ]
        }
        for (isProblem, option, why) in problems where isProblem { throw .badArgument(what: option, why: why) }
    }
}

extension [HostPattern] {
    /// The only host that matches, or `nil` if there may be several.
    var onlyHost: String? { count == 1 ? self[0].host : nil }

    /// Whether connections to a host are intercepted.
    func matches(_ host: String) -> Bool { isEmpty || contains { $0.matches(host) } }
}
