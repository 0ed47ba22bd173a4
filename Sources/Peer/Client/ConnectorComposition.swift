import Conversation
import UserInterface
import WSCore

/// Derives the target and the request from the arguments of a client command: parses the URL, reads files, and asks for
/// passphrases.
package struct ConnectorComposition {
    /// The URL to connect to, of the first connection.
    package let url: WebSocketURL
    /// The request for each connection.
    package let requests: RequestTemplate
    /// The request and the way to the server.
    package let connector: Connector.Settings
    /// TLS with the server and with proxies, or `nil` if TLS cannot be needed.
    package let tls: TLSClientSettings?

    /// Interprets the arguments.
    /// - Parameters:
    ///   - templates: The row of the first connection for the templates in the arguments, or `nil` if these contain
    ///     none.
    ///   - later: The URL of later connections as typed, and the variables that it may insert, or `nil` if it is the same.
    ///   - protocolSelection: The application protocol, or `nil` if there is none.
    ///   - detectsProtocol: Whether the application protocol is to be detected.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(
        _ arguments: ClientArguments, secrets: Secrets, templates: ChosenRow? = nil,
        later: (url: String, data: ChosenRow)? = nil, protocolSelection: ProtocolSelection? = nil,
        detectsProtocol: Bool = false, recordedSubprotocol: String? = nil
    ) throws(Failure) {
        let endpoint =
            protocolSelection?.descriptor.endpoint ?? recordedSubprotocol.map { .recorded($0) }
            ?? (detectsProtocol ? .undetected : nil)
        var requests = try RequestComposition(
            arguments: arguments, endpoint: endpoint, secrets: secrets, variables: templates?.columns
        ).template(
            for: URLTemplate(arguments.url, variables: templates?.columns, endpoint: endpoint, secrets: secrets))
        var values = RequestValues(connection: 1, templates ?? ChosenRow())
        let request: ClientRequest
        do throws(Failure) {
            request = try requests.request(&values)
        } catch {
            throw requests.isConstant ? error : templates?.naming(error) ?? error
        }
        let url = request.url
        requests.reconnectURL = try later.map { (later) throws(Failure) in
            try ReconnectURL(later.url, after: url, data: later.data, endpoint: endpoint, secrets: secrets)
        }
        self.requests = requests
        self.url = url
        if url.endpoint == .embeddedEcho, arguments.network.unixSocket != nil {
            throw .badArgument(
                what: "--unix-socket",
                why: "it has no effect with 'echo:', which runs in this program; write a URL such as ws://localhost/")
        }
        let proxies = try Self.proxies(arguments, secrets: secrets)
        secrets.record.add(request)
        var connector = Connector.Settings(
            request: request, destination: arguments.network.unixSocket.map { .unix(path: $0) })
        connector.negotiation = protocolSelection?.negotiation(maximumRedirects: arguments.request.maximumRedirects)
        connector.network = try NetworkSettings(arguments.network)
        connector.proxies = proxies
        connector.proxyAuthentication = arguments.network.proxyAuthentication
        connector.serverName = arguments.tls.serverName
        connector.redirects = RedirectPolicy(
            maximum: arguments.request.redirects != .none ? arguments.request.maximumRedirects : nil,
            isTrusted: arguments.request.redirects == .trusted)
        connector.timeouts = arguments.network.connectTimeouts
        self.connector = connector
        try Self.checkProxy(for: url, among: proxies, secrets: secrets)
        let needsTLS = connector.mayUseTLS || arguments.tls.areGiven || requests.leadsElsewhere
        tls = needsTLS ? try TLSComposition(arguments: arguments.tls, secrets: secrets).settings() : nil
    }

    /// Evaluates a URL as typed.
    /// - Parameters:
    ///   - templates: The values that it may insert, or `nil` if it contains no placeholders.
    ///   - endpoint: The path and query that the application protocol expects, or `nil` if there is none.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    package static func url(
        _ text: String, secrets: Secrets, templates: ChosenRow?, endpoint: ApplicationProtocol.Endpoint? = nil
    ) throws(Failure) -> WebSocketURL {
        guard !SecretReference.isProgram(text) else {
            throw .badArgument(what: "URL", why: "only the command line starts programs; write the URL itself")
        }
        var values = RequestValues(connection: 1, templates ?? ChosenRow())
        return try URLTemplate(text, variables: templates?.columns, endpoint: endpoint, secrets: secrets)
            .url(&values)
    }

    /// Parses a URL without placeholders as typed.
    /// - Parameter option: The option with the URL, for errors, or `nil` for the operand.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    static func url(parsing text: String, of option: String? = nil) throws(Failure) -> WebSocketURL {
        do throws(URLError) {
            return try WebSocketURL(parsing: text)
        } catch {
            let shown = escapingControls(WebSocketURL.shown(text))
            func corrected(_ scheme: String) -> String {
                let rest = text.utf8.dropFirst(scheme.utf8.count).drop { ":/".utf8.contains($0) }
                return escapingControls(WebSocketURL.shown("\(scheme)://\(Substring(rest))"))
            }
            let why =
                switch error {
                case .missingSlashes(let scheme): "two slashes are missing; write \(corrected(scheme))"
                case .missingColon(let scheme): "a colon must follow the scheme; write \(corrected(scheme))"
                case .space where text.mayHavePlaceholders: "\(error), or add --template to insert the value of {{…}}"
                default: "\(error)"
                }
            throw .badArgument(what: "\(option ?? "URL") '\(shown)'", why: why)
        }
    }

    package static func proxies(_ arguments: ClientArguments, secrets: Secrets) throws(Failure) -> ProxyChoice {
        let proxy = try arguments.network.proxy.map { (proxy) throws(Failure) in
            try secrets.value(of: proxy, for: "--proxy")
        }
        do throws(ProxyURLError) {
            return try ProxyChoice(proxy: proxy, noProxy: arguments.network.noProxy, environment: secrets.environment)
        } catch {
            throw .badArgument(what: "--proxy", why: "\(error)")
        }
    }

    private static func checkProxy(
        for url: WebSocketURL, among proxies: ProxyChoice, secrets: Secrets
    ) throws(Failure) {
        guard case .tcp(let host, let port) = url.endpoint else { return }
        do throws(ProxyChoiceError) {
            let proxy = try proxies.proxy(isSecure: url.isSecure, host: host, port: port)?.proxy
            secrets.record.add(proxy?.credentials)
        } catch {
            throw .badArgument(what: "environment variable \(error.variable)", why: "\(error.reason)")
        }
    }
}

extension Connector.Settings {
    /// Whether a connection may need TLS: with the server, with one that it redirects to, or with the proxy.
    package var mayUseTLS: Bool {
        if request.url.isSecure || redirects.maximum != nil || negotiation != nil { return true }
        guard case .tcp(let host, let port) = request.url.endpoint else { return false }
        return (try? proxies?.proxy(isSecure: false, host: host, port: port)?.proxy.isSecure) ?? false
    }
}
