/// A WebSocket server: accepts streams, performs opening handshakes, and keeps the open connections.
package final class Server<Handler: ConnectionHandler> {
    /// The settings of a server.
    package struct Settings: Sendable {
        /// The policy that decides which requests are accepted.
        package var policy: ServerPolicy
        /// The settings of each connection. The role is always server.
        package var connection: Connection<Handler>.Settings
        /// The preferences for permessage-deflate; nil declines all offers.
        package var deflate: DeflatePreferences?
        /// Responds to requests that are not upgrades.
        package var responder: any WebResponder
        /// The time limit for receiving a request.
        package var handshakeTimeout = Duration.seconds(10)
        /// The bandwidth of each client's stream in bytes per second and direction, including TLS; nil means no limit.
        package var bytesPerSecond: Int?
        /// The time a client may take nothing of a response before it is disconnected.
        package var responseTimeout = Duration.seconds(30)
        /// The maximum number of concurrent connections, including those in the opening handshake; nil for as many as
        /// the limit on open files allows.
        package var maximumConnections: Int?
        /// This server's share of a port; nil if it has the port to itself.
        package var share: Share?
        /// The number of descriptors to reserve for the handlers' own use.
        package var reservedDescriptors = 0
        /// The number of streams for each client, including those to another server.
        package var streamsPerClient = 1
        /// The maximum number of bytes that all connections hold together: incomplete messages and queued output, except
        /// the first 64 KiB of each connection; nil means no common limit.
        package var maximumHeldBytes: Int?

        /// Creates settings. By default, a page of help answers requests that are not upgrades, requests may take 10 s,
        /// and responses may stall for 30 s.
        package init(
            policy: ServerPolicy, connection: Connection<Handler>.Settings, deflate: DeflatePreferences? = nil,
            responder: (any WebResponder)? = nil
        ) {
            self.policy = policy
            self.connection = connection
            self.deflate = deflate
            self.responder = responder ?? Site(policy: policy)
        }
    }

    /// One of several servers on the same port, each on its own thread.
    package struct Share: Sendable {
        /// The index of this server, starting from 0.
        package let index: Int
        /// The number of servers.
        package let count: Int

        /// Creates a share.
        package init(index: Int, count: Int) {
            self.index = index
            self.count = count
        }
    }

    /// An address to listen on.
    package enum Endpoint: Sendable {
        /// An address and a port; port 0 selects any free port.
        case tcp(SocketAddress)
        /// The path of a Unix domain socket.
        case unix(path: String)
        /// A socket that is already listening.
        case inherited(InheritedSocket)
    }

    /// A limit that pauses accepting.
    package enum Limit: Equatable, Sendable {
        /// The connections use all files that the limit on open files allows; with their number.
        case descriptors(Int)
        /// The number of connections has reached ``Settings/maximumConnections``.
        case connections(Int)
    }

    /// A client with an accepted request that has not been answered yet.
    package struct Client: Sendable {
        /// The client's number, starting from 1 and never reused.
        package let number: Int
        /// The request and the result of the opening handshake.
        package let upgrade: ServerUpgrade
        /// The accepted extensions.
        package let extensions: [ExtensionOffer]
        /// The client's address.
        package let address: PeerAddress
        /// The TLS parameters; nil without TLS.
        package let tls: TLSSummary?
        /// The index of the endpoint it connected to, in the order of calls to ``Server/listen(on:)``, starting from 0.
        package let endpointIndex: Int

        /// The response to the request.
        package var responseBytes: [UInt8] { upgrade.responseBytes(accepting: extensions) }
    }

    /// What happens to clients, and to the server.
    package enum Event {
        /// A connection is open, and has not received anything.
        case opened(Connection<Handler>)
        /// A request was refused.
        case refused(HandshakeRefusal, OpeningFacts)
        /// The response to a request that is not an upgrade is complete or has failed.
        case served(ServedRequest)
        /// TLS failed before the request was complete.
        case failedToSecure(TLSError, OpeningFacts)
        /// Accepting has paused.
        case reachedLimit(Limit)
    }

    /// The open connections by client number.
    package private(set) var connections: [Int: Connection<Handler>] = [:]
    package var observer: ((Event) -> Void)?
    /// Decides about each request the policy accepts. By default, all are accepted.
    package var admission = Admission.immediate { _ in nil }
    /// Forwards the requests that are not upgrades; nil if the responder answers them.
    package var forwarding: RequestForwarding?

    private let settings: Settings
    private let tls: TLSLayer?
    /// The resources of the connections, also for those to another server.
    package let resources: ConnectionResources
    private let makeHandler: (Client) -> Handler
    private var listeners: [StreamListener] = []
    internal private(set) var openings: [ObjectIdentifier: ServerOpening] = [:]
    /// The responses in progress to requests that are not upgrades.
    internal private(set) var exchanges: [ObjectIdentifier: WebExchange] = [:]
    /// The requests that are being forwarded.
    private var forwardedExchanges: [ObjectIdentifier: ForwardedExchange] = [:]
    /// The number of refused clients still receiving their response.
    private var lingeringCount = 0
    /// The peak number of clients since the heap was trimmed.
    private var peakCount = 0
    /// The minimum peak of clients that leave much memory behind.
    private static var manyClients: Int { 32 }
    /// The number of the latest client. Servers that share a port use different numbers.
    private var lastNumber: Int
    /// The number of descriptors available for clients.
    private let descriptorCount: Int

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - settings: The server's settings.
    ///   - tls: The server's TLS layer. Defaults to nil: no TLS.
    ///   - loop: The loop that runs the server.
    ///   - makeHandler: Creates a client's handler, which must call ``remove(_:)`` when the connection ends.
    package init(
        _ settings: Settings, tls: TLSLayer? = nil, on loop: EventLoop, makeHandler: @escaping (Client) -> Handler
    ) {
        self.settings = settings
        self.tls = tls
        self.makeHandler = makeHandler
        let share = settings.share ?? Share(index: 0, count: 1)
        lastNumber = share.index + 1 - share.count
        descriptorCount =
            DescriptorBudget().streams(onEachOf: share.count, besides: settings.reservedDescriptors)
            / settings.streamsPerClient
        resources = ConnectionResources(
            on: loop,
            memory: settings.maximumHeldBytes.map {
                HeldMemory(limitBytes: $0 / share.count, bytesPerSecond: settings.bytesPerSecond, on: loop)
            })
        resources.mustTrimHeap = { [weak self] in
            guard let self, haveMostClientsLeft else { return false }
            peakCount = clientCount
            return true
        }
    }

    private var clientCount: Int {
        connections.count + openings.count + exchanges.count + forwardedExchanges.count + lingeringCount
    }

    /// Whether three quarters of many clients have left.
    private var haveMostClientsLeft: Bool { peakCount >= Self.manyClients && clientCount <= peakCount / 4 }

    /// The loop that runs the server.
    package var loop: EventLoop { resources.loop }

    /// Starts listening on an endpoint. Call it once per endpoint.
    /// - Returns: The address with the actual port; nil for a Unix domain socket.
    /// - Throws: ``IOError`` if the endpoint is not available.
    @discardableResult
    package func listen(on endpoint: Endpoint) throws(IOError) -> SocketAddress? {
        let index = listeners.count
        let accept: (SystemStream) -> Void = { [unowned self] stream in self.accept(stream, at: index) }
        if case .tcp(let address) = endpoint { try checkPort(of: address) }
        let listener =
            switch endpoint {
            case .tcp(let address):
                try StreamListener(on: address, sharesPort: settings.share != nil, loop: loop, accept: accept)
            case .unix(let path): try StreamListener(onPath: path, loop: loop, accept: accept)
            case .inherited(let socket): try StreamListener(adopting: socket, loop: loop, accept: accept)
            }
        // The limit may be too low even for one client.
        listener.didRunOut = { [unowned self] in observer?(.reachedLimit(.descriptors(connections.count))) }
        listeners.append(listener)
        return listener.address
    }

    /// Checks that no other program uses the port, since SO_REUSEPORT would share it with that program silently.
    private func checkPort(of address: SocketAddress) throws(IOError) {
        guard settings.share?.index == 0, address.port != 0 else { return }
        try StreamListener(on: address, loop: loop) { stream in stream.close() }.close()
    }

    /// Stops listening and closes all streams still in the opening handshake.
    package func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
        for opening in openings.values { opening.cancel() }
        openings = [:]
    }

    /// Sends a message to every client except `sender`, encoded only once.
    /// - Returns: Whether any connection's queue is full; see ``Connection/isFull``.
    @discardableResult
    package func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: Connection<Handler>? = nil) -> Bool {
        // A single recipient needs no shared copy.
        if connections.count == 1, sender == nil, let connection = connections.first?.value {
            connection.send(payload, as: kind)
            return connection.isFull
        }
        let message = SharedMessage(
            payload, as: kind, fragmentBytes: settings.connection.fragmentBytes, countedBy: resources.memory?.broadcasts
        )
        var isOneFull = false
        for connection in connections.values where connection !== sender {
            connection.send(message)
            if connection.isFull { isOneFull = true }
        }
        return isOneFull
    }

    /// Removes a connection that has ended.
    package func remove(_ number: Int) {
        connections[number] = nil
        updateAccepting()
    }

    /// Pauses accepting at the limit. New clients then wait in the kernel's queue until others leave.
    private func updateAccepting() {
        let count = clientCount
        peakCount = max(peakCount, count)
        if haveMostClientsLeft { resources.startTimer() }
        // A response may need a descriptor for its file in addition to its stream.
        guard count >= settings.maximumConnections ?? .max || count + exchanges.count >= descriptorCount else {
            for listener in listeners { listener.resume() }
            return
        }
        for listener in listeners { listener.pause() }
        observer?(.reachedLimit(count == settings.maximumConnections ? .connections(count) : .descriptors(count)))
    }

    private func accept(_ stream: SystemStream, at endpointIndex: Int) {
        let address = stream.peerAddress
        let transport: any ByteStream =
            settings.bytesPerSecond.map {
                ThrottledStream(stream, bytesPerSecond: $0, watch: resources.deadPeerDetector)
            } ?? stream
        let secured = tls.map { TLSStream(transport, session: TLSSession(server: $0.context), layer: $0) }
        let opening = ServerOpening(
            secured ?? transport, from: address, policy: settings.policy, timeout: settings.handshakeTimeout,
            admission: admission
        ) { [unowned self] opening, outcome in
            openings[ObjectIdentifier(opening)] = nil
            if opening.isLingering { lingeringCount += 1 }
            defer { updateAccepting() }
            switch outcome {
            case .abandoned(.protection(TLSError.endedDuringHandshake(peerHasAnswered: false))?): break
            case .abandoned(.protection(let error as TLSError)?): observer?(.failedToSecure(error, opening.facts))
            case .abandoned: break
            case .refused(let refusal): observer?(.refused(refusal, opening.facts))
            case .requested(let request, let firstBytes):
                if let forwarding {
                    forward(request, firstBytes, of: opening, with: forwarding)
                } else {
                    answer(request, of: opening)
                }
            case .accepted(let upgrade, let firstBytes):
                open(opening.stream, upgrade, address: address, at: endpointIndex, firstBytes: firstBytes)
            }
        }
        // The opening may outlive the server.
        opening.didFinishLingering = { [weak self] in
            self?.lingeringCount -= 1
            self?.updateAccepting()
        }
        openings[ObjectIdentifier(opening)] = opening
        updateAccepting()
        opening.start()
        secured?.start()
    }

    private func answer(_ request: RequestHead, of opening: ServerOpening) {
        let response = settings.responder.response(to: request)
        let exchange = WebExchange(request, response, on: opening.stream, facts: opening.facts)
        exchanges[ObjectIdentifier(exchange)] = exchange
        exchange.run(timeout: settings.responseTimeout) { [unowned self] exchange, served in
            exchanges[ObjectIdentifier(exchange)] = nil
            updateAccepting()
            observer?(.served(served))
        }
    }

    private func forward(
        _ request: RequestHead, _ firstBytes: [UInt8], of opening: ServerOpening, with forwarding: RequestForwarding
    ) {
        let exchange = ForwardedExchange(request, firstBytes, on: opening.stream, facts: opening.facts, forwarding)
        forwardedExchanges[ObjectIdentifier(exchange)] = exchange
        exchange.run { [unowned self] exchange, served in
            forwardedExchanges[ObjectIdentifier(exchange)] = nil
            updateAccepting()
            observer?(.served(served))
        }
    }

    private func open(
        _ stream: any ByteStream, _ upgrade: ServerUpgrade, address: PeerAddress, at endpointIndex: Int,
        firstBytes: [UInt8]
    ) {
        lastNumber += settings.share?.count ?? 1
        let number = lastNumber
        let deflate = settings.deflate?.accept(upgrade.extensionOffers)
        let extensions = deflate.map { [$0.answer] } ?? []
        let client = Client(
            number: number, upgrade: upgrade, extensions: extensions, address: address,
            tls: (stream as? TLSStream)?.summary, endpointIndex: endpointIndex)
        let handler = makeHandler(client)
        let connection = Connection(
            stream, settings: settings.connection, deflate: deflate?.parameters, resources: resources, handler: handler)
        connections[number] = connection
        observer?(.opened(connection))
        connection.start(sending: client.responseBytes, with: firstBytes)
    }
}
