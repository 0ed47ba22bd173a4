import Conversation
import Peer
import UserInterface
import WSCore

/// How `wsx relay` reaches its server, or those that the clients of an HTTP proxy name.
struct RelaySettings {
    /// Maps the heads of requests and responses.
    let gateway: Gateway
    /// The resources of the connections to the server.
    let resources: ConnectorResources
    /// The URL of the server, without credentials, for messages.
    let shownURL: String
    /// The servers that get a login, or a client certificate, that clients do not have.
    let login: LoginScope
    /// Whether requests that are no WebSockets, and the heads of those that are, are written as events.
    let reportsHTTP: Bool
    /// Changes messages, or `nil` to forward them as they are.
    let rewriter: Rewriter?
    /// The rules of an HTTP proxy, or `nil` if there is one server.
    let proxy: ProxyRules?
    /// The command to run behind the proxy, or `nil` if there is none.
    let command: RelayCommand.Settings?
    /// The addresses on which the relay listens.
    var ownAddresses: [SocketAddress] = []
    private let connector: Connector.Settings
    private let requests: RequestTemplate

    /// Interprets the arguments.
    /// - Parameter isSecure: Whether clients use TLS.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ relay: RelayMode, isSecure: Bool, secrets: Secrets) throws(Failure) {
        var arguments = relay.server
        if relay.isProxy { arguments.url = ProxyRules.exampleURL(of: relay) }
        rewriter = try relay.rewriting.rewriter(limitBytes: arguments.limits.maximumMessageBytes, secrets: secrets)
        // Redirects are for the client.
        arguments.request.redirects = .none
        let composition = try ConnectorComposition(arguments, secrets: secrets)
        guard composition.url.endpoint != .embeddedEcho else {
            throw .badArgument(
                what: "URL 'echo:'", why: "a relay needs a server; start one with 'wsx listen --echo 9000'")
        }
        let addsLogin =
            composition.requests.hasLogin || composition.url.userInfo != nil || composition.tls?.certificate != nil
        proxy =
            relay.isProxy ? try ProxyRules(relay, composition, addsLogin: addsLogin, secrets: secrets) : nil
        login = proxy?.login ?? (addsLogin ? .all : .none)
        let host = composition.connector.request.fields.first(named: "Host") ?? ""
        gateway = Gateway(
            to: relay.isProxy ? nil : (composition.url, host), isSecure: isSecure,
            identifier: "wsx-\(UInt64.random(in: .min ... .max))", login: login, name: relay.gateway.name)
        reportsHTTP = relay.gateway.reportsHTTP
        do throws(TLSConfigurationError) {
            resources = try ConnectorResources(tls: composition.tls)
            // Those of one client must not go to the server with the requests of another.
            resources.storesCookies = false
        } catch {
            throw .badArgument(what: "TLS", why: "\(error)")
        }
        command = relay.command.isEmpty ? nil : try RelayCommand.Settings(relay, secrets: secrets)
        shownURL = composition.url.shortDescription
        connector = composition.connector
        requests = composition.requests
    }

    /// Checks that neither the URL nor an upstream proxy is the relay, whose requests would come back without end. Other ways
    /// back, such as those through names, are found by ``Gateway/hasForwarded(_:)``.
    /// - Parameter place: A place where the relay listens.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func check(against place: Connector.Settings.Destination) throws(Failure) {
        for chosen in proxy == nil ? [] : connector.proxies?.all ?? [] {
            var upstream = connector
            upstream.destination = .tcp(host: chosen.proxy.host, port: chosen.proxy.port)
            guard upstream.leads(to: place) else { continue }
            throw .badArgument(
                what: chosen.variable.map { "environment variable \($0)" } ?? "--proxy",
                why: "the relay itself listens there; name another proxy, or add --proxy '' for none")
        }
        guard proxy == nil, connector.leads(to: place) else { return }
        throw .badArgument(
            what: "URL '\(escapingControls(shownURL))'",
            why: "the relay itself listens there; use another port for it, or the URL of the server")
    }

    /// How to connect for a client's upgrade.
    /// - Throws: ``HandshakeRefusal`` if the request cannot be forwarded.
    func upgrading(_ upgrade: ServerUpgrade) throws(HandshakeRefusal) -> Connector.Settings {
        let request = upgrade.request
        if let proxy { try proxy.checkInterception(of: request) }
        var forwarded = RequestTemplate.Forwarded(request, by: gateway)
        // Without it, the relay would compress what the client sends as it is.
        forwarded.offersCompression = DeflatePreferences().accept(upgrade.extensionOffers) != nil
        // A client that asks for the root means the URL of the server.
        if forwarded.target == "/" { forwarded.target = nil }
        return try settings(sending: forwarded, of: request)
    }

    /// How to connect for a client's request that is not an upgrade.
    /// - Parameter framing: The field with the length of the body; nil if there is no body.
    /// - Throws: ``HandshakeRefusal`` if the request cannot be forwarded.
    func forwarding(_ request: RequestHead, framing: HeaderField?) throws(HandshakeRefusal) -> Connector.Settings {
        var settings = try settings(sending: RequestTemplate.Forwarded(request, by: gateway), of: request)
        let fields = [framing].compactMap(\.self) + gateway.handshakeFields(of: request)
        settings.request = settings.request.forwarding(request.method, with: fields)
        return settings
    }

    /// How to connect to the target of a CONNECT request.
    /// - Throws: ``HandshakeRefusal`` if it has passed the relay before.
    func connecting(_ request: RequestHead, to target: ProxyTarget) throws(HandshakeRefusal) -> Connector.Settings {
        var forwarded = RequestTemplate.Forwarded(request, by: gateway)
        forwarded.target = nil
        return try settings(sending: forwarded, of: request, at: target.url(isSecure: true))
    }

    /// - Parameter url: The URL of the server for a proxy; `nil` for that of the request.
    private func settings(
        sending forwarded: RequestTemplate.Forwarded, of request: RequestHead, at url: WebSocketURL? = nil
    ) throws(HandshakeRefusal) -> Connector.Settings {
        // RFC 5842 §7.2.
        guard !gateway.hasForwarded(request) else {
            let reason = "The request has passed this relay before: its URL leads back to it."
            throw HandshakeRefusal(status: 508, reason: reason, request: request)
        }
        var settings = connector
        settings.ownAddresses = ownAddresses
        let url = proxy == nil ? nil : url ?? request.targetURL
        settings.isServerOfUser = proxy == nil || login.includes(url)
        let requests = settings.isServerOfUser ? requests : proxy?.otherRequests ?? requests
        var values = RequestValues(connection: 1, ChosenRow())
        do throws(Failure) {
            settings.request = try requests.request(&values, to: url, for: forwarded)
        } catch {
            throw HandshakeRefusal(
                status: 400, reason: "The request cannot be forwarded: \(error.message ?? "")", request: request)
        }
        return settings
    }

    /// The response to a client if the server cannot be reached, or does not speak the protocol.
    func refusal(for error: ConnectError, of request: RequestHead) -> HandshakeRefusal {
        let status =
            switch error {
            case .timedOut: 504
            // RFC 5842 §7.2.
            case .unreachable(let attempts), .proxyUnreachable(_, .unreachable(let attempts)):
                attempts.contains { $0.error == .ownServer } ? 508 : 502
            default: 502
            }
        let url = proxy == nil ? shownURL : ProxyRules.shownServer(of: request)
        var reason = Failure.connecting(url: url, error).message ?? ""
        if proxy != nil, case .security(.noApplicationProtocol(.http1, _)) = error {
            reason = "\(url) speaks only HTTP/2, and this proxy HTTP/1.1; leave its host out of --intercept."
        }
        return HandshakeRefusal(status: status, reason: reason, request: request)
    }
}
