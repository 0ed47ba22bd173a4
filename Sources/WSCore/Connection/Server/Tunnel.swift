/// A tunnel of an HTTP proxy (RFC 9110 §9.3.6) whose content is not examined. Bytes pass in both directions, at the pace of the
/// receiver; the end of one side is passed on, and a failure resets the other side.
internal final class Tunnel {
    /// One direction of the tunnel.
    private final class Flow {
        let source: any ByteStream
        let sink: any ByteStream
        var waiting = ByteBuffer()
        var byteCount = 0
        /// Whether the source has ended.
        var hasEnded = false
        /// Whether the sink got the end.
        var isComplete = false

        init(from source: any ByteStream, to sink: any ByteStream) {
            self.source = source
            self.sink = sink
        }

        /// Writes what waits, and reads on if nothing is left.
        func flush() throws(StreamError) {
            try sink.write(&waiting)
            guard waiting.isEmpty, !sink.isWriting else { return source.stopReading() }
            guard hasEnded else { return source.startReading() }
            isComplete = true
            sink.shutdown()
        }
    }

    private let request: RequestHead
    private let client: any ByteStream
    private let server: any ByteStream
    private let toServer: Flow
    private let toClient: Flow
    private let facts: OpeningFacts
    private let memory: HeldMemory?
    private var isCounted = false
    private var timer: Timer?
    private var movedBytesAtLastCheck = 0
    private var completion: ((ServedRequest) -> Void)?

    /// The time without traffic after which a tunnel is closed, at least once and at most twice. WebSockets may be idle.
    private static let idleTimeout = Duration.seconds(3600)

    /// - Parameters:
    ///   - request: The CONNECT request.
    ///   - client: The client's stream, which does not read.
    ///   - server: The stream to the server, which does not read.
    ///   - memory: Counts what the tunnel holds.
    ///   - completion: Called when both streams are closed, with the traffic in the tunnel.
    init(
        _ request: RequestHead, between client: any ByteStream, and server: any ByteStream, facts: OpeningFacts,
        memory: HeldMemory?, completion: @escaping (ServedRequest) -> Void
    ) {
        self.request = request
        self.client = client
        self.server = server
        toServer = Flow(from: client, to: server)
        toClient = Flow(from: server, to: client)
        self.facts = facts
        self.memory = memory
        self.completion = completion
    }

    /// Passes bytes.
    /// - Parameters:
    ///   - answer: The response to the client, which is not counted; empty if it has been sent.
    ///   - clientBytes: The first bytes of the client.
    ///   - serverBytes: The first bytes of the server.
    func start(answer: [UInt8], clientBytes: [UInt8], serverBytes: [UInt8]) {
        client.delegate = self
        server.delegate = self
        let timer = Timer(on: client.loop) { [unowned self] in
            let movedBytes = movedBytes
            if movedBytes == movedBytesAtLastCheck { return end(because: "there was no traffic for an hour") }
            movedBytesAtLastCheck = movedBytes
        }
        timer.start(after: Self.idleTimeout, every: Self.idleTimeout)
        self.timer = timer
        toClient.waiting.append(answer.span.bytes)
        pass(serverBytes.span.bytes, toClient)
        pass(clientBytes.span.bytes, toServer)
    }

    private func pass(_ bytes: RawSpan, _ flow: Flow) {
        flow.waiting.append(bytes)
        flow.byteCount += bytes.byteCount
        flush(flow)
    }

    private func flush(_ flow: Flow) {
        guard completion != nil, !flow.isComplete else { return }
        do throws(StreamError) {
            try flow.flush()
            countMemory()
            if toServer.isComplete, toClient.isComplete { finish(nil) }
        } catch {
            failed(flow.sink, error)
        }
    }

    private func failed(_ stream: any ByteStream, _ error: StreamError) {
        end(because: "the \(stream === client ? "client" : "server") is lost: \(error)")
    }

    /// Resets both streams.
    func end(because reason: String) {
        guard completion != nil else { return }
        client.abort()
        server.abort()
        finish(reason)
    }

    private func finish(_ reason: String?) {
        guard let completion else { return }
        self.completion = nil
        timer = nil
        if isCounted { memory?.remove(self) }
        client.close()
        server.close()
        completion(
            ServedRequest(
                request: request, facts: facts, status: 200, endTime: client.loop.turnTime,
                receivedBytes: toServer.byteCount, sentBytes: toClient.byteCount, isComplete: true, reason: reason))
    }
}

extension Tunnel: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        guard completion != nil else { return }
        pass(bytes.bytes, stream === client ? toServer : toClient)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        let flow = stream === client ? toServer : toClient
        flow.hasEnded = true
        flush(flow)
    }

    func streamDidDrain(_ stream: any ByteStream) { flush(stream === client ? toClient : toServer) }
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { failed(stream, error) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { failed(stream, error) }
}

// What one side has sent and the other has not taken.
extension Tunnel: MemoryHolder {
    private func countMemory() {
        guard completion != nil, let memory, isCounted || heldBytes > uncountedBytes else { return }
        isCounted = memory.update(self)
    }

    var uncountedBytes: Int { client.uncountedBytes }
    var incompleteBytes: Int {
        toServer.waiting.storageBytes + server.storageBytes + client.unreadStorageBytes + server.unreadStorageBytes
    }
    var outputBytes: Int { toClient.waiting.storageBytes + client.storageBytes }
    var movedBytes: Int { toServer.byteCount + toClient.byteCount - client.unsentBytes - server.unsentBytes }
    func freeMemory() { end(because: "one side does not read, and memory is scarce") }
}
