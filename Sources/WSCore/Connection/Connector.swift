/// Opens a WebSocket connection: name → address → stream → upgrade.
///
///      StreamOpener ──► ClientOpening ──► completion
///         └─── one time limit over all ───┘
public final class Connector {
    /// Where to connect to and how.
    public struct Settings: Sendable {
        /// Where the stream leads, which need not be where the URL points.
        public enum Destination: Sendable {
            /// A host and a port.
            case tcp(host: String, port: UInt16)
            /// The path of a Unix-domain socket.
            case unix(path: String)
        }

        /// Where the stream leads.
        public var destination: Destination
        /// What is asked for there.
        public var request: ClientRequest
        /// How the stream is opened.
        public var network: NetworkSettings
        /// The time limit over everything.
        public var timeout: Duration

        /// Makes settings.
        public init(
            destination: Destination, request: ClientRequest, network: NetworkSettings = NetworkSettings(),
            timeout: Duration = .seconds(10)
        ) {
            self.destination = destination
            self.request = request
            self.network = network
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
    private let handshake: ClientHandshake
    private var phase = ConnectError.Phase.resolving
    private var opener: StreamOpener?
    private var opening: ClientOpening?
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
        let destination: StreamOpener.Destination =
            switch settings.destination {
            case .tcp(let host, let port): .host(host, port: port)
            case .unix(let path): .unix(path: path)
            }
        let opener = StreamOpener(destination, network: settings.network, on: loop) { [self] result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let (stream, peer)): upgrade(stream, peer: peer)
            }
        }
        opener.didResolve = { [unowned self] in phase = .connecting }
        self.opener = opener
        opener.start()
    }

    /// Calls it off; the completion is not called.
    public func cancel() {
        isOver = true
        timer = nil
        opener?.cancel()
        opening?.cancel()
        opener = nil
        opening = nil
    }

    private func upgrade(_ stream: any ByteStream, peer: String) {
        phase = .upgrading
        let opening = ClientOpening(handshake, on: stream) { [self] result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let opened): upgraded(stream, opened, peer: peer)
            }
        }
        self.opening = opening
        opening.start()
    }

    private func upgraded(_ stream: any ByteStream, _ opened: ClientOpening.Opened, peer: String) {
        do throws(DeflateNegotiationError) {
            let deflate = try DeflateAnswer.parameters(
                in: opened.upgrade.extensions, to: settings.request.extensionOffers)
            opening = nil
            finish(
                .success(
                    Opened(
                        stream: stream, upgrade: opened.upgrade, deflate: deflate, firstBytes: opened.firstBytes,
                        peer: peer, duration: loop.now - startTime)))
        } catch {
            finish(.failure(.compression(error)))
        }
    }

    private func timedOut() {
        if let refusal = opening?.partialRefusal { return finish(.failure(.handshake(refusal))) }
        finish(.failure(.timedOut(phase, after: settings.timeout)))
    }

    private func finish(_ result: Result<Opened, ConnectError>) {
        guard !isOver else { return }
        cancel()
        completion(result)
    }
}
