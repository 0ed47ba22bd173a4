/// One request that is not an upgrade, and the delivery of its response.
internal final class WebExchange {
    let stream: any ByteStream
    private let request: RequestHead
    private let response: WebResponse
    private let facts: OpeningFacts
    private let sendsContent: Bool
    /// The time the last byte was written, or nil before that.
    private var endTime: Duration?
    /// The part of the content that was not produced yet, as positions in the page or file.
    private var rest: Range<Int>

    init(_ request: RequestHead, _ response: WebResponse, on stream: any ByteStream, facts: OpeningFacts) {
        self.request = request
        self.response = response
        self.stream = stream
        self.facts = facts
        // RFC 9110 §9.3.2: the response to HEAD has no content.
        sendsContent = request.method != "HEAD"
        rest = sendsContent ? response.contentRange : 0..<0
    }

    /// Sends the response and closes the stream.
    /// - Parameters:
    ///   - timeout: The time without progress after which the response is given up.
    ///   - memory: Counts what the response holds.
    ///   - completion: Called when the stream is closed.
    func run(timeout: Duration, memory: HeldMemory?, completion: @escaping (WebExchange, ServedRequest) -> Void) {
        var output = ByteBuffer()
        let head = response.head(at: .now).start(on: stream)
        head.withUnsafeBytes { output.append($0.bytes) }
        let expectedBytes = sendsContent ? response.contentByteCount : 0
        // Small pages share a write with the head.
        if !(stream is HTTP2Stream) { produce(&output, atMost: max(0, LingeringClose.pieceBytes - output.count)) }
        _ = LingeringClose(
            stream, output: output, closesOwnSide: true, timeout: timeout, memory: memory,
            sharedBytes: response.sharedByteCount, refill: { [self] in produce(&$0, atMost: $1) }
        ) { [self] writtenBytes, _ in
            let contentBytes = max(0, writtenBytes - head.count)
            completion(
                self,
                ServedRequest(
                    request: request, facts: facts, status: response.status, endTime: endTime ?? stream.loop.turnTime,
                    receivedBytes: facts.receivedBytes, sentBytes: writtenBytes,
                    isComplete: writtenBytes >= head.count && contentBytes == expectedBytes))
        }
    }

    /// Appends the next piece of the page or file. If the file was truncated or cannot be read, the response ends early,
    /// which the client detects by its length.
    ///
    /// Files are read on the loop, because the page cache nearly always has them. A thread pool would cost more than it
    /// saves.
    private func produce(_ output: inout ByteBuffer, atMost byteCount: Int) {
        let piece = rest.prefix(byteCount)
        if !piece.isEmpty {
            let count = response.content.append(piece, to: &output)
            rest = count == 0 ? 0..<0 : rest.dropFirst(count)
        }
        if output.isEmpty { endTime = endTime ?? stream.loop.turnTime }
    }
}
