import Peer
import UserInterface
import WSCore

/// What `wsx relay` does, as an HTTP proxy, with each server that clients name.
struct ProxyRules {
    /// TLS with clients, with certificates of our authority.
    let layer: TLSLayer
    private let intercepted: [HostPattern]
    /// The servers that get the login of the command line.
    let login: LoginScope
    /// Issues certificates for the hosts that are intercepted.
    let authority: CertificateAuthority
    /// The requests to hosts without that login.
    let otherRequests: RequestTemplate

    /// - Parameters:
    ///   - composition: The requests with the login.
    ///   - addsLogin: Whether they have one, apart from fields that are no secrets.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(
        _ relay: RelayMode, _ composition: ConnectorComposition, addsLogin: Bool, secrets: Secrets
    ) throws(Failure) {
        authority = try relay.proxy.authority(secrets.environment)
        let keyLog = try KeyLog.writer(environment: secrets.environment)
        do throws(TLSConfigurationError) {
            layer = try TLSLayer(authority: authority, keyLog: keyLog)
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
        intercepted = relay.proxy.intercepted
        guard intercepted.onlyHost != nil else {
            login = .none
            otherRequests = composition.requests
            return
        }
        login = addsLogin || !relay.server.request.headers.isEmpty ? .host(intercepted[0]) : .none
        var others = ClientArguments(compression: relay.server.compression)
        others.url = Self.exampleURL(of: relay)
        others.network = relay.server.network
        others.request.userAgent = relay.server.request.userAgent
        otherRequests = try ConnectorComposition(others, secrets: secrets).requests
    }

    /// A URL in place of those of clients, for the login of the command line.
    static func exampleURL(of relay: RelayMode) -> String {
        let host = relay.proxy.intercepted.onlyHost ?? "localhost"
        return "https://\(host.contains(":") ? "[\(host)]" : host)/"
    }

    /// Whether a request concerns a server whose connections are intercepted, or none that is valid.
    func intercepts(_ request: RequestHead) -> Bool {
        (ProxyTarget(of: request) ?? ProxyTarget(connecting: request.target)).map { intercepted.matches($0.host) }
            ?? true
    }

    /// Checks that a WebSocket can be shown: those of other hosts pass only in tunnels.
    func checkInterception(of request: RequestHead) throws(HandshakeRefusal) {
        guard !intercepts(request), let target = ProxyTarget(of: request) else { return }
        let reason = "The proxy does not intercept \(target.host); add it with --intercept, or use CONNECT."
        throw HandshakeRefusal(status: 403, reason: reason, request: request)
    }

    /// The server that a client names, for messages.
    static func shownServer(of request: RequestHead) -> String {
        guard let url = request.targetURL?.passing("/").shortDescription else {
            return escapingControls(request.target)
        }
        return request.isUpgrade ? url : "http" + url.dropFirst("ws".count)
    }
}
