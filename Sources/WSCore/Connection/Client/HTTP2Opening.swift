/// Performs the client's side of an opening handshake over HTTP/2 (RFC 8441): waits for the server's settings, sends the
/// request on a stream, and checks the response.
internal final class HTTP2Opening: Opening {
    private let request: ClientRequest
    private let connection: HTTP2Connection
    private let stream: HTTP2Stream
    private let followsRedirects: Bool
    private let completion: (Result<ClientOpening.Opened, ConnectError>) -> Void
    /// Called when the request has been sent.
    var didSend: (() -> Void)?
    private var interimResponseCount = 0
    private var refusal: (head: ResponseHead, body: ResponseBody)?
    private var isOver = false

    /// Prepares the handshake on a new stream of a connection. It owns the stream until the completion is called.
    init(
        _ request: ClientRequest, on connection: HTTP2Connection, followsRedirects: Bool,
        completion: @escaping (Result<ClientOpening.Opened, ConnectError>) -> Void
    ) {
        self.request = request
        self.followsRedirects = followsRedirects
        self.completion = completion
        self.connection = connection
        stream = connection.makeStream()
    }

    /// Sends the request when the connection is ready.
    func start() {
        stream.delegate = self
        stream.didReceiveHead = { [unowned self] in receive($0) }
        stream.startReading()
        connection.whenReady { [weak self] in self?.sendRequest() }
    }

    func cancel() {
        isOver = true
        stream.close()
    }

    var partialRefusal: HandshakeError? { refusal(streamEnded: false) }

    private func refusal(streamEnded: Bool) -> HandshakeError? {
        guard let head = refusal?.head, var body = refusal?.body else { return nil }
        body.finish(streamEnded: streamEnded)
        return .refused(head, body: body.content, bodyIsTruncated: body.isTruncated)
    }

    private func sendRequest() {
        guard !isOver else { return }
        // RFC 8441 §3: a client must not send extended CONNECT before it has received the setting.
        guard !request.purpose.isUpgrade || connection.session.allowsExtendedConnect else {
            return fail(.http2(.noExtendedConnect))
        }
        didSend?()
        guard !isOver else { return }
        guard stream.request(request.http2Fields, endsStream: !request.purpose.isUpgrade) else {
            return fail(.http2(connection.goAway ?? .goAway(code: HTTP2Error.noError, debugData: "")))
        }
    }

    private func receive(_ head: ResponseHead) {
        guard !isOver, refusal == nil else { return }
        switch head.status {
        case 100...199:
            interimResponseCount += 1
            if interimResponseCount > ResponseReader.maximumInterimResponses { fail(.tooManyInterimResponses) }
        // RFC 8441 §5: any 2xx status opens the WebSocket.
        case 200...299 where request.purpose.isUpgrade:
            do throws(HandshakeError) {
                let upgrade = try ClientHandshake.negotiated(in: head, answering: request)
                stream.didReceiveHead = nil
                stream.stopReading()
                finish(.success((stream, upgrade, [])))
            } catch {
                fail(error)
            }
        default:
            refusal = (head, ResponseBody(of: head))
            if followsRedirects, head.isRedirect { finishRefusal(streamEnded: false) } else { finishIfComplete() }
        }
    }

    private func finishIfComplete() {
        if refusal?.body.isComplete ?? false { finishRefusal(streamEnded: false) }
    }

    private func finishRefusal(streamEnded: Bool) {
        if let refusal = refusal(streamEnded: streamEnded) { fail(refusal) }
    }

    private func fail(_ error: HandshakeError) { finish(.failure(.handshake(error))) }

    private func finish(_ result: Result<ClientOpening.Opened, ConnectError>) {
        guard !isOver else { return }
        isOver = true
        completion(result)
    }
}

extension HTTP2Opening: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        guard !isOver else { return }
        refusal?.body.receive(bytes.bytes, from: 0)
        finishIfComplete()
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard refusal == nil else { return finishRefusal(streamEnded: true) }
        fail(.closedBeforeResponse)
    }

    func streamDidDrain(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        if let partialRefusal { return fail(partialRefusal) }
        switch error {
        case .protection(let error as HTTP2Error): fail(.http2(error))
        default: finish(.failure(.lost(error, .upgrading)))
        }
    }

    /// Ignored: the end of reading explains the failure.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
