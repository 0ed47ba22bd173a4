/// One request that asks for no WebSocket, and its answer on the way to the client.
internal final class WebExchange {
    let stream: any ByteStream
    private let request: RequestHead
    private let response: WebResponse
    private let address: SocketAddress?
    private let start: Duration
    /// When the last byte was written; nil: not yet.
    private var end: Duration?

    init(_ request: RequestHead, _ response: WebResponse, on stream: any ByteStream, address: SocketAddress?) {
        self.request = request
        self.response = response
        self.stream = stream
        self.address = address
        start = stream.loop.now
    }

    /// Sends the answer and closes the stream.
    /// - Parameters:
    ///   - patience: How long the client may take nothing of it.
    ///   - completion: Called when the stream is closed.
    func run(patience: Duration, completion: @escaping (WebExchange, ServedRequest) -> Void) {
        var output = ByteBuffer()
        let head = response.headBytes(at: .now)
        head.withUnsafeBytes { output.append($0.bytes) }
        let expectedBytes = sendsContent ? response.contentByteCount : 0
        if sendsContent, case .bytes(let bytes) = response.content {
            bytes.withUnsafeBytes { output.append($0.bytes) }
        }
        _ = StreamDrain(
            stream, output: output, closesOwnSide: true, patience: patience,
            refill: { [self] output in refill(&output) }
        ) { [self] writtenBytes in
            let contentBytes = max(0, writtenBytes - head.count)
            completion(
                self,
                ServedRequest(
                    request: request, address: address, status: response.status, contentByteCount: contentBytes,
                    isComplete: writtenBytes >= head.count && contentBytes == expectedBytes,
                    duration: (end ?? stream.loop.now) - start))
        }
    }

    /// Closes the stream, whatever is on its way; the completion is not called.
    func cancel() {
        stream.close()
    }

    /// RFC 9110 §9.3.2: the answer to HEAD has no content.
    private var sendsContent: Bool { request.method != "HEAD" }

    private func refill(_ output: inout ByteBuffer) {
        end = end ?? stream.loop.now
    }
}
