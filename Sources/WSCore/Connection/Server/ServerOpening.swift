/// Performs the server's side of one opening handshake (RFC 6455 §4.2): reads and checks the request, sends refusals.
internal final class ServerOpening: ByteStreamDelegate {
    /// The outcome of the handshake. A refusal has been sent, or is being sent.
    enum Outcome {
        case accepted(ServerUpgrade, firstBytes: [UInt8])
        /// A valid request that is not an upgrade, and the bytes after its head.
        ///
        /// Reading has stopped, and the stream will be closed after the response. Thus no proxy in front of the server
        /// can disagree about where a next request begins.
        case requested(RequestHead, firstBytes: [UInt8])
        case refused(HandshakeRefusal)
        /// The client left before its request was complete, or the stream failed.
        case abandoned(StreamError?)
    }

    let stream: any ByteStream
    private let address: PeerAddress
    private let acceptTime: Duration
    private var traffic = (receivedBytes: 0, sentBytes: 0)
    private var handshake: ServerHandshake
    private let admission: Admission
    private let completion: (ServerOpening, Outcome) -> Void
    private let timeout: Duration
    private var timer: Timer?
    private var isOver = false
    /// Whether the stream is still open to deliver a refusal or TLS alert.
    private(set) var isLingering = false
    /// Called when that stream is closed.
    var didFinishLingering: () -> Void = {}

    init(
        _ stream: any ByteStream, from address: PeerAddress, policy: ServerPolicy, timeout: Duration,
        admission: Admission,
        completion: @escaping (ServerOpening, Outcome) -> Void
    ) {
        self.stream = stream
        self.address = address
        acceptTime = stream.loop.turnTime
        self.admission = admission
        self.completion = completion
        self.timeout = timeout
        handshake = ServerHandshake(policy: policy)
    }

    /// The facts for a log.
    var facts: OpeningFacts {
        OpeningFacts(
            address: address, acceptTime: acceptTime, receivedBytes: traffic.receivedBytes,
            sentBytes: traffic.sentBytes)
    }

    /// Starts reading the request.
    func start() {
        stream.delegate = self
        let timer = Timer(on: stream.loop) { [unowned self] in refuse(ServerHandshake.timeoutRefusal) }
        timer.start(after: timeout)
        self.timer = timer
        stream.startReading()
    }

    /// Closes the stream without a response. The completion is not called.
    func cancel() {
        isOver = true
        timer = nil
        stream.close()
    }

    private func finish(_ outcome: Outcome) {
        guard !isOver else { return }
        isOver = true
        timer = nil
        completion(self, outcome)
    }

    private func refuse(_ refusal: HandshakeRefusal) {
        guard !isOver else { return }
        var output = ByteBuffer()
        var answer = WebResponse(refusal)
        // The server's own fields are already part of the refusal, and another server's response stays as it is.
        if refusal.content == nil { answer.complete(with: []) }
        let response = answer.head(at: .now).bytes + answer.bytes(answering: refusal.request?.method)
        response.withUnsafeBytes { output.append($0.bytes) }
        traffic.sentBytes = output.count
        linger(sending: output)
        finish(.refused(refusal))
    }

    private func linger(sending output: consuming ByteBuffer = ByteBuffer()) {
        isLingering = true
        _ = LingeringClose(stream, output: output, closesOwnSide: true) { [self] _ in didFinishLingering() }
    }

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        guard !isOver else { return }
        traffic.receivedBytes += bytes.byteCount
        do throws(HandshakeRefusal) {
            switch try handshake.receive(bytes.bytes) {
            case .needsMore: return
            case .upgrade(let upgrade, let consumedByteCount):
                let rest = bytes.bytes.extracting(droppingFirst: consumedByteCount)
                decide(upgrade, firstBytes: rest.withUnsafeBytes { Array($0) })
            case .request(let request, let consumedByteCount):
                stream.stopReading()
                let rest = bytes.bytes.extracting(droppingFirst: consumedByteCount)
                finish(.requested(request, firstBytes: rest.withUnsafeBytes { Array($0) }))
            }
        } catch {
            refuse(error)
        }
    }

    private func decide(_ upgrade: ServerUpgrade, firstBytes: [UInt8]) {
        switch admission {
        case .immediate(let refusal):
            if let refusal = refusal(upgrade) { return refuse(refusal) }
            stream.stopReading()
            finish(.accepted(upgrade, firstBytes: firstBytes))
        case .deferred(let admit):
            // The time limit is for the request.
            timer = nil
            stream.stopReading()
            admit(upgrade) { [self] decision in
                switch decision {
                case .success(let upgrade): finish(.accepted(upgrade, firstBytes: firstBytes))
                case .failure(let refusal): refuse(refusal)
                }
            }
        }
    }

    func streamDidReachEnd(_ stream: any ByteStream) { abandon(nil) }
    func streamDidDrain(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { abandon(error) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { abandon(error) }

    private func abandon(_ error: StreamError?) {
        guard !isOver else { return }
        if case .protection = error {
            // TLS has sent an alert, and the client may still be sending.
            linger()
        } else {
            stream.close()
        }
        finish(.abandoned(error))
    }
}

/// How a server decides about a request that its policy accepts.
package enum Admission {
    /// At once: returns the reason to refuse the request, or nil to accept it.
    case immediate((ServerUpgrade) -> HandshakeRefusal?)
    /// Later: calls the closure with the upgrade to accept, whose subprotocol and fields may differ, or with a refusal. The
    /// client waits meanwhile.
    case deferred((ServerUpgrade, @escaping (Result<ServerUpgrade, HandshakeRefusal>) -> Void) -> Void)
}

/// Facts about an opening handshake that did not lead to a connection, for logs.
package struct OpeningFacts: Sendable {
    /// The client's address.
    package let address: PeerAddress
    /// The time of acceptance, in the loop's turn time.
    package let acceptTime: Duration
    /// The number of bytes received from the client.
    package let receivedBytes: Int
    /// The number of bytes in the response.
    package let sentBytes: Int
}
