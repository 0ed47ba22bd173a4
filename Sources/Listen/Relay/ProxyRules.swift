import Peer
import UserInterface
import WSCore

/// What `wsx relay` does, as an HTTP proxy, with each server that clients name.
struct ProxyRules {
    /// TLS with clients, with certificates of our authority.
    let layer: TLSLayer
    private let intercepted: [HostPattern]
    /// The host that gets the login of the command line, or `nil` if there is none.
    let loginHosts: HostPattern?
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
        guard addsLogin || !relay.server.request.headers.isEmpty, intercepted.onlyHost != nil else {
            loginHosts = nil
            otherRequests = composition.requests
            return
        }
        loginHosts = intercepted.first
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

    /// Whether connections to a server are intercepted.
    func intercepts(_ target: ProxyTarget) -> Bool { intercepted.intercept(target.host) }

    /// Whether a server gets the login of the command line: not in the clear, because any page can make a browser send a
    /// request to port 80 of the host.
    func addsLogin(to url: WebSocketURL?) -> Bool {
        guard let loginHosts, let url, case .tcp(let host, _) = url.endpoint else { return false }
        return loginHosts.matches(host) && (url.isSecure || url.isLoopback)
    }

    /// Checks that a WebSocket can be shown: those of other hosts pass only in tunnels.
    func checkInterception(of request: RequestHead) throws(HandshakeRefusal) {
        guard let target = ProxyTarget(of: request), !intercepts(target) else { return }
        let reason = "The proxy does not intercept \(target.host); add it with --intercept, or use CONNECT."
        throw HandshakeRefusal(status: 403, reason: reason, request: request)
    }

    /// The server that a client names, for messages.
    static func shownServer(of request: RequestHead) -> String {
        request.targetURL?.passing("/").shortDescription ?? escapingControls(request.target)
    }
}
