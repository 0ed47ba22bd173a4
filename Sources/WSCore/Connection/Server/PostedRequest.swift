/// Sends the body of a POST request to the clients of a server. Returns the response; nil while they have no room for it.
package typealias PostDelivery = (RequestHead, [UInt8]) -> WebResponse?

/// One POST request to the clients of a server: reads its body, and waits until it can be delivered.
internal final class PostedRequest {
    private enum State {
        case reading
        /// Does not read, because memory is scarce.
        case paused
        /// Waits for room in the queues of clients, with the whole body.
        case waiting
        case over
    }

    let stream: any ByteStream
    let request: RequestHead
    /// Names the recipients; empty if the request has none.
    let path: String
    private let facts: OpeningFacts
    private let limitBytes: Int
    private let memory: HeldMemory?
    private let deliver: PostDelivery
    private let didReceiveBody: (PostedRequest) -> Void
    private let completion: (PostedRequest, WebResponse?) -> Void
    private var state = State.reading
    private var framing = BodyFraming.none
    private var body: [UInt8] = []
    /// The size of the body, or its limit if that is unknown.
    private var expectedBytes: Int
    private var receivedBytes = 0
    private var isCounted = false
    private var deliveryTimeout = Duration.zero
    private var timer: Timer?
    /// The value of ``receivedBytes`` when the timer last fired.
    private var receivedBytesAtLastCheck = 0

    /// - Parameters:
    ///   - stream: The client's stream, which does not read.
    ///   - limitBytes: The maximum size of the body.
    ///   - memory: Counts what the request holds.
    ///   - didReceiveBody: Called with the whole body, to call ``deliverBody()`` in turn.
    ///   - completion: Called with the response; nil if the client has left, and the stream is closed.
    init(
        _ request: RequestHead, on stream: any ByteStream, facts: OpeningFacts, limitBytes: Int, memory: HeldMemory?,
        deliver: @escaping PostDelivery, didReceiveBody: @escaping (PostedRequest) -> Void,
        completion: @escaping (PostedRequest, WebResponse?) -> Void
    ) {
        self.request = request
        path = request.normalizedPath ?? ""
        self.stream = stream
        self.facts = facts
        self.limitBytes = limitBytes
        expectedBytes = limitBytes
        self.memory = memory
        self.deliver = deliver
        self.didReceiveBody = didReceiveBody
        self.completion = completion
    }

    /// The facts for a log, with the body.
    var factsAfterBody: OpeningFacts {
        OpeningFacts(
            address: facts.address, acceptTime: facts.acceptTime, receivedBytes: facts.receivedBytes + receivedBytes,
            sentBytes: facts.sentBytes)
    }

    var isWaiting: Bool { state == .waiting }

    /// Starts reading the body.
    /// - Parameters:
    ///   - firstBytes: The bytes that arrived after the head of the request.
    ///   - bodyTimeout: The time without progress after which the body is given up, at least once and at most twice.
    ///   - deliveryTimeout: The time to wait for clients.
    func run(_ firstBytes: [UInt8], bodyTimeout: Duration, deliveryTimeout: Duration) {
        guard let framing = BodyFraming(of: request) else {
            return refuse(400, "The length of the request's body is ambiguous.")
        }
        switch framing.length {
        case .bytes(let count) where count > limitBytes: return refuseSize()
        // RFC 9113 §8.1: END_STREAM delimits the body.
        case .none where request.version == .http2: self.framing = .untilEndOfStream
        case .none: return refuse(411, "The message needs a Content-Length, or the chunked coding.")
        case .bytes(let count):
            self.framing = framing
            expectedBytes = count
        case .chunked, .untilEndOfStream: self.framing = framing
        }
        stream.delegate = self
        let timer = Timer(on: stream.loop) { [unowned self] in
            let isStalled = receivedBytes == receivedBytesAtLastCheck
            receivedBytesAtLastCheck = receivedBytes
            // The last step: nothing may be left that holds the request.
            if state == .waiting {
                refuse(503, "A client reads too slowly.")
            } else if state == .reading, isStalled {
                refuse(408, "The request's body did not arrive in time.")
            }
        }
        self.timer = timer
        self.deliveryTimeout = deliveryTimeout
        timer.start(after: bodyTimeout, every: bodyTimeout)
        receive(firstBytes.span.bytes)
        guard state == .reading else { return }
        // RFC 9110 §10.1.1: a client may wait for this response before it sends the body.
        if firstBytes.isEmpty, request.version == .http1, request.minorVersion >= 1,
            request.fields.contains(token: "100-continue", named: "Expect")
        {
            var output = ByteBuffer()
            output.append("HTTP/1.1 100 Continue\r\n\r\n")
            try? stream.write(&output)
        }
        stream.startReading()
    }

    /// Tries to deliver the body. While clients have no room, it waits.
    func deliverBody() {
        guard state == .waiting, let response = deliver(request, body) else { return }
        finish(response)
    }

    private func receive(_ bytes: RawSpan) {
        // What follows the body is discarded: the stream ends after the response.
        guard state == .reading else { return }
        receivedBytes += bytes.byteCount
        guard framing.takeContent(bytes, { append($0) }) else {
            return refuse(400, "The request's body is not valid in the chunked coding.")
        }
        guard body.count <= limitBytes else { return refuseSize() }
        countMemory()
        if framing.isComplete, state != .over { completeBody() }
    }

    /// Appends a part of the body. Memory grows by doubling, but not beyond the size that is announced.
    private func append(_ content: RawSpan) {
        let byteCount = body.count + content.byteCount
        if byteCount > body.capacity { body.reserveCapacity(max(byteCount, min(2 * byteCount, expectedBytes))) }
        content.withUnsafeBytes { body += $0 }
    }

    private func completeBody() {
        state = .waiting
        countMemory()
        didReceiveBody(self)
        if state == .waiting { timer?.start(after: deliveryTimeout) }
    }

    private func refuseSize() { refuse(413, "The message has more than \(limitBytes) bytes.") }

    private func refuse(_ status: Int, _ reason: String) { finish(WebResponse(status: status, text: reason)) }

    private func finish(_ response: WebResponse?) {
        guard state != .over else { return }
        state = .over
        timer = nil
        if isCounted { memory?.remove(self) }
        body = []
        stream.stopReading()
        if response == nil { stream.close() }
        completion(self, response)
    }
}

extension PostedRequest: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) { receive(bytes.bytes) }

    /// A client may end its side after the body.
    func streamDidReachEnd(_ stream: any ByteStream) {
        if state == .reading, framing.length == .untilEndOfStream { return completeBody() }
        if state != .waiting { finish(nil) }
    }

    func streamDidDrain(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { finish(nil) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) { finish(nil) }
}

extension PostedRequest: MemoryHolder {
    private func countMemory() {
        guard let memory, isCounted || heldBytes > uncountedBytes else { return }
        isCounted = memory.update(self)
    }

    var uncountedBytes: Int { stream.uncountedBytes }
    var incompleteBytes: Int { body.capacity + stream.unreadStorageBytes }
    var outputBytes: Int { 0 }
    var missingBytes: Int? { state == .waiting ? nil : expectedBytes - body.count }
    var movedBytes: Int { receivedBytes }
    var isKeptWaiting: Bool { state == .paused && stream.hasUnreadBytes }

    func pauseForMemory() {
        guard state == .reading else { return }
        state = .paused
        stream.stopReading()
    }

    func resumeAfterMemory() {
        guard state == .paused else { return }
        state = .reading
        // The client could not send meanwhile.
        receivedBytesAtLastCheck = -1
        stream.startReading()
    }

    func memoryIsFree() { resumeAfterMemory() }
    func freeMemory() { refuse(503, "Memory is scarce.") }
}
