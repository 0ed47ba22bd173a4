/// Performs the server's side of one opening handshake (RFC 6455 §4.2): reads and checks the request, sends refusals.
///
/// As a timer, it limits the time for the request.
internal final class ServerOpening: TimedObject, ByteStreamDelegate {
    /// The outcome of the handshake. A refusal has been sent, or is being sent.
    enum Outcome {
        case accepted(ServerUpgrade, firstBytes: [UInt8])
        /// A valid request that is not an upgrade, and the bytes after its head.
        ///
        /// Reading has stopped, and the stream will be closed after the response. Thus no proxy in front of the server
        /// can disagree about where a next request begins.
        case requested(RequestHead, firstBytes: [UInt8])
        /// The client speaks HTTP/2. Reading has stopped. Carries all bytes received so far.
        case http2(firstBytes: [UInt8])
        case refused(HandshakeRefusal)
        /// Another server has refused the upgrade. Reading has stopped.
        case answered(RequestHead, Connector.UnreadResponse)
        /// The client left before its request was complete, or the stream failed.
        case abandoned(StreamError?)
    }

    private struct Waiting {
        let request: RequestHead
        /// Whether frames have arrived with the request.
        let hasFrames: Bool
        /// Cancels the decision.
        var cancel: () -> Void = {}
    }

    let stream: any ByteStream
    /// The index among the openings of the server.
    var place = 0
    /// Without bytes of TLS.
    private var counted: OpeningFacts
    /// The beginning of the stream while it may be HTTP/2; nil if it is not, or if the server does not accept HTTP/2.
    private var preface: [UInt8]?
    private let memory: HeldMemory?
    private var handshake: ServerHandshake
    private let admission: Admission
    private let prepared: PreparedConnection?
    private let completion: (ServerOpening, consuming Outcome) -> Void
    private let timeout: Duration
    private var isOver = false
    /// A valid upgrade that waits for the decision of ``Admission/deferred(_:)``; nil for none.
    private var waiting: Waiting?
    /// Checks whether the client is still there while it waits.
    private let watch: DeadPeerDetector
    /// Whether the stream is still open to deliver a refusal or TLS alert.
    private(set) var isLingering = false
    /// Called when that stream is closed.
    var didFinishLingering: () -> Void = {}

    /// - Parameters:
    ///   - acceptsHTTP2: Whether the client may speak HTTP/2: with TLS if ALPN has selected it, otherwise with prior
    ///     knowledge.
    ///   - memory: Counts what a refusal holds.
    ///   - intercepted: The tunnel through which the request arrives; nil for none.
    init(
        _ stream: any ByteStream, from address: PeerAddress, policy: ServerPolicy, timeout: Duration,
        admission: Admission, watch: DeadPeerDetector, acceptsHTTP2: Bool = false, memory: HeldMemory? = nil,
        through intercepted: Intercepted? = nil, completion: @escaping (ServerOpening, consuming Outcome) -> Void
    ) {
        self.stream = stream
        counted = OpeningFacts(address: address, acceptTime: stream.loop.turnTime)
        self.admission = admission
        self.memory = memory
        self.watch = watch
        self.completion = completion
        self.timeout = timeout
        preface = acceptsHTTP2 ? [] : nil
        handshake = ServerHandshake(policy: policy, through: intercepted?.origin)
        prepared = intercepted?.prepared
        super.init(on: stream.loop)
    }

    /// The facts for a log.
    var facts: OpeningFacts {
        guard let bytes = (stream as? TLSStream)?.handshakeBytes else { return counted }
        var facts = counted
        (facts.receivedBytes, facts.sentBytes) = bytes
        return facts
    }

    /// Starts reading the request.
    /// - Parameter firstBytes: The bytes of it that have been read.
    func start(with firstBytes: [UInt8] = []) {
        stream.delegate = self
        start(after: timeout)
        stream.startReading()
        counted.receivedBytes = firstBytes.count
        if !firstBytes.isEmpty { receive(firstBytes.span.bytes) }
    }

    override func timeIsUp() {
        guard let bytes = (stream as? TLSStream)?.handshakeBytes, bytes.received > 0 else {
            return refuse(ServerHandshake.timeoutRefusal)
        }
        abandon(.protection(TLSError.failed(reason: "the client did not continue its handshake in time")))
    }

    /// Continues with a request that has arrived on a stream of HTTP/2, or the reason why its head cannot be read.
    /// - Parameter byteCount: The size of its head in bytes.
    func start(with request: Result<RequestHead, HTTPHeadError>, byteCount: Int) {
        stream.delegate = self
        counted.receivedBytes = byteCount
        do throws(HandshakeRefusal) {
            switch request {
            case .failure(let error): refuse(ServerHandshake.refusal(for: error))
            case .success(let head):
                if let upgrade = try ServerHandshake.check(head, policy: handshake.policy) {
                    decide(upgrade, firstBytes: [])
                } else {
                    finish(.requested(head, firstBytes: []))
                }
            }
        } catch {
            refuse(error)
        }
    }

    /// Closes the stream without a response. The completion is not called.
    func cancel() {
        end()
        stream.close()
    }

    private func finish(_ outcome: consuming Outcome) {
        guard !isOver else { return }
        end()
        completion(self, outcome)
    }

    private func end() {
        isOver = true
        stop()
        stopWaiting()?.cancel()
    }

    private func stopWaiting() -> Waiting? {
        guard let waiting else { return nil }
        self.waiting = nil
        watch.remove(self)
        return waiting
    }

    private func refuse(_ refusal: HandshakeRefusal) {
        guard !isOver else { return }
        var output = ByteBuffer()
        let answer = WebResponse(refusing: refusal)
        let response = answer.head(at: .now).start(on: stream) + answer.bytes(answering: refusal.request?.method)
        response.withUnsafeBytes { output.append($0.bytes) }
        counted.sentBytes = output.count
        linger(sending: output)
        finish(.refused(refusal))
    }

    private func linger(sending output: consuming ByteBuffer = ByteBuffer()) {
        isLingering = true
        _ = LingeringClose(stream, output: output, closesOwnSide: true, memory: memory) { [self] _, _ in
            isLingering = false
            didFinishLingering()
        }
    }

    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        guard !isOver else { return }
        counted.receivedBytes += bytes.byteCount
        guard let beginning = preface else { return receive(bytes.bytes) }
        let all = beginning + bytes.bytes.withUnsafeBytes { Array($0) }
        switch HTTP2Preface.version(of: all, selected: (stream as? TLSStream)?.summary?.applicationProtocol) {
        case nil: preface = all
        case .http2:
            stream.stopReading()
            finish(.http2(firstBytes: all))
        case .http1:
            preface = nil
            receive(all.span.bytes)
        }
    }

    private func receive(_ bytes: RawSpan) {
        counted.requestTime = stream.loop.turnTime
        do throws(HandshakeRefusal) {
            switch try handshake.receive(bytes) {
            case .needsMore: return
            case .upgrade(let upgrade, let consumedByteCount):
                let rest = bytes.extracting(droppingFirst: consumedByteCount)
                decide(upgrade, firstBytes: rest.withUnsafeBytes { Array($0) })
            case .request(let request, let consumedByteCount):
                stream.stopReading()
                let rest = bytes.extracting(droppingFirst: consumedByteCount)
                finish(.requested(request, firstBytes: rest.withUnsafeBytes { Array($0) }))
            }
        } catch {
            refuse(error)
        }
    }

    private func decide(_ upgrade: consuming ServerUpgrade, firstBytes: [UInt8]) {
        switch admission {
        case .immediate(let refusal):
            if let refusal = refusal(upgrade) { return refuse(refusal) }
            stream.stopReading()
            finish(.accepted(consume upgrade, firstBytes: firstBytes))
        case .deferred(let admit):
            // The time limit is for the request.
            stop()
            stream.stopReading()
            let request = upgrade.request
            waiting = Waiting(request: request, hasFrames: !firstBytes.isEmpty)
            watch.add(self)
            let cancel = admit(upgrade, prepared) { [self] decision in
                _ = stopWaiting()
                switch decision {
                case .accepted(let upgrade): finish(.accepted(upgrade, firstBytes: firstBytes))
                case .refused(let refusal): refuse(refusal)
                case .answered(let response): finish(.answered(request, response))
                }
            }
            waiting?.cancel = cancel
        }
    }

    func streamDidReachEnd(_ stream: any ByteStream) { abandon(nil) }
    func streamDidDrain(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { abandon(error) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { abandon(error) }

    private func abandon(_ error: StreamError?) {
        guard !isOver else { return }
        if let waiting {
            stream.close()
            let reason = "The client left before the server had answered."
            return finish(
                .refused(
                    HandshakeRefusal(
                        status: HandshakeRefusal.clientLeftStatus, reason: reason, request: waiting.request)))
        }
        if case .protection = error {
            // TLS has sent an alert, and the client may still be sending.
            linger()
        } else {
            stream.close()
        }
        finish(.abandoned(error))
    }
}

extension ServerOpening: PeerWatched {
    /// Cancels the decision if the client has left.
    func lookAfterPeer(probing isProbing: Bool) {
        guard let waiting else { return }
        switch stream.peerPresence {
        case .present: break
        // A client may end its side after its frames, and wait for replies. With TLS, what is unread is close_notify.
        case .hasEnded where waiting.hasFrames || (!(stream is TLSStream) && stream.hasUnreadBytes): break
        case .hasEnded, .isGone: abandon(nil)
        }
    }
}

/// How a server decides about a request that its policy accepts.
package enum Admission {
    /// At once: returns the reason to refuse the request, or nil to accept it.
    case immediate((ServerUpgrade) -> HandshakeRefusal?)
    /// Later: calls the closure with the decision. The client waits meanwhile. Returns a closure that cancels the decision,
    /// because the client has left. There may be a connection to the server already.
    case deferred((ServerUpgrade, PreparedConnection?, @escaping (Decision) -> Void) -> () -> Void)

    /// A decision about an upgrade.
    package enum Decision {
        /// To accept this upgrade, whose subprotocol and fields may differ.
        case accepted(ServerUpgrade)
        /// To refuse it.
        case refused(HandshakeRefusal)
        /// To pass on the response of another server, which has refused it.
        case answered(Connector.UnreadResponse)
    }
}

/// Facts about an opening handshake that did not lead to a connection, for logs.
package struct OpeningFacts: Sendable {
    /// The client's address.
    package let address: PeerAddress
    /// The time of acceptance, in the loop's turn time.
    package let acceptTime: Duration
    /// The number of bytes received from the client.
    package internal(set) var receivedBytes = 0
    /// The number of bytes in the response.
    package internal(set) var sentBytes = 0
    /// The time at which the head of the request was complete, in the loop's turn time; nil if that was the time of acceptance.
    var requestTime: Duration?
}
