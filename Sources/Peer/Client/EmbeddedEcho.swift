import CommandLine
import UserInterface
import WSCore

/// The server behind `echo:`. It runs in the same process and returns each message to the command. It starts when a
/// connection first needs it.
///
/// It listens on a Unix domain socket of the abstract namespace, to which only this process may connect. It accepts any
/// path, each requested subprotocol, and messages of any size that a client can ask for.
package final class EmbeddedEcho {
    private let loop: EventLoop
    private let diagnostics: Diagnostics
    /// The server, and the address to connect to.
    private var started: (server: Server<EchoHandler>, destination: Connector.Settings.Destination)?
    private var hasReportedLimit = false

    /// Prepares the server.
    package init(on loop: EventLoop, diagnostics: Diagnostics) {
        self.loop = loop
        self.diagnostics = diagnostics
    }

    /// The settings with the address of the server if they lead to `echo:`; otherwise the same settings.
    /// - Throws: ``Failure/badArgument(what:why:)`` for invalid subprotocols, or ``Failure/listening(address:_:)``.
    package func resolving(_ settings: Connector.Settings, for url: WebSocketURL) throws(Failure) -> Connector.Settings
    {
        guard url.endpoint == .embeddedEcho else { return settings }
        var settings = settings
        // Another connection may lead to it, and a closed one may still have to finish there.
        settings.destination = if let started { started.destination } else { try start(for: settings.request) }
        return settings
    }

    private func start(for request: ClientRequest) throws(Failure) -> Connector.Settings.Destination {
        let server: Server<EchoHandler>
        do throws(ServerPolicyError) {
            server = makeServer(
                try ServerPolicy(subprotocols: request.subprotocols, checksHostAndOrigin: false), request.version)
        } catch {
            throw .badArgument(what: "echo:", why: "\(error)")
        }
        let path = "@wsx-echo-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        do throws(IOError) {
            try server.listen(on: .unix(path: path))
        } catch {
            throw .listening(address: path, error)
        }
        started = (server, .unix(path: path))
        return .unix(path: path)
    }

    /// Stops listening and ends all connections.
    func stop() {
        started?.server.stopListening()
        for connection in started?.server.connections.values.map(\.self) ?? [] { connection.terminate() }
    }

    private func makeServer(_ policy: ServerPolicy, _ version: HTTPVersion) -> Server<EchoHandler> {
        let connection = Connection<EchoHandler>.Settings(
            role: .server, limits: Limits(maximumMessageBytes: SizeValue.largestBytes, maximumFragments: .max),
            pausesReadingWhenFull: true)
        var settings = Server<EchoHandler>.Settings(
            policy: policy, connection: connection, deflate: DeflatePreferences())
        settings.acceptsHTTP2 = version == .http2
        settings.acceptsOnlyThisProcess = true
        let server = Server<EchoHandler>(settings, on: loop) { [unowned self] client in
            EchoHandler { [weak self] in self?.started?.server.remove(client.number) }
        }
        server.observer = { [unowned self] event in
            guard case .reachedLimit(let limit) = event else { return }
            if !hasReportedLimit { diagnostics.reportLimit(limit) }
            hasReportedLimit = true
        }
        return server
    }
}

/// A client of ``EmbeddedEcho``.
private final class EchoHandler: ConnectionHandler {
    private let didEnd: () -> Void

    init(didEnd: @escaping () -> Void) {
        self.didEnd = didEnd
    }

    func connection(_ connection: Connection<EchoHandler>, received payload: RawSpan, as kind: MessageKind) {
        connection.send(payload, as: kind)
    }

    func connection(_ connection: Connection<EchoHandler>, didEnd end: ConnectionEnd) {
        didEnd()
    }
}
