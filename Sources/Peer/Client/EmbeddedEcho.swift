import CommandLine
import UserInterface
import WSCore

/// The server behind `echo:`. It runs in the same process and returns each message to the command.
///
/// It listens on a Unix domain socket of the abstract namespace, to which only this process may connect. It accepts any
/// path, each requested subprotocol, and messages of any size that a client can ask for.
package final class EmbeddedEcho {
    private let policy: ServerPolicy
    private let version: HTTPVersion
    private let loop: EventLoop
    private let console: Console
    private lazy var server = makeServer()
    private var hasReportedLimit = false

    /// Creates a server for a command that sends `request`.
    ///
    /// - Throws: ``Failure/badArgument(what:why:)`` for invalid subprotocols.
    package init(for request: ClientRequest, on loop: EventLoop, console: Console) throws(Failure) {
        do throws(ServerPolicyError) {
            policy = try ServerPolicy(subprotocols: request.subprotocols, checksHostAndOrigin: false)
        } catch {
            throw .badArgument(what: "echo:", why: "\(error)")
        }
        version = request.version
        self.loop = loop
        self.console = console
    }

    /// Starts listening.
    /// - Returns: The address to connect to.
    /// - Throws: ``Failure/listening(address:_:)``.
    package func start() throws(Failure) -> Connector.Settings.Destination {
        let path = "@wsx-echo-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        do throws(IOError) {
            try server.listen(on: .unix(path: path))
        } catch {
            throw .listening(address: path, error)
        }
        return .unix(path: path)
    }

    /// Stops listening and ends all connections.
    func stop() {
        server.stopListening()
        for connection in server.connections.values { connection.terminate() }
    }

    private func makeServer() -> Server<EchoHandler> {
        let connection = Connection<EchoHandler>.Settings(
            role: .server, limits: Limits(maximumMessageBytes: SizeValue.largestBytes, maximumFragments: .max),
            pausesReadingWhenFull: true)
        var settings = Server<EchoHandler>.Settings(
            policy: policy, connection: connection, deflate: DeflatePreferences())
        settings.acceptsHTTP2 = version == .http2
        settings.acceptsOnlyThisProcess = true
        let server = Server<EchoHandler>(settings, on: loop) { [unowned self] client in
            EchoHandler { [weak self] in self?.server.remove(client.number) }
        }
        server.observer = { [unowned self] event in
            guard case .reachedLimit(let limit) = event else { return }
            if !hasReportedLimit { console.reportLimit(limit) }
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

/// The server behind `echo:` for a run with several connections. It starts when a connection first needs it.
package final class SharedEmbeddedEcho {
    private let loop: EventLoop
    private let console: Console
    /// The server, and the address to connect to.
    private var started: (server: EmbeddedEcho, destination: Connector.Settings.Destination)?

    /// Prepares the server.
    package init(on loop: EventLoop, console: Console) {
        self.loop = loop
        self.console = console
    }

    /// The settings with the address of the server if they lead to `echo:`; otherwise the same settings.
    /// - Throws: ``Failure`` if the server cannot be started.
    package func resolving(_ settings: Connector.Settings, for url: WebSocketURL) throws(Failure) -> Connector.Settings
    {
        guard url.endpoint == .embeddedEcho else { return settings }
        var settings = settings
        if let started {
            // Another connection may lead to it, and a closed one may still have to finish there.
            settings.destination = started.destination
        } else {
            let server = try EmbeddedEcho(for: settings.request, on: loop, console: console)
            let destination = try server.start()
            settings.destination = destination
            started = (server, destination)
        }
        return settings
    }

    /// Stops the server if it has started.
    package func stop() {
        started?.server.stop()
        started = nil
    }
}
