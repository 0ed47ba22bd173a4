/// The client's side of the opening handshake on a stream: sends the request, checks the response, and hands the
/// stream on.
internal final class ClientOpening {
    /// What a handshake that succeeded leaves behind.
    typealias Opened = (upgrade: ClientUpgrade, firstBytes: [UInt8])

    private let stream: any ByteStream
    private let completion: (Result<Opened, ConnectError>) -> Void
    private var handshake: ClientHandshake
    private var requestBytes = ByteBuffer()
    private var isOver = false

    /// Prepares the handshake on a stream, which belongs to it until the completion is called.
    init(
        _ handshake: ClientHandshake, on stream: any ByteStream,
        completion: @escaping (Result<Opened, ConnectError>) -> Void
    ) {
        self.handshake = handshake
        self.stream = stream
        self.completion = completion
    }

    /// Sends the request.
    /// - Parameter firstBytes: What the layer below had read beyond its own handshake.
    func start(with firstBytes: [UInt8] = []) {
        guard !isOver else { return }
        stream.delegate = self
        handshake.requestBytes.withUnsafeBytes { requestBytes.append($0.bytes) }
        stream.startReading()
        writeRequest()
        guard !firstBytes.isEmpty else { return }
        firstBytes.withUnsafeBytes { receive($0.bytes) }
    }

    /// Closes the stream; the completion is not called.
    func cancel() {
        isOver = true
        stream.close()
    }

    /// What the server has answered so far, if that is already a refusal.
    var partialRefusal: HandshakeError? { handshake.partialRefusal }

    private func writeRequest() {
        // When it cannot be written, the server may have answered before it closed: what it said is read first.
        try? stream.write(&requestBytes)
    }

    private func receive(_ bytes: RawSpan) {
        guard !isOver else { return }
        do throws(HandshakeError) {
            switch try handshake.receive(bytes) {
            case .needsMore: return
            case .upgraded(let upgrade, let consumedByteCount):
                stream.stopReading()
                let rest = bytes.extracting(droppingFirst: consumedByteCount)
                finish(.success((upgrade, rest.withUnsafeBytes { Array($0) })))
            }
        } catch {
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

    /// What the server said before is still to be read.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
