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
    private let memory: HeldMemory?
    private let deliver: PostDelivery
    private let didReceiveBody: (PostedRequest) -> Void
    private let completion: (PostedRequest, WebResponse?) -> Void
    private var state = State.reading
    private var body: PostedBody
    private var isCounted = false
    private var deliveryTimeout = Duration.zero
    private var timer: Timer?

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
        body = PostedBody(limitBytes: limitBytes)
        self.memory = memory
        self.deliver = deliver
        self.didReceiveBody = didReceiveBody
        self.completion = completion
    }

    /// The facts for a log, with the body.
    var factsAfterBody: OpeningFacts {
        var facts = facts
        facts.receivedBytes += body.receivedBytes
        return facts
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
        guard framing.length != .none || request.version == .http2 else {
            return refuse(411, "The message needs a Content-Length, or the chunked coding.")
        }
        // RFC 9113 §8.1: END_STREAM delimits the body.
        guard body.begin(framing.length == .none ? .untilEndOfStream : framing) else { return refuseSize() }
        stream.delegate = self
        let timer = Timer(on: stream.loop) { [unowned self] in
            let isStalled = body.checkProgress()
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
        guard state == .waiting, let response = deliver(request, body.bytes) else { return }
        finish(response)
    }

    private func receive(_ bytes: RawSpan) {
        // What follows the body is discarded: the stream ends after the response.
        guard state == .reading else { return }
        guard body.receive(bytes) else {
            return refuse(400, "The request's body is not valid in the chunked coding.")
        }
        guard body.bytes.count <= body.limitBytes else { return refuseSize() }
        countMemory()
        if body.isComplete, state != .over { completeBody() }
    }

    private func completeBody() {
        state = .waiting
        countMemory()
        didReceiveBody(self)
        if state == .waiting { timer?.start(after: deliveryTimeout) }
    }

    private func refuseSize() { refuse(413, "The message has more than \(body.limitBytes) bytes.") }

    private func refuse(_ status: Int, _ reason: String) { finish(WebResponse(status: status, text: reason)) }

    private func finish(_ response: WebResponse?) {
        guard state != .over else { return }
        state = .over
        timer = nil
        if isCounted { memory?.remove(self) }
        body.free()
        stream.stopReading()
        if response == nil { stream.close() }
        completion(self, response)
    }
}

extension PostedRequest: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) { receive(bytes.bytes) }

    /// A client may end its side after the body.
    func streamDidReachEnd(_ stream: any ByteStream) {
        if state == .reading, body.lastsUntilEndOfStream, (stream as? HTTP2Stream)?.hasWholeMessage == true {
            return completeBody()
        }
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
    var incompleteBytes: Int { body.bytes.capacity + stream.unreadStorageBytes }
    var outputBytes: Int { 0 }
    var missingBytes: Int? { state == .waiting ? nil : body.missingBytes }
    var movedBytes: Int { body.receivedBytes }
    var isKeptWaiting: Bool { state == .paused && stream.hasUnreadBytes }

    func pauseForMemory() {
        guard state == .reading else { return }
        state = .paused
        stream.stopReading()
    }

    func resumeAfterMemory() {
        guard state == .paused else { return }
        state = .reading
        body.excusePause()
        stream.startReading()
    }

    func memoryIsFree() { resumeAfterMemory() }
    func freeMemory() { refuse(503, "Memory is scarce.") }
}

/// The body of a POST request, as far as it has arrived.
private struct PostedBody {
    let limitBytes: Int
    private(set) var bytes: [UInt8] = []
    private(set) var receivedBytes = 0
    private var framing = BodyFraming.none
    /// The size of the body, or its limit if that is unknown.
    private var expectedBytes: Int
    /// The value of ``receivedBytes`` at the last check.
    private var checkedBytes = 0

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        expectedBytes = limitBytes
    }

    var isComplete: Bool { framing.isComplete }
    var lastsUntilEndOfStream: Bool { framing.length == .untilEndOfStream }
    var missingBytes: Int { expectedBytes - bytes.count }

    /// Begins the body after the head of the request.
    /// - Returns: Whether its size is allowed, as far as that is known.
    mutating func begin(_ framing: BodyFraming) -> Bool {
        self.framing = framing
        if case .bytes(let count) = framing.length { expectedBytes = count }
        return expectedBytes <= limitBytes
    }

    /// Takes bytes of the stream. Memory grows by doubling, but not beyond the size that is announced.
    /// - Returns: Whether they are valid in the coding of the body.
    mutating func receive(_ received: RawSpan) -> Bool {
        receivedBytes += received.byteCount
        return framing.takeContent(received) { content in
            let count = bytes.count + content.byteCount
            if count > bytes.capacity { bytes.reserveCapacity(max(count, min(2 * count, expectedBytes))) }
            content.withUnsafeBytes { bytes += $0 }
        }
    }

    /// Whether nothing has arrived since the last check.
    mutating func checkProgress() -> Bool {
        defer { checkedBytes = receivedBytes }
        return receivedBytes == checkedBytes
    }

    /// Lets the next check pass: the client could not send.
    mutating func excusePause() { checkedBytes = -1 }

    mutating func free() { bytes = [] }
}
