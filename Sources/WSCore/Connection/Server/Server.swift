/// A WebSocket server: accepts streams, performs opening handshakes, and keeps the open connections.
package final class Server<Handler: ConnectionHandler> {
    private var numbered = NumberedObjects()
    package var observer: ((Event) -> Void)?
    /// Decides about each request the policy accepts. By default, all are accepted.
    package var admission = Admission.immediate { _ in nil }
    /// Forwards the requests that are not upgrades; nil if the responder answers them.
    package var forwarding: RequestForwarding?
    /// Takes part in tunnels; nil if the server is no HTTP proxy.
    package var tunneling: Tunneling?
    /// Delivers the bodies of POST requests to clients; nil if the responder answers these requests, too.
    package var postDelivery: PostDelivery?

    let settings: Settings
    private let tls: TLSLayer?
    /// The resources of the connections, also for those to another server.
    package let resources: ConnectionResources
    private let makeHandler: (AcceptedClient) -> Handler
    private var listeners: [StreamListener] = []
    var others = OtherClients()
    private let windowBudget: HTTP2WindowBudget
    private let siteCache: SiteCache
    /// The number of connections to another server on behalf of clients. They may outlive their clients.
    package var upstreamCount = 0 {
        didSet { if haveMostClientsLeft { resources.startTimer() } }
    }
    /// The peak number of clients and connections on their behalf since the heap was trimmed.
    private var peakCount = 0
    /// The minimum peak of clients that leave much memory behind.
    private static var manyClients: Int { 32 }
    /// The bytes by which the windows of HTTP/2 streams may grow, for all servers that share a port, and the part of the
    /// memory of clients that these may be.
    private static var largerWindowBytes: Int { 64 << 20 }
    private static var largerWindowsPart: Int { 4 }
    /// The maximum number of streams of an HTTP/2 connection.
    private static var maximumStreams: Int { 1000 }
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
        _ settings: Settings, tls: TLSLayer? = nil, on loop: EventLoop,
        makeHandler: @escaping (AcceptedClient) -> Handler
    ) {
        self.settings = settings
        self.tls = tls
        self.makeHandler = makeHandler
        let share = settings.share ?? Share(index: 0, count: 1)
        lastNumber = share.index + 1 - share.count
        let windowBytes = min(Self.largerWindowBytes, (settings.maximumHeldBytes ?? .max) / Self.largerWindowsPart)
        windowBudget = HTTP2WindowBudget(byteCount: windowBytes / share.count)
        descriptorCount =
            DescriptorBudget().streams(onEachOf: share.count, besides: settings.reservedDescriptors)
            / settings.streamsPerClient
        resources = ConnectionResources(
            on: loop,
            memory: settings.maximumHeldBytes.map {
                HeldMemory(limitBytes: $0 / share.count, bytesPerSecond: settings.bytesPerSecond, on: loop)
            })
        let cache = SiteCache(countedBy: resources.memory?.broadcasts)
        siteCache = cache
        resources.memory?.releaseCaches = { cache.removePages() }
        // Not weak: reference counting of an object with a weak reference takes longer. Refusals and HTTP/2 have one.
        resources.mustTrimHeap = { [unowned self] in
            guard haveMostClientsLeft else { return false }
            peakCount = clientCount + upstreamCount
            return true
        }
    }

    deinit {
        resources.mustTrimHeap = { false }
    }

    /// The open connections by client number.
    package var connections: NumberedClients<Connection<Handler>> { NumberedClients(numbered) }

    /// The number of clients. Each stream of an HTTP/2 connection counts, or the connection itself if it has none.
    private var clientCount: Int { numbered.count + others.count }

    /// Whether three quarters of many clients have left, with the connections on their behalf.
    private var haveMostClientsLeft: Bool { haveMostLeft(of: clientCount) }

    private func haveMostLeft(of clientCount: Int) -> Bool {
        peakCount >= Self.manyClients && clientCount + upstreamCount <= peakCount / 4
    }

    /// The loop that runs the server.
    package var loop: EventLoop { resources.loop }

    /// Starts listening on an endpoint. Call it once per endpoint.
    /// - Returns: The address with the actual port; nil for a Unix domain socket.
    /// - Throws: ``IOError`` if the endpoint is not available.
    @discardableResult
    package func listen(on endpoint: Endpoint) throws(IOError) -> SocketAddress? {
        let index = listeners.count
        let accept: StreamListener.Accept = { [unowned self] in self.accept($0, from: $1, at: index) }
        if case .tcp(let address) = endpoint { try checkPort(of: address) }
        let listener =
            switch endpoint {
            case .tcp(let address):
                try StreamListener(on: address, sharesPort: settings.share != nil, loop: loop, accept: accept)
            case .unix(let path): try StreamListener(onPath: path, loop: loop, accept: accept)
            case .inherited(let socket): try StreamListener(adopting: socket, loop: loop, accept: accept)
            }
        // The limit may be too low even for one client.
        listener.didFailToAccept = { [unowned self] error in
            observer?(.reachedLimit(error == .tooManyOpenFiles ? .descriptors(numbered.count) : .system(error)))
        }
        listeners.append(listener)
        return listener.address
    }

    /// Checks that no other program uses the port, since SO_REUSEPORT would share it with that program silently.
    private func checkPort(of address: SocketAddress) throws(IOError) {
        guard settings.share?.index == 0, address.port != 0 else { return }
        try StreamListener(on: address, loop: loop) { stream, _ in stream.close() }.close()
    }

    /// Stops listening and closes all streams still in the opening handshake.
    package func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
        for opening in others.openings { opening.cancel() }
        others.removeOpenings()
        for opening in others.tunnelOpenings.values { opening.cancel() }
        others.tunnelOpenings = [:]
        for connection in others.http2Connections.values { connection.drain() }
    }

    /// Sends a message to every client except `sender`, encoded only once.
    /// - Parameter isRecipient: Whether a client gets the message, or nil for all of them.
    /// - Returns: Whether any recipient's queue is full; see ``Connection/isFull``.
    @discardableResult
    package func send(
        _ payload: RawSpan, as kind: MessageKind, toAllBut sender: Connection<Handler>? = nil,
        where isRecipient: ((Handler) -> Bool)? = nil
    ) -> Bool {
        // A single recipient needs no shared copy.
        if numbered.count == 1, sender == nil, isRecipient == nil, let connection = connections.first {
            connection.send(payload, as: kind)
            return connection.isFull
        }
        let message = SharedMessage(
            payload, as: kind, fragmentBytes: settings.connection.fragmentBytes, countedBy: resources.memory?.broadcasts
        )
        let isOnlyMessage = resources.broadcastRhythm.recordMessage(in: loop.turnCount)
        var isOneFull = false
        for connection in connections.values where connection !== sender {
            if let isRecipient, !isRecipient(connection.handler) { continue }
            if !isOnlyMessage || !connection.sendAtOnce(message) { connection.send(message) }
            if connection.isFull { isOneFull = true }
        }
        return isOneFull
    }

    /// Removes a connection that has ended.
    package func remove(_ number: Int) {
        if numbered.remove(number) { updateAccepting() }
    }

    private var isFull: Bool { isFull(with: clientCount) }

    private func isFull(with count: Int) -> Bool {
        // A response may need a descriptor for its file in addition to its stream.
        return count >= settings.maximumConnections ?? .max || count + others.exchanges.count >= descriptorCount
    }

    /// Pauses accepting at the limit. New clients then wait in the kernel's queue until others leave.
    func updateAccepting() {
        let count = clientCount
        peakCount = max(peakCount, count + upstreamCount)
        if haveMostLeft(of: count) { resources.startTimer() }
        guard isFull(with: count) else {
            for listener in listeners { listener.resume() }
            return
        }
        for listener in listeners { listener.pause() }
        observer?(.reachedLimit(count == settings.maximumConnections ? .connections(count) : .descriptors(count)))
    }

    private func accept(_ stream: SystemStream, from address: PeerAddress, at endpointIndex: Int) {
        guard !settings.acceptsOnlyThisProcess || stream.isFromThisProcess else { return stream.close() }
        let transport: any ByteStream =
            settings.bytesPerSecond.map {
                ThrottledStream(stream, bytesPerSecond: $0, watch: resources.deadPeerDetector)
            } ?? stream
        let secured = tls.map { TLSStream(transport, session: TLSSession(server: $0.context), layer: $0) }
        let opening = makeOpening(
            on: secured ?? transport, from: Peer(address: address, tls: secured, endpointIndex: endpointIndex),
            acceptsHTTP2: settings.acceptsHTTP2)
        opening.start()
        secured?.start()
    }

    func makeOpening(on stream: any ByteStream, from peer: Peer, acceptsHTTP2: Bool) -> ServerOpening {
        let opening = ServerOpening(
            stream, from: peer.address, policy: settings.policy, timeout: settings.handshakeTimeout,
            admission: admission(of: peer.intercepted), watch: resources.deadPeerDetector, acceptsHTTP2: acceptsHTTP2,
            memory: resources.memory, through: peer.intercepted
        ) { [unowned self] opening, outcome in
            others.remove(opening)
            if opening.isLingering { addLingering(opening) }
            defer { updateAccepting() }
            switch consume outcome {
            case .abandoned(.protection(TLSError.endedDuringHandshake(peerHasAnswered: false))?): break
            case .abandoned(.protection(let error as TLSError)?):
                observer?(.failedToSecure(error, opening.facts, intercepted: peer.intercepted?.origin.target))
            case .abandoned: break
            case .refused(let refusal): report(refusal, opening.facts)
            case .requested(let request, let firstBytes):
                if let forwarding {
                    take(request, firstBytes, of: opening, from: peer, with: forwarding)
                } else if let postDelivery, request.method == "POST" {
                    receive(request, firstBytes, of: opening, for: postDelivery)
                } else {
                    let response = settings.responder.response(to: request, cache: siteCache)
                    answer(request, with: response, on: opening.stream, opening.facts)
                }
            case .http2(let firstBytes): serveHTTP2(on: opening.stream, from: peer, firstBytes: firstBytes)
            case .answered(let request, let response):
                if let forwarding { pass(response, to: request, of: opening, with: forwarding) }
            case .accepted(let upgrade, let firstBytes):
                open(opening.stream, upgrade, from: peer, firstBytes: firstBytes)
            }
        }
        others.add(opening)
        updateAccepting()
        return opening
    }

    private func addLingering(_ opening: ServerOpening) {
        others.lingeringCount += 1
        // The opening may outlive the server.
        opening.didFinishLingering = { [weak self] in
            self?.others.lingeringCount -= 1
            self?.updateAccepting()
        }
    }

    /// The maximum number of streams of an HTTP/2 connection: half of the places of clients, so that others can connect. A
    /// stream with a response may need a descriptor in addition to its place.
    private var streamsPerConnection: Int {
        let places = min((settings.maximumConnections ?? .max) / 2, descriptorCount / 4)
        return min(Self.maximumStreams, max(1, places))
    }

    /// Serves the streams of an HTTP/2 connection like connections of their own.
    private func serveHTTP2(on stream: any ByteStream, from peer: Peer, firstBytes: [UInt8]) {
        // More streams wait at the client.
        let context = HTTP2Connection.ServerContext(
            maximumStreams: streamsPerConnection, idleTimeout: settings.handshakeTimeout, windowBudget: windowBudget,
            memory: resources.memory,
            didReceiveRequest: { [unowned self] stream, request, byteCount in
                // Unlike connections, streams cannot wait.
                guard !isFull else { return stream.refuse() }
                makeOpening(on: stream, from: peer, acceptsHTTP2: false).start(with: request, byteCount: byteCount)
            },
            didChangeIdleness: { [weak self] isIdle in
                self?.others.idleHTTP2Count += isIdle ? 1 : -1
                self?.updateAccepting()
            },
            didEnd: { [weak self] connection, violation in
                if let violation { self?.observer?(.violatedHTTP2(violation, peer.address)) }
                self?.others.http2Connections[ObjectIdentifier(connection)] = nil
                self?.others.idleHTTP2Count -= 1
                self?.updateAccepting()
            })
        let connection = HTTP2Connection(stream, server: context)
        others.http2Connections[ObjectIdentifier(connection)] = connection
        others.idleHTTP2Count += 1
        connection.start(with: firstBytes)
    }

    /// Whether bodies of POST requests wait for clients.
    package var hasWaitingPosts: Bool { !others.waitingPosts.isEmpty }

    /// Tries again to deliver the bodies of POST requests that wait, because clients have more room: in the order of their
    /// arrival, each after the earlier ones for its path.
    package func retryPosts() {
        // A delivery may close a client, which makes room.
        guard !others.waitingPosts.isEmpty, !others.isDeliveringPosts else { return }
        others.isDeliveringPosts = true
        defer { others.isDeliveringPosts = false }
        var fullPaths: Set<String> = []
        for posted in others.waitingPosts where !fullPaths.contains(posted.path) {
            posted.deliverBody()
            if posted.isWaiting { fullPaths.insert(posted.path) }
        }
    }

    private func receive(
        _ request: RequestHead, _ firstBytes: [UInt8], of opening: ServerOpening, for delivery: @escaping PostDelivery
    ) {
        let posted = PostedRequest(
            request, on: opening.stream, facts: opening.facts,
            limitBytes: settings.connection.limits.maximumMessageBytes, memory: resources.memory, deliver: delivery,
            didReceiveBody: { [unowned self] posted in
                others.waitingPosts.append(posted)
                retryPosts()
            }
        ) { [unowned self] posted, response in
            others.postedRequests[ObjectIdentifier(posted)] = nil
            others.waitingPosts.removeAll { $0 === posted }
            guard var response else { return updateAccepting() }
            response.complete(with: settings.policy.extraFields)
            answer(posted.request, with: response, on: posted.stream, posted.factsAfterBody)
        }
        others.postedRequests[ObjectIdentifier(posted)] = posted
        posted.run(firstBytes, bodyTimeout: settings.handshakeTimeout, deliveryTimeout: settings.responseTimeout)
    }

    private func answer(
        _ request: RequestHead, with response: WebResponse, on stream: any ByteStream, _ facts: OpeningFacts
    ) {
        let exchange = WebExchange(request, response, on: stream, facts: facts)
        others.exchanges[ObjectIdentifier(exchange)] = exchange
        exchange.run(timeout: settings.responseTimeout, memory: resources.memory) { [unowned self] exchange, served in
            others.exchanges[ObjectIdentifier(exchange)] = nil
            updateAccepting()
            observer?(.served(served))
        }
    }

    private func open(
        _ stream: any ByteStream, _ upgrade: consuming ServerUpgrade, from peer: Peer, firstBytes: [UInt8]
    ) {
        lastNumber += settings.share?.count ?? 1
        let number = lastNumber
        let deflate = settings.deflate?.accept(upgrade.extensionOffers)
        let extensions = deflate.map { [$0.answer] } ?? []
        // Of this copy, because each use of the client's would copy it again.
        let response = upgrade.request.version == .http1 ? upgrade.responseBytes(accepting: extensions) : nil
        let client = AcceptedClient(
            number: number, upgrade: consume upgrade, extensions: extensions, address: peer.address,
            tls: peer.tls?.summary, endpointIndex: peer.endpointIndex)
        let handler = makeHandler(client)
        let connection = Connection(
            stream, settings: settings.connection, deflate: deflate?.parameters, resources: resources, handler: handler)
        numbered.append(connection, number)
        observer?(.opened(connection))
        connection.start(sending: response ?? client.response.start(on: stream), with: firstBytes)
    }
}
