/// Opens a WebSocket connection, directly or through a proxy, with or without TLS.
///
///      Dialer ─► [TLSStream ─►] [ProxyTunnel ─►] [TLSStream ─►] ClientOpening ─► completion
///      name, address     https proxy     any proxy          wss           upgrade
///           ▲                                                                │
///           └────────────── redirect, negotiation, challenge ────────────────┘
///
/// A time limit applies to the whole attempt; phases may have additional limits.
package final class Connector {
    /// The stages of an attempt. Each stage owns the stream while it works.
    internal enum Stage {
        case idle
        case lookingUpTarget(HostLookup)
        case dialing(Dialer)
        /// A stream is open, perhaps during a TLS handshake.
        case connected(any ByteStream)
        case tunnelling(ProxyTunnel)
        /// TLS with the server explains failures of the upgrade.
        case upgrading(any Opening, over: TLSStream?)
        /// The completion has been called, or the connector was canceled.
        case over
    }

    /// The time limits in force.
    private struct Timers {
        var whole: Timer?
        var phase: Timer?
    }

    internal let settings: Settings
    internal let resources: ConnectorResources
    private let loop: EventLoop
    private let completion: (Result<Opened, ConnectError>) -> Void
    /// The current URL, after redirects.
    package var url: WebSocketURL { request.url }
    /// Called with the stream to the server, when it is ready for a request, instead of the upgrade and the completion;
    /// nil for an upgrade. The bytes arrived with a proxy's response.
    package var didConnect: ((any ByteStream, _ firstBytes: [UInt8]) -> Void)?
    /// Called with a refusal over HTTP/1.1 as soon as its head is complete, instead of the completion; nil to collect its body
    /// for the completion.
    package var didRefuse: ((UnreadResponse) -> Void)?
    /// Called for each ``Step``. The closure may cancel the connector.
    package var didStep: ((Step) -> Void)?

    /// A connection to use for the first request; nil to open one.
    package var prepared: PreparedConnection?

    /// The current request, after redirects; once sent, with cookies and a signature.
    package internal(set) var request: ClientRequest
    /// The login at the proxy, with the answer to its latest challenge.
    private var proxyLogin: ClientLogin?
    /// The host or proxy that is being contacted.
    internal var peer: String?

    /// The current phase.
    package private(set) var phase = ConnectError.Phase.resolving
    private var phaseStartTime = Duration.zero
    internal private(set) var phaseDurations = PhaseDurations()
    internal var stage = Stage.idle
    private var timers = Timers()
    /// The entry of the pool that waits for the connection of this attempt.
    internal var poolEntry: HTTP2Pool.Entry?

    /// Prepares a connection.
    /// - Parameters:
    ///   - settings: The destination and how to reach it.
    ///   - resources: The resources shared with other connectors, created with TLS settings if TLS may be needed.
    ///   - loop: The loop that will run the connection.
    ///   - completion: Called exactly once, unless the connector is canceled. May be called before ``start()`` returns.
    package init(
        _ settings: Settings, resources: ConnectorResources, on loop: EventLoop,
        completion: @escaping (Result<Opened, ConnectError>) -> Void
    ) {
        self.settings = settings
        self.resources = resources
        self.loop = loop
        self.completion = completion
        request = settings.request
        phaseStartTime = loop.now
        negotiate(before: request)
    }

    /// Precedes an upgrade with the negotiation, if there is one.
    internal func negotiate(before upgrade: ClientRequest) {
        guard let negotiation = settings.negotiation else { return }
        request = upgrade.negotiation(at: negotiation.url(upgrade.url))
    }

    /// Starts connecting.
    package func start() {
        timers.whole = Timer(on: loop) { [unowned self] in
            timedOut(after: settings.timeouts.whole, redirectCount: request.redirectCount)
        }
        timers.whole?.start(after: max(.zero, settings.timeouts.whole - settings.timeouts.elapsed))
        if let location = settings.location { follow(location) }
        if !isOver { connect() }
    }

    /// Requests another location in place of the URL.
    private func follow(_ location: ReceivedLocation) {
        do throws(RedirectError) {
            let next = try settings.request.following(location, settings.redirects)
            didStep?(.redirected(settings.request, to: next))
            request = next
            negotiate(before: next)
        } catch {
            finish(.failure(.receivedLocation(error)))
        }
    }

    /// Cancels the attempt and closes its stream. The completion is not called.
    package func cancel() {
        timers = Timers()
        replaceStage(with: .over)
        poolEntry?.fail()
        poolEntry = nil
    }

    /// Cancels the current stage and closes the stream.
    internal func replaceStage(with next: Stage) {
        let left = stage
        stage = next
        switch left {
        case .idle, .over: break
        case .lookingUpTarget(let lookup): lookup.cancel()
        case .dialing(let dialer): dialer.cancel()
        case .connected(let stream): stream.close()
        case .tunnelling(let tunnel): tunnel.cancel()
        case .upgrading(let opening, _): opening.cancel()
        }
    }

    internal var isOver: Bool {
        if case .over = stage { true } else { false }
    }

    /// The open stream, unless a tunnel or the opening handshake owns it.
    internal var stream: (any ByteStream)? {
        if case .connected(let stream) = stage { stream } else { nil }
    }

    /// TLS with the server during the upgrade.
    private var secured: TLSStream? {
        if case .upgrading(_, let secured) = stage { secured } else { nil }
    }

    internal func enter(_ phase: ConnectError.Phase) {
        endPhase()
        self.phase = phase
        timers.phase = nil
        guard let limit = settings.timeouts.phases[phase] else { return }
        let timer = Timer(on: loop) { [unowned self] in timedOut(after: limit) }
        timer.start(after: limit)
        timers.phase = timer
    }

    internal func endPhase() {
        let now = loop.now
        phaseDurations[phase] += now - phaseStartTime
        phaseStartTime = now
    }

    /// - Parameter redirectCount: The number of redirects that the limit includes.
    private func timedOut(after limit: Duration, redirectCount: Int = 0) {
        switch stage {
        case .upgrading(let opening, _):
            if request.purpose.isUpgrade, let refusal = opening.partialRefusal {
                return finish(.failure(failure(for: refusal)))
            }
        case .tunnelling(let tunnel):
            if let refusal = tunnel.partialRefusal { return finish(.failure(refusal)) }
        case .idle, .lookingUpTarget, .dialing, .connected, .over: break
        }
        finish(.failure(.timedOut(phase, after: limit, peer: peer, redirectCount: redirectCount)))
    }

    /// Maps a handshake error, distinguishing a response that concerns the login or the client certificate.
    internal func failure(for error: HandshakeError) -> ConnectError {
        guard case .refused(let head, _, _) = error else { return .handshake(error) }
        return switch head.status {
        case 401 where request.loginUse != .none: .loginRefused(error, request.loginUse)
        case 403 where secured?.hasRefusedRenegotiation == true: .security(.renegotiationRequired)
        case 403 where secured?.lacksCertificate == true: .certificateMissing(error)
        default: .handshake(error)
        }
    }

    internal func finish(_ result: Result<Opened, ConnectError>) {
        guard !isOver else { return }
        let result = secured?.hasRefusedRenegotiation == true ? result.mapError(explainedByRenegotiation) : result
        cancel()
        completion(result)
    }

    /// After we have refused to renegotiate, servers close the connection, or wait until a time limit expires.
    private func explainedByRenegotiation(_ error: ConnectError) -> ConnectError {
        switch error {
        case .lost, .timedOut, .handshake(.closedBeforeResponse): .security(.renegotiationRequired)
        default: error
        }
    }

    // MARK: The stream

    internal func connect() {
        peer = nil
        endPhase()
        guard request.version == .http2, didConnect == nil, let pool = resources.http2Pool else {
            return connectAlone()
        }
        let entry = pool.entry("\(settings.sharingGroup) \(request.url.isSecure) \(request.url.hostField)")
        entry.acquire { [self] shared in
            // Waiting for the connection of another connector is no phase.
            phaseStartTime = loop.now
            switch shared {
            case nil where isOver: entry.fail()
            case nil:
                poolEntry = entry
                connectAlone()
            case let shared?: if !isOver { upgrade(on: shared) }
            }
        }
    }

    /// Opens a connection for this attempt.
    internal func connectAlone() {
        if let prepared, let stream = prepared.take() {
            peer = prepared.peer
            stage = .connected(stream)
            return upgrade(over: stream as? TLSStream, tls: (stream as? TLSStream)?.summary)
        }
        enter(.resolving)
        let proxy: Proxy?
        do throws(ProxyChoiceError) {
            proxy = try chooseProxy()
        } catch {
            return finish(.failure(.proxyChoice(error)))
        }
        proxyLogin = proxy?.credentials.map { ClientLogin($0, by: settings.proxyAuthentication) }
        // SOCKS5 without "h": we resolve the name and pass the address to the proxy.
        guard let proxy, proxy.needsTargetAddress, case .tcp(let host, let port) = request.url.endpoint else {
            return open(through: proxy)
        }
        var addresses: [SocketAddress] = []
        let lookup = HostLookup(network: settings.network, on: loop) { more in
            addresses += more
        } didEnd: { [self] error in
            stage = .idle
            switch error {
            case nil: open(through: proxy, to: addresses[...])
            case .noAddress? where settings.network.family != nil: finish(.failure(.noAddress(host: host)))
            case let error?: finish(.failure(.unresolvable(host: host, error)))
            }
        }
        stage = .lookingUpTarget(lookup)
        lookup.start(host, port: port)
    }

    /// Sends a request again with a login, on a new stream: servers may close one after a rejection, and the rest of its
    /// body would be in the way.
    internal func restart(loggingInAt proxy: Proxy?, with authorization: String?, _ connect: () -> Void) {
        let scheme = authorization.map { String($0.prefix { $0 != " " }) } ?? ""
        if !isOver { didStep?(.loggingIn(scheme: scheme, at: proxy)) }
        guard !isOver else { return }
        replaceStage(with: .idle)
        connect()
    }

    private func chooseProxy() throws(ProxyChoiceError) -> Proxy? {
        guard settings.destination == nil, case .tcp(let host, let port) = request.url.endpoint else { return nil }
        return try settings.proxies?.proxy(isSecure: request.url.isSecure, host: host, port: port)?.proxy
    }

    /// The first hop: the explicit destination, the proxy, or the URL's host. Nil for the built-in echo server.
    private func firstHop(_ proxy: Proxy?) -> Dialer.Destination? {
        switch settings.destination {
        case .tcp(let host, let port): return .host(host, port: port)
        case .unix(let path): return .unix(path: path)
        case nil: break
        }
        if let proxy { return .host(proxy.host, port: proxy.port) }
        switch request.url.endpoint {
        case .tcp(let host, let port): return .host(host, port: port)
        case .unix(let path): return .unix(path: path)
        case .embeddedEcho: return nil
        }
    }

    /// Opens the first hop, and then the tunnel if there is a proxy.
    /// - Parameter targets: The addresses of the server if the proxy needs one. Unlike without a proxy, they are tried one
    ///   at a time: each needs its own connection to the proxy.
    private func open(through proxy: Proxy?, to targets: ArraySlice<SocketAddress> = []) {
        guard let destination = firstHop(proxy) else { preconditionFailure("echo: needs a destination") }
        peer = proxy?.description
        let dialer = Dialer(destination, network: settings.network, on: loop) { [self] result in
            switch result {
            case .failure(let error):
                stage = .idle
                finish(.failure(proxy.map { .proxyUnreachable($0, error) } ?? error))
            case .success(let (stream, peer)):
                self.peer = peer
                stage = .connected(stream)
                guard !settings.isOwn(peer, from: stream) else {
                    let error = ConnectError.unreachable([(peer, .ownServer)])
                    return finish(.failure(proxy.map { .proxyUnreachable($0, error) } ?? error))
                }
                didStep?(.reached(peer: peer, proxy))
                guard !isOver else { return }
                if let proxy { reach(proxy, to: targets) } else { secure() }
            }
        }
        dialer.didResolve = { [unowned self] in enter(.connecting) }
        stage = .dialing(dialer)
        dialer.start()
    }

    // MARK: The proxy

    private func reach(_ proxy: Proxy, to targets: ArraySlice<SocketAddress>) {
        guard let stream else { return }
        enter(.tunnelling)
        guard proxy.isSecure else { return tunnel(through: proxy, to: targets) }
        let secured = resources.secure(stream, with: proxy) { [self] result in
            switch result {
            case .failure(.protection(let error as TLSError)): finish(.failure(.proxySecurity(proxy, error)))
            case .failure(let error): finish(.failure(.lost(error, .tunnelling)))
            case .success(let summary):
                didStep?(.secured(summary, with: proxy))
                tunnel(through: proxy, to: targets)
            }
        }
        stage = .connected(secured)
        secured.start()
    }

    private func tunnel(through proxy: Proxy, to targets: ArraySlice<SocketAddress>) {
        guard let stream, case .tcp(let host, let port) = request.url.endpoint else { return }
        do throws(ProxyError) {
            let handshake = try ProxyHandshake(
                proxy: proxy, host: host, port: port, address: targets.first?.hostBytes, login: proxyLogin,
                userAgent: request.fields.first(named: "User-Agent"),
                hops: request.fields.first(named: Gateway.loopFieldName))
            let tunnel = ProxyTunnel(handshake, with: proxy, on: stream) { [self] result in
                switch result {
                case .failure(.lost(.protection(let error as TLSError), _)):
                    finish(.failure(.proxySecurity(proxy, error)))
                case .failure(.proxy(_, .failed)) where targets.count > 1:
                    replaceStage(with: .idle)
                    open(through: proxy, to: targets.dropFirst())
                case .failure(let error): tunnelFailed(error, through: proxy, target: handshake.requestTarget)
                case .success(let firstBytes):
                    stage = .connected(stream)
                    secure(with: firstBytes)
                }
            }
            stage = .tunnelling(tunnel)
            if let head = handshake.requestHead { didStep?(.sent { head }) }
            tunnel.start()
        } catch {
            finish(.failure(.proxy(proxy, error)))
        }
    }

    /// Answers the challenge of an HTTP proxy; otherwise reports the failure.
    /// - Parameter target: The target of the CONNECT request; nil for SOCKS.
    private func tunnelFailed(_ error: ConnectError, through proxy: Proxy, target: String?) {
        // RFC 9110 §11.7.1: a proxy challenges with 407 and Proxy-Authenticate.
        guard case .proxy(_, .refused(let head, _, _)) = error, head.status == 407, let target, var login = proxyLogin,
            login.answer(
                head.fields.all(named: "Proxy-Authenticate"), method: "CONNECT", target: target,
                random: SecureRandom.bytes(16))
        else { return finish(.failure(error)) }
        proxyLogin = login
        didStep?(.received(head))
        restart(loggingInAt: proxy, with: login.authorization) { open(through: proxy) }
    }
}
