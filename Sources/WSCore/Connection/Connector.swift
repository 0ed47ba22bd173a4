/// Opens a WebSocket connection: name → address → stream → upgrade.
///
///      resolve ──► race the addresses ──► send the request, check the response ──► completion
///         └────────────── one time limit over all of it ───────────────────────────────┘
public final class Connector {
    /// Where to connect to and how.
    public struct Settings: Sendable {
        /// Where the stream leads, which need not be where the URL points.
        public enum Destination: Sendable {
            /// A host and a port; only addresses of `family` are used, where one is given.
            case tcp(host: String, port: UInt16, family: SocketAddress.Family?)
            /// The path of a Unix-domain socket.
            case unix(path: String)
        }

        /// Where the stream leads.
        public var destination: Destination
        /// What is asked for there.
        public var request: ClientRequest
        /// The time limit over everything.
        public var timeout: Duration

        /// Makes settings.
        public init(destination: Destination, request: ClientRequest, timeout: Duration = .seconds(10)) {
            self.destination = destination
            self.request = request
            self.timeout = timeout
        }
    }

    /// A connection that has just been opened.
    public struct Opened {
        /// The stream, on which frames follow.
        public let stream: any ByteStream
        /// What was agreed.
        public let upgrade: ClientUpgrade
        /// What was agreed for permessage-deflate; nil: it is not used.
        public let deflate: DeflateParameters?
        /// Frames, or the beginning of one, that arrived together with the response.
        public let firstBytes: [UInt8]
        /// Where the stream leads: an address and port, or a socket's path.
        public let peer: String
        /// How long it took.
        public let duration: Duration
    }

    private let settings: Settings
    private let loop: EventLoop
    private let completion: (Result<Opened, ConnectError>) -> Void
    private let startTime: Duration
    private var handshake: ClientHandshake
    private var requestBytes = ByteBuffer()
    private var phase = ConnectError.Phase.resolving
    private var lookup: NameResolver?
    private var race: AddressRace?
    private var stream: (any ByteStream)?
    private var peer = ""
    private var timer: Timer?
    private var isOver = false

    /// Prepares a connection.
    /// - Parameters:
    ///   - settings: Where to and how.
    ///   - loop: The loop it will belong to.
    ///   - completion: Called once; before ``start()`` returns only when there is nothing to wait for.
    public init(
        _ settings: Settings, on loop: EventLoop, completion: @escaping (Result<Opened, ConnectError>) -> Void
    ) {
        self.settings = settings
        self.loop = loop
        self.completion = completion
        startTime = loop.now
        handshake = ClientHandshake(request: settings.request, nonce: SecureRandom.bytes(16))
    }

    /// The request as it is sent, in lines that end with CR LF.
    public var requestHead: String { String(decoding: handshake.requestBytes, as: UTF8.self) }

    /// Begins.
    public func start() {
        let timer = Timer(on: loop) { [unowned self] in timedOut() }
        timer.start(after: settings.timeout)
        self.timer = timer
        switch settings.destination {
        case .unix(let path): connect(toPath: path)
        case .tcp(let host, let port, let family):
            lookup = NameResolver.resolve(host, port: port, on: loop) { [self] result in
                resolved(host, result, family: family)
            }
        }
    }

    /// Calls it off; the completion is not called.
    public func cancel() {
        isOver = true
        timer = nil
        lookup?.cancel()
        race?.cancel()
        stream?.close()
        lookup = nil
        race = nil
        stream = nil
    }

    private func resolved(
        _ host: String, _ result: Result<[SocketAddress], IOError>, family: SocketAddress.Family?
    ) {
        guard !isOver else { return }
        switch result {
        case .failure(let error): finish(.failure(.unresolvable(host: host, error)))
        case .success(let all):
            let addresses = family.map { family in all.filter { $0.family == family } } ?? all
            guard !addresses.isEmpty else { return finish(.failure(.noAddress(host: host))) }
            phase = .connecting
            let race = AddressRace(addresses, on: loop) { [self] result in
                switch result {
                case .failure(let error): finish(.failure(error))
                case .success((let stream, let address)): connected(stream, peer: address.description)
                }
            }
            self.race = race
            race.start()
        }
    }

    private func connect(toPath path: String) {
        phase = .connecting
        do throws(IOError) {
            stream = try SystemStream.connect(toPath: path, on: loop) { [self] result in
                switch result {
                case .failure(let error): finish(.failure(.unreachable([(path, error)])))
                case .success(let stream): connected(stream, peer: path)
                }
            }
        } catch {
            finish(.failure(.unreachable([(path, error)])))
        }
    }

    private func connected(_ stream: SystemStream, peer: String) {
        guard !isOver else { return stream.close() }
        phase = .upgrading
        self.stream = stream
        self.peer = peer
        stream.delegate = self
        handshake.requestBytes.withUnsafeBytes { requestBytes.append($0.bytes) }
        stream.startReading()
        writeRequest()
    }

    private func writeRequest() {
        do throws(StreamError) {
            try stream?.write(&requestBytes)
        } catch {
            // The server may have answered before it closed: what it said is read first.
        }
    }

    private func timedOut() {
        if let refusal = handshake.partialRefusal { return finish(.failure(.handshake(refusal))) }
        finish(.failure(.timedOut(phase, after: settings.timeout)))
    }

    private func finish(_ result: Result<Opened, ConnectError>) {
        guard !isOver else { return }
        if case .success = result { stream = nil }
        cancel()
        completion(result)
    }
}

extension Connector: ByteStreamDelegate {
    /// Takes a part of the response.
    public func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        guard !isOver else { return }
        do throws(HandshakeError) {
            switch try handshake.receive(bytes.bytes) {
            case .needsMore: return
            case .upgraded(let upgrade, let consumedByteCount):
                stream.stopReading()
                let rest = bytes.bytes.extracting(droppingFirst: consumedByteCount)
                let firstBytes = rest.withUnsafeBytes { Array($0) }
                opened(stream, upgrade, firstBytes: firstBytes)
            }
        } catch {
            finish(.failure(.handshake(error)))
        }
    }

    private func opened(_ stream: any ByteStream, _ upgrade: ClientUpgrade, firstBytes: [UInt8]) {
        do throws(DeflateNegotiationError) {
            let deflate = try DeflateAnswer.parameters(
                in: upgrade.extensions, to: settings.request.extensionOffers)
            let opened = Opened(
                stream: stream, upgrade: upgrade, deflate: deflate, firstBytes: firstBytes, peer: peer,
                duration: loop.now - startTime)
            finish(.success(opened))
        } catch {
            finish(.failure(.compression(error)))
        }
    }

    /// The server has closed the connection.
    public func streamDidReachEnd(_ stream: any ByteStream) {
        guard !isOver else { return }
        do throws(HandshakeError) {
            try handshake.receiveEndOfStream()
        } catch {
            finish(.failure(.handshake(error)))
        }
    }

    /// Writes the rest of the request.
    public func streamDidDrain(_ stream: any ByteStream) {
        writeRequest()
    }

    /// The connection is lost.
    public func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        if let refusal = handshake.partialRefusal { return finish(.failure(.handshake(refusal))) }
        finish(.failure(.lost(error)))
    }

    /// What the server said before is still to be read.
    public func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
