import Testing

@testable import WSCore

/// A server with recording handlers that removes ended connections.
final class ServerFixture {
    let server: Server<RecordingPeer>
    var clients: [AcceptedClient] = []
    var handlers: [RecordingPeer] = []
    var refusals: [HandshakeRefusal] = []
    var served: [ServedRequest] = []
    /// The limits that paused accepting.
    var limits: [Server<RecordingPeer>.Limit] = []
    /// The TLS errors of clients.
    var failures: [TLSError] = []
    /// Prepares each client's handler.
    var handler: ((RecordingPeer) -> Void)? {
        get { registry.prepare }
        set { registry.prepare = newValue }
    }
    private let registry: Registry

    private final class Registry {
        var prepare: ((RecordingPeer) -> Void)?
        weak var fixture: ServerFixture?
    }

    init(
        _ policy: ServerPolicy, deflate: DeflatePreferences? = nil, on loop: EventLoop,
        responder: (any WebResponder)? = nil, handshakeTimeout: Duration = .seconds(10),
        responseTimeout: Duration = .seconds(30), maximumConnections: Int? = nil, tls: TLSLayer? = nil
    ) {
        let registry = Registry()
        self.registry = registry
        var settings = Server<RecordingPeer>.Settings(
            policy: policy, connection: .init(role: .server, limits: .server), deflate: deflate, responder: responder)
        settings.handshakeTimeout = handshakeTimeout
        settings.responseTimeout = responseTimeout
        settings.maximumConnections = maximumConnections
        server = Server(settings, tls: tls, on: loop) { client in
            let handler = RecordingPeer()
            registry.fixture?.clients.append(client)
            registry.fixture?.handlers.append(handler)
            handler.onEnd = { registry.fixture?.server.remove(client.number) }
            registry.prepare?(handler)
            return handler
        }
        registry.fixture = self
        server.observer = { event in
            switch event {
            case .opened, .exchanged, .violatedHTTP2: break
            case .refused(let refusal, _): registry.fixture?.refusals.append(refusal)
            case .served(let served): registry.fixture?.served.append(served)
            case .failedToSecure(let error, _, _): registry.fixture?.failures.append(error)
            case .reachedLimit(let limit): registry.fixture?.limits.append(limit)
            }
        }
    }

    /// Listens on a free port.
    func listen() throws -> SocketAddress {
        let address = try #require(anyLoopbackPort())
        return try #require(try server.listen(on: .tcp(address)))
    }
}

extension Server {
    /// Stops listening, cancels responses in progress, and closes every connection with `frame`.
    func close(_ frame: CloseFrame) {
        stopListening()
        for exchange in others.exchanges.values { exchange.stream.close() }
        for connection in connections.values { connection.close(frame) }
    }
}
