/// An opening handshake of a client, over a version of HTTP.
internal protocol Opening: AnyObject {
    /// The refusal received so far, or nil if the server has not refused.
    var partialRefusal: HandshakeError? { get }
    /// Closes the stream. The completion is not called.
    func cancel()
}

/// Performs the client's side of an opening handshake (RFC 6455 §4.1): sends the request and checks the response.
internal final class ClientOpening: Opening {
    /// The result of a successful handshake.
    typealias Opened = (stream: any ByteStream, upgrade: ClientUpgrade, firstBytes: [UInt8])

    let stream: any ByteStream
    /// What has arrived after the head of a refusal without its body.
    private(set) var firstBytesOfBody: [UInt8] = []
    private let followsRedirects: Bool
    private let completion: (Result<Opened, ConnectError>) -> Void
    private var handshake: ClientHandshake
    private var requestBytes = ByteBuffer()
    private var isOver = false

    /// Prepares the handshake. It owns the stream until the completion is called.
    /// - Parameter followsRedirects: Whether to report a redirect without waiting for its body. Defaults to false.
    init(
        _ handshake: ClientHandshake, on stream: any ByteStream, followsRedirects: Bool = false,
        completion: @escaping (Result<Opened, ConnectError>) -> Void
    ) {
        self.handshake = handshake
        self.stream = stream
        self.followsRedirects = followsRedirects
        self.completion = completion
    }

    /// Sends the request.
    /// - Parameter firstBytes: Bytes the layer below read beyond its own handshake.
    func start(with firstBytes: [UInt8] = []) {
        guard !isOver else { return }
        stream.delegate = self
        handshake.requestBytes.withUnsafeBytes { requestBytes.append($0.bytes) }
        stream.startReading()
        writeRequest()
        guard !firstBytes.isEmpty else { return }
        firstBytes.withUnsafeBytes { receive($0.bytes) }
    }

    func cancel() {
        isOver = true
        stream.close()
    }

    var partialRefusal: HandshakeError? { handshake.partialRefusal }

    private func writeRequest() {
        // If the write fails, the server may have responded before it closed, so read the response first.
        try? stream.write(&requestBytes)
    }

    private func receive(_ bytes: RawSpan) {
        guard !isOver else { return }
        do throws(HandshakeError) {
            switch try handshake.receive(bytes) {
            case .needsMore:
                guard followsRedirects, let refusal = partialRefusal, case .refused(let head, _, _) = refusal,
                    head.isRedirect
                else { return }
                finish(.failure(.handshake(refusal)))
            case .upgraded(let upgrade, let consumedByteCount):
                stream.stopReading()
                let rest = bytes.extracting(droppingFirst: consumedByteCount)
                finish(.success((stream, upgrade, rest.withUnsafeBytes { Array($0) })))
            }
        } catch {
            if case .refused = error {
                let rest = bytes.extracting(droppingFirst: handshake.headByteCount)
                firstBytesOfBody = rest.withUnsafeBytes { Array($0) }
            }
            finish(.failure(.handshake(error)))
        }
    }

    private func finish(_ result: Result<Opened, ConnectError>) {
        guard !isOver else { return }
        isOver = true
        completion(result)
    }
}

extension ClientOpening: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(bytes.bytes)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard !isOver else { return }
        do throws(HandshakeError) {
            try handshake.receiveEndOfStream()
        } catch {
            finish(.failure(.handshake(error)))
        }
    }

    func streamDidDrain(_ stream: any ByteStream) {
        writeRequest()
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        if let partialRefusal { return finish(.failure(.handshake(partialRefusal))) }
        finish(.failure(.lost(error, .upgrading)))
    }

    /// Ignored: a response sent before the failure can still be read.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
