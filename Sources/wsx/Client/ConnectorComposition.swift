import WSCore

/// Derives the target and the request from the arguments of a client command: parses the URL, reads files, and asks for
/// passphrases.
struct ConnectorComposition {
    /// The URL to connect to.
    let url: WebSocketURL
    /// The request and the way to the server.
    let connector: Connector.Settings
    /// TLS with the server and with proxies, or `nil` if TLS cannot be needed.
    let tls: TLSClientSettings?

    /// Interprets the arguments.
    /// - Throws: ``Failure/badArgument(what:why:)``.
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

    /// Parses a URL as typed.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
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
