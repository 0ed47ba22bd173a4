import Testing

@testable import WSCore

/// A server whose handlers remember what happens, and which forgets connections that have ended.
final class ServerFixture {
    let server: Server<RecordingPeer>
    var clients: [Server<RecordingPeer>.Client] = []
    var handlers: [RecordingPeer] = []
    var refusals: [HandshakeRefusal] = []
    var served: [ServedRequest] = []
    /// The limits that had further clients wait.
    var limits: [Server<RecordingPeer>.Limit] = []
    /// What TLS with clients failed with.
    var failures: [TLSError] = []
    /// Prepares the handler of each client.
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
        responsePatience: Duration = .seconds(30), maximumConnections: Int? = nil, tls: TLSLayer? = nil
    ) {
        let registry = Registry()
        self.registry = registry
        server = Server(
            .init(
                policy: policy, connection: .init(role: .server, limits: .server), deflate: deflate,
                responder: responder, handshakeTimeout: handshakeTimeout, responsePatience: responsePatience,
                maximumConnections: maximumConnections),
            tls: tls, on: loop
        ) { client in
            let handler = RecordingPeer()
            registry.fixture?.clients.append(client)
            registry.fixture?.handlers.append(handler)
            handler.onEnd = { registry.fixture?.server.remove(client.number) }
            registry.prepare?(handler)
            return handler
        }
        registry.fixture = self
        server.didRefuse = { refusal, _ in registry.fixture?.refusals.append(refusal) }
        server.didServe = { registry.fixture?.served.append($0) }
        server.didReachLimit = { limit in registry.fixture?.limits.append(limit) }
        server.didFailToSecure = { error, _ in registry.fixture?.failures.append(error) }
    }

    /// Listens on a port that the system picks.
    func listen() throws -> SocketAddress {
        let address = try #require(anyLoopbackPort())
        return try #require(try server.listen(on: .tcp(address)))
    }
}

extension Server {
    /// Stops listening, drops answers that are on their way, and closes every connection with `frame`.
    func close(_ frame: CloseFrame) {
        stopListening()
        for exchange in exchanges.values { exchange.cancel() }
        for connection in connections.values { connection.close(frame) }
    }
}
