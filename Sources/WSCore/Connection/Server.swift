/// A WebSocket server: accepts streams, answers their upgrades, and keeps the connections.
public final class Server<Handler: ConnectionHandler> {
    /// What the server does with its clients.
    public struct Settings: Sendable {
        /// Which requests it accepts.
        public var policy: ServerPolicy
        /// What it accepts from each client, and how it closes; the role is the server's.
        public var connection: Connection<Handler>.Settings
        /// What it wishes of a client that offers permessage-deflate; nil: such offers are declined.
        public var deflate: DeflatePreferences?
        /// What answers requests that ask for no WebSocket.
        public var responder: any WebResponder
        /// How long a request may take.
        public var handshakeTimeout: Duration
        /// The bytes that go each way on a client's stream in a second, TLS and upgrade included; nil: as many as can.
        public var bytesPerSecond: Int?
        /// How long a client may take nothing of such an answer.
        public var responsePatience: Duration
        /// The most connections at a time, those whose request is still to come included; nil: what the descriptor
        /// limit leaves.
        public var maximumConnections: Int?
        /// Which of the servers it is that share a port; nil: it has the port to itself.
        public var share: Share?
        /// Descriptors that are left for what its user opens for its clients.
        public var reservedDescriptors: Int

        /// Makes settings; without a `responder` there is nothing but a few words of help.
        public init(
            policy: ServerPolicy, connection: Connection<Handler>.Settings, deflate: DeflatePreferences? = nil,
            responder: (any WebResponder)? = nil, handshakeTimeout: Duration = .seconds(10),
            responsePatience: Duration = .seconds(30), maximumConnections: Int? = nil, reservedDescriptors: Int = 0,
            bytesPerSecond: Int? = nil, share: Share? = nil
        ) {
            self.share = share
            self.bytesPerSecond = bytesPerSecond
            self.policy = policy
            self.connection = connection
            self.deflate = deflate
            self.responder = responder ?? Site(policy: policy)
            self.handshakeTimeout = handshakeTimeout
            self.responsePatience = responsePatience
            self.maximumConnections = maximumConnections
            self.reservedDescriptors = reservedDescriptors
        }
    }

    /// One of several servers on the same port, each on a thread of its own.
    public struct Share: Sendable {
        /// Which one, from 0.
        public let index: Int
        /// How many there are.
        public let count: Int

        /// Makes a share.
        public init(index: Int, count: Int) {
            self.index = index
            self.count = count
        }
    }

    /// Where to listen.
    public enum Endpoint: Sendable {
        /// An address and a port, 0 for any.
        case tcp(SocketAddress)
        /// The path of a Unix-domain socket.
        case unix(path: String)
        /// A socket that listens already.
        case inherited(InheritedSocket)
    }

    /// What keeps further clients waiting.
    public enum Limit: Equatable, Sendable {
        /// So many fill what the descriptor limit leaves.
        case descriptors(Int)
        /// So many are as many as ``Settings/maximumConnections``.
        case connections(Int)
    }

    /// A client whose request was accepted, before it gets its answer.
    public struct Client: Sendable {
        /// The client's number, from 1, never used twice.
        public let number: Int
        /// The request and what was agreed.
        public let upgrade: ServerUpgrade
        /// The extensions that were accepted.
        public let extensions: [ExtensionOffer]
        /// Where the client is.
        public let address: PeerAddress
        /// What was agreed for TLS; nil: it is not used.
        public let tls: TLSSummary?
        /// Which of the endpoints it came to, from 0 in the order of ``Server/listen(on:)``.
        public let endpointIndex: Int

        /// The answer to the request.
        public var responseBytes: [UInt8] { upgrade.responseBytes(accepting: extensions) }
    }

    /// The loop everything runs on.
    public let loop: EventLoop
    /// The open connections by their client's number.
    public private(set) var connections: [Int: Connection<Handler>] = [:]
    /// Called with each request that was refused.
    public var didRefuse: ((HandshakeRefusal, OpeningFacts) -> Void)?
    /// Called with each request that asked for no WebSocket, when its answer is over.
    public var didServe: ((ServedRequest) -> Void)?
    /// Called when TLS with a client fails before its request.
    public var didFailToSecure: ((TLSError, OpeningFacts) -> Void)?
    /// Called with each connection before anything is received on it.
    public var didOpen: ((Connection<Handler>) -> Void)?
    /// Asked about each request that the policy accepts: why it is refused all the same; nil: it is not.
    public var refusal: ((ServerUpgrade) -> HandshakeRefusal?)?

    private let settings: Settings
    private let tls: TLSLayer?
    private let resources: ConnectionResources
    private let memory: CrowdMemory
    private let makeHandler: (Client) -> Handler
    private var listeners: [StreamListener] = []
    internal private(set) var openings: [ObjectIdentifier: ServerOpening] = [:]
    /// The answers to requests that asked for no WebSocket, while they are on their way.
    internal private(set) var exchanges: [ObjectIdentifier: WebExchange] = [:]
    /// Those who have been refused and are still being told so.
    private var leavingCount = 0
    private var lastNumber: Int
    /// The servers that share a port never use the same number.
    private let numberStep: Int
    /// The most streams at a time.
    private let maximumStreams: Int
    /// What the descriptor limit leaves for clients.
    private let maximumDescriptors: Int

    /// Called when accepting pauses.
    public var didReachLimit: ((Limit) -> Void)?

    /// Makes a server that does not listen yet.
    /// - Parameters:
    ///   - settings: What it does with its clients.
    ///   - tls: TLS as a server; nil: it is not used.
    ///   - loop: The loop everything runs on.
    ///   - makeHandler: Makes the handler of a client; the handler must tell ``remove(_:)`` of the end.
    public init(
        _ settings: Settings, tls: TLSLayer? = nil, on loop: EventLoop, makeHandler: @escaping (Client) -> Handler
    ) {
        self.settings = settings
        self.tls = tls
        self.loop = loop
        self.makeHandler = makeHandler
        let share = settings.share ?? Share(index: 0, count: 1)
        maximumDescriptors = DescriptorBudget().streams(
            onEachOf: share.count, besides: settings.reservedDescriptors)
        numberStep = share.count
        lastNumber = share.index + 1 - share.count
        maximumStreams = min(maximumDescriptors, settings.maximumConnections ?? .max)
        resources = ConnectionResources(on: loop)
        memory = CrowdMemory(on: loop)
    }

    /// Starts listening; with several endpoints, call it for each.
    /// - Returns: The address with the port in use; nil for a Unix-domain socket.
    @discardableResult
    public func listen(on endpoint: Endpoint) throws(IOError) -> SocketAddress? {
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
        listeners.append(listener)
        return listener.address
    }

    /// Servers that share a port would share it with those of another program, too: before the first, nobody is there.
    private func checkPort(of address: SocketAddress) throws(IOError) {
        guard settings.share?.index == 0, address.port != 0 else { return }
        try StreamListener(on: address, loop: loop) { stream in stream.close() }.close()
    }

    /// Stops listening, and drops those whose upgrade is not done.
    public func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
        for opening in openings.values { opening.cancel() }
        openings = [:]
    }

    /// Sends a message to every client but one, encoded once for all of them. While one of `sender`'s messages is handed
    /// over, it can be the sender.
    /// - Returns: Whether one of them has a full queue; see ``Connection/isFull``.
    @discardableResult
    public func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: Connection<Handler>? = nil) -> Bool {
        // Not worth a copy for one.
        if connections.count == 1, sender == nil, let connection = connections.first?.value {
            connection.send(payload, as: kind)
            return connection.isFull
        }
        let message = SharedMessage(payload, as: kind, fragmentBytes: settings.connection.fragmentBytes)
        var isOneFull = false
        for connection in connections.values where connection !== sender {
            connection.send(message)
            if connection.isFull { isOneFull = true }
        }
        return isOneFull
    }

    /// Forgets a connection that has ended.
    public func remove(_ number: Int) {
        connections[number] = nil
        updateAccepting()
    }

    /// Beyond the limit, clients wait in the kernel's queue until others have left.
    private func updateAccepting() {
        let count = connections.count + openings.count + exchanges.count + leavingCount
        memory.update(count)
        // An answer may have a file beside its stream.
        guard count >= maximumStreams || count + exchanges.count >= maximumDescriptors else {
            for listener in listeners { listener.resume() }
            return
        }
        for listener in listeners { listener.pause() }
        didReachLimit?(count == settings.maximumConnections ? .connections(count) : .descriptors(count))
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
            refusal: { [unowned self] upgrade in refusal?(upgrade) }
        ) { [unowned self] opening, outcome in
            openings[ObjectIdentifier(opening)] = nil
            if opening.isTakingLeave { leavingCount += 1 }
            defer { updateAccepting() }
            switch outcome {
            case .abandoned(.protection(TLSError.endedDuringHandshake(peerHasAnswered: false))?): break
            case .abandoned(.protection(let error as TLSError)?): didFailToSecure?(error, opening.facts)
            case .abandoned: break
            case .refused(let refusal): didRefuse?(refusal, opening.facts)
            case .requested(let request): answer(request, of: opening)
            case .accepted(let upgrade, let firstBytes):
                open(opening.stream, upgrade, address: address, at: endpointIndex, firstBytes: firstBytes)
            }
        }
        // It may outlive the server.
        opening.didTakeLeave = { [weak self] in
            self?.leavingCount -= 1
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
        exchange.run(patience: settings.responsePatience) { [unowned self] exchange, served in
            exchanges[ObjectIdentifier(exchange)] = nil
            updateAccepting()
            didServe?(served)
        }
    }

    private func open(
        _ stream: any ByteStream, _ upgrade: ServerUpgrade, address: PeerAddress, at endpointIndex: Int,
        firstBytes: [UInt8]
    ) {
        lastNumber += numberStep
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
        didOpen?(connection)
        connection.start(sending: client.responseBytes, with: firstBytes)
    }
}
