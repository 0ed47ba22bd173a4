/// Requests a tunnel to the target from a proxy, on a stream to that proxy.
internal final class ProxyTunnel {
    private let proxy: Proxy
    private let stream: any ByteStream
    private let completion: (Result<[UInt8], ConnectError>) -> Void
    private var handshake: ProxyHandshake
    private var output = ByteBuffer()
    private var isOver = false

    /// Prepares a tunnel. It owns the stream until the completion is called.
    /// - Parameter completion: Receives the bytes the target has sent already.
    init(
        _ handshake: ProxyHandshake, with proxy: Proxy, on stream: any ByteStream,
        completion: @escaping (Result<[UInt8], ConnectError>) -> Void
    ) {
        self.proxy = proxy
        self.handshake = handshake
        self.stream = stream
        self.completion = completion
    }

    /// Starts the proxy handshake.
    func start() {
        guard !isOver else { return }
        stream.delegate = self
        stream.startReading()
        send(handshake.start())
    }

    /// Closes the stream. The completion is not called.
    func cancel() {
        isOver = true
        stream.close()
    }

    /// The refusal received so far, or nil if the proxy has not refused.
    var partialRefusal: ConnectError? { handshake.partialRefusal.map { .proxy(proxy, $0) } }

    private func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { output.append($0.bytes) }
        writeOutput()
    }

    private func writeOutput() {
        // If the write fails, the proxy may have responded before it closed, so read the response first.
        try? stream.write(&output)
    }

    private func receive(_ bytes: RawSpan) {
        var offset = 0
        while !isOver {
            do throws(ProxyError) {
                switch try handshake.receive(bytes.extracting(droppingFirst: offset)) {
                case .needsMore: return
                case .send(let answer, let consumedByteCount):
                    offset += consumedByteCount
                    send(answer)
                case .open(let consumedByteCount):
                    stream.stopReading()
                    let rest = bytes.extracting(droppingFirst: offset + consumedByteCount)
                    finish(.success(rest.withUnsafeBytes { Array($0) }))
                }
            } catch {
                finish(.failure(.proxy(proxy, error)))
            }
        }
    }

    private func finish(_ result: Result<[UInt8], ConnectError>) {
        guard !isOver else { return }
        isOver = true
        completion(result)
    }
}

extension ProxyTunnel: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        receive(bytes.bytes)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard !isOver else { return }
        do throws(ProxyError) {
            try handshake.receiveEndOfStream()
        } catch {
            finish(.failure(.proxy(proxy, error)))
        }
    }

    func streamDidDrain(_ stream: any ByteStream) {
        writeOutput()
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        finish(.failure(partialRefusal ?? .lost(error, .tunnelling)))
    }

    /// Ignored: a response sent before the failure can still be read.
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
