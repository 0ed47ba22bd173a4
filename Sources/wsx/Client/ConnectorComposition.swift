import WSCore

/// Where the arguments of a client command lead, and how: URL parsed, files read, request composed, passphrases asked for.
struct ConnectorComposition {
    /// Where to connect to.
    let url: WebSocketURL
    /// What to ask for there, and how to get there.
    let connector: Connector.Settings
    /// TLS with the server and with proxies, as it was asked for; nil: it cannot be needed.
    let tls: TLSClientSettings?

    /// Works the arguments out, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: ClientArguments, secrets: Secrets) throws(Failure) {
        url = try Self.url(parsing: arguments.url)
        let proxies = try Self.proxies(arguments, secrets: secrets)
        let request = try RequestComposition(arguments: arguments, secrets: secrets).request(for: url)
        connector = Connector.Settings(
            request: request, destination: arguments.network.unixSocket.map { .unix(path: $0) },
            network: try NetworkSettings(arguments.network), proxies: proxies, serverName: arguments.tls.serverName,
            maximumRedirects: arguments.request.followsRedirects ? arguments.request.maximumRedirects : nil,
            timeouts: arguments.network.connectTimeouts)
        let isProxySecure = try Self.proxy(for: url, among: proxies)?.isSecure ?? false
        let needsTLS = url.isSecure || isProxySecure || arguments.request.followsRedirects || arguments.tls.areGiven
        tls = needsTLS ? try TLSComposition(arguments: arguments.tls, secrets: secrets).settings() : nil
    }

    /// A URL as typed, or ``Failure/badArgument(what:why:)``, which shows no password.
    static func url(parsing text: String) throws(Failure) -> WebSocketURL {
        do throws(URLError) {
            return try WebSocketURL(parsing: text)
        } catch {
            let shown = escapingControls(WebSocketURL.withoutUserInfo(text))
            throw .badArgument(what: "URL '\(shown)'", why: "\(error)")
        }
    }

    private static func proxies(_ arguments: ClientArguments, secrets: Secrets) throws(Failure) -> ProxyChoice {
        let proxy = try arguments.network.proxy.map { (proxy) throws(Failure) in
            try secrets.value(of: proxy, for: "--proxy")
        }
        do throws(ProxyURLError) {
            return try ProxyChoice(proxy: proxy, noProxy: arguments.network.noProxy, environment: secrets.environment)
        } catch {
            throw .badArgument(what: "--proxy", why: "\(error)")
        }
    }

    private static func proxy(for url: WebSocketURL, among proxies: ProxyChoice) throws(Failure) -> Proxy? {
        guard case .tcp(let host, let port) = url.endpoint else { return nil }
        do throws(ProxyChoiceError) {
            return try proxies.proxy(isSecure: url.isSecure, host: host, port: port)?.proxy
        } catch {
            throw .badArgument(what: "the variable \(error.variable)", why: "\(error.reason)")
        }
    }
}
