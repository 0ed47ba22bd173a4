/// One request that a gateway forwards, and its response. Bodies pass byte for byte, at the pace of the receiver.
///
/// Each exchange has its own connection to the server, and both connections are closed afterwards. No other request follows
/// on them, so client and server cannot disagree about where it begins.
internal final class ForwardedExchange {
    private let request: RequestHead
    private let client: any ByteStream
    private let facts: OpeningFacts
    private let forwarding: RequestForwarding
    private let firstBytes: [UInt8]
    private let prepared: PreparedConnection?
    private let memory: HeldMemory?
    private var isCounted = false
    private var completion: ((ServedRequest) -> Void)?

    private var connector: Connector?
    private var server: (any ByteStream)?
    private var requestBody: ForwardedBody
    private var response: ForwardedResponse
    private var timer: Timer?
    /// The value of ``movedBytes`` when the timer last fired.
    private var movedBytesAtLastCheck = 0

    /// The time limit without progress for the rest of a response, after the connection to the server has ended.
    private static let timeout = Duration.seconds(30)

    /// - Parameters:
    ///   - firstBytes: The bytes that arrived after the head of the request.
    ///   - client: The client's stream, which does not read.
    ///   - prepared: The connection to the server; nil to open one.
    ///   - memory: Counts what the exchange holds.
    init(
        _ request: RequestHead, _ firstBytes: [UInt8], on client: any ByteStream, facts: OpeningFacts,
        _ forwarding: RequestForwarding, prepared: PreparedConnection? = nil, memory: HeldMemory?
    ) {
        self.memory = memory
        self.request = request
        self.client = client
        self.facts = facts
        self.forwarding = forwarding
        self.firstBytes = firstBytes
        self.prepared = prepared
        requestBody = ForwardedBody(of: request, on: client)
        response = ForwardedResponse(to: request)
    }

    /// Forwards the request.
    /// - Parameters:
    ///   - refusal: The response if that is impossible; nil otherwise.
    ///   - completion: Called when the client's stream is closed.
    func run(refusing refusal: HandshakeRefusal?, completion: @escaping (ServedRequest) -> Void) {
        self.completion = completion
        client.delegate = self
        if let refusal { return answer(refusal) }
        guard requestBody.isValid else {
            return answer(badRequest("The length of the request's body is ambiguous."))
        }
        do throws(HandshakeRefusal) {
            let settings = try forwarding.settings(request, requestBody.field)
            let connector = Connector(settings, resources: forwarding.resources, on: client.loop) {
                [unowned self] result in
                if case .failure(let error) = result { answer(forwarding.refusal(error, request)) }
            }
            connector.didConnect = { [unowned self] stream, firstBytes in didConnect(stream, firstBytes) }
            connector.prepared = prepared
            self.connector = connector
            connector.start()
        } catch {
            answer(error)
        }
    }

    /// Passes on a response that has begun.
    /// - Parameter completion: Called when the client's stream is closed.
    func pass(_ response: Connector.UnreadResponse, completion: @escaping (ServedRequest) -> Void) {
        self.completion = completion
        client.delegate = self
        server = response.stream
        response.stream.delegate = self
        startTimer()
        begin(response.head)
        client.startReading()
        receiveContent(response.firstBytes.span.bytes)
    }

    /// Closes both streams. The completion is not called.
    func cancel() {
        completion = nil
        leave()
        client.close()
    }

    private var isOver: Bool { completion == nil }

    private func didConnect(_ stream: any ByteStream, _ serverBytes: [UInt8]) {
        guard !isOver, let connector else { return stream.close() }
        server = stream
        stream.delegate = self
        startTimer()
        let head = connector.request.signed(at: WallTime.now.seconds).head
        head.withUnsafeBytes { requestBody.output.append($0.bytes) }
        let firstBytes = firstBytes
        receiveBody(firstBytes.span.bytes)
        stream.startReading()
        if !serverBytes.isEmpty { receiveResponse(serverBytes.span.bytes) }
    }

    private func startTimer() {
        let timer = Timer(on: client.loop) { [unowned self] in timerFired() }
        timer.start(after: forwarding.timeout, every: forwarding.timeout)
        self.timer = timer
    }

    private func timerFired() {
        let progress = movedBytes
        guard progress == movedBytesAtLastCheck else { return movedBytesAtLastCheck = progress }
        let seconds = "\(forwarding.timeout.components.seconds) s"
        if !requestBody.isComplete, requestBody.output.isEmpty, server?.isWriting == false, response.status == nil {
            // RFC 9110 §15.5.9.
            let reason = "The client has sent no more of the request's body for \(seconds)."
            return answer(HandshakeRefusal(status: 408, reason: reason, request: request))
        }
        if client.isWriting { return end(because: "The client has taken no more of the response for \(seconds).") }
        let reason = "The server has sent no more of its response for \(seconds)."
        answer(HandshakeRefusal(status: 504, reason: reason, request: request))
    }

    // MARK: From the client

    private func receiveBody(_ bytes: RawSpan) {
        guard requestBody.receive(bytes) else {
            return answer(badRequest("The request's body is not valid in the chunked coding."))
        }
        flushToServer()
    }

    private func flushToServer() {
        guard let server, !isOver else { return }
        // If the write fails, the server may have answered before it closed.
        try? server.write(&requestBody.output)
        if requestBody.output.isEmpty, !server.isWriting { client.startReading() } else { client.stopReading() }
        countMemory()
    }

    private func badRequest(_ reason: String) -> HandshakeRefusal {
        HandshakeRefusal(status: 400, reason: reason, request: request)
    }

    // MARK: From the server

    private func receiveResponse(_ bytes: RawSpan) {
        var rest = bytes
        do throws(HTTPHeadError) {
            while response.needsHead {
                guard let (head, count) = try response.receiveHead(rest) else { return flushToClient() }
                rest = rest.extracting(droppingFirst: count)
                if head.status >= 200 { begin(head) } else { pass(interim: head) }
                guard !isOver else { return }
            }
        } catch {
            return answer(badGateway("a response whose head \(error)"))
        }
        receiveContent(rest)
    }

    private func pass(interim head: ResponseHead) {
        guard response.passes(interim: head) else { return answer(badGateway("an invalid sequence of responses")) }
        // RFC 9110 §15.2: HTTP/1.0 has no interim responses.
        if request.minorVersion >= 1 {
            append(head.with(forwarding.gateway.fields(of: head, to: request), status: head.status))
        }
    }

    /// Begins the response with the server's final head.
    private func begin(_ head: ResponseHead) {
        guard let head = response.begin(head, with: forwarding.gateway.fields(of: head, to: request)) else {
            return answer(badGateway("a response whose Transfer-Encoding or Content-Length is invalid"))
        }
        append(head)
    }

    private func append(_ head: ResponseHead) {
        response.append(head: head.start(on: client))
        if forwarding.reportsExchanges, head.status >= 200 { response.keptFields = head.fields(to: request) }
    }

    private func receiveContent(_ bytes: RawSpan) {
        guard !isOver else { return }
        guard response.receiveContent(bytes) else {
            return end(because: "The server sent a response that is not valid in the chunked coding.")
        }
        guard response.isComplete else { return flushToClient() }
        (client as? HTTP2Stream)?.responseTrailers = response.trailers.http2Fields
        finish()
    }

    private func flushToClient() {
        guard let server, !isOver else { return }
        guard (try? client.write(&response.output)) != nil else { return abort() }
        if response.output.isEmpty, !client.isWriting { server.startReading() } else { server.stopReading() }
        countMemory()
    }

    private func badGateway(_ what: String) -> HandshakeRefusal {
        HandshakeRefusal(status: 502, reason: "The server sent \(what).", request: request)
    }

    // MARK: The end

    /// Answers in place of the server or, if its response has begun, ends that.
    private func answer(_ refusal: HandshakeRefusal) {
        guard !isOver else { return }
        response.reason = refusal.reason
        if response.status == nil {
            response.answer(refusal)
            let answer = WebResponse(refusing: refusal)
            append(answer.head(at: .now))
            answer.bytes(answering: request.method).withUnsafeBytes { response.append($0.bytes) }
        }
        finish()
    }

    /// Ends a response that the server has not completed.
    private func end(because reason: String) {
        response.reason = reason
        finish()
    }

    /// Writes the rest of the response and closes both streams.
    private func finish(atEndOfStream isEnd: Bool = false) {
        guard let completion else { return }
        self.completion = nil
        leave()
        let isComplete = isEnd ? response.isCompleteAtEndOfStream : response.isComplete
        if !isComplete, response.endsWithStream {
            try? client.write(&response.output)
            return reset(completion)
        }
        let sentBytes = response.takenByteCount
        _ = LingeringClose(
            client, output: response.output.takeAll(), closesOwnSide: true, timeout: Self.timeout,
            endsMessage: response.endsWithStream, memory: memory, sharedBytes: response.keptByteCount
        ) { [self] writtenBytes, _ in
            let sentBytes = sentBytes + writtenBytes
            completion(served(sentBytes, isComplete: isComplete && sentBytes == response.byteCount))
        }
    }

    /// Ends a response whose end would otherwise complete it.
    private func reset(_ completion: (ServedRequest) -> Void) {
        let sentBytes = response.takenByteCount - client.inFlightBytes
        client.abort()
        completion(served(sentBytes, isComplete: false))
    }

    /// Closes both streams: the client is gone.
    private func abort() {
        guard let completion else { return }
        self.completion = nil
        leave()
        client.close()
        completion(served(response.takenByteCount, isComplete: false))
    }

    private func leave() {
        if isCounted { memory?.remove(self) }
        isCounted = false
        timer = nil
        connector?.cancel()
        server?.close()
        server = nil
    }

    private func served(_ sentBytes: Int, isComplete: Bool) -> ServedRequest {
        ServedRequest(
            request: request, facts: facts, status: response.status ?? HandshakeRefusal.clientLeftStatus,
            endTime: client.loop.turnTime, receivedBytes: facts.receivedBytes + requestBody.byteCount,
            sentBytes: sentBytes, isComplete: isComplete, reason: response.reason, fields: response.keptFields,
            bodyBytes: (requestBody.byteCount, max(0, sentBytes - response.headByteCount)))
    }
}

extension ForwardedExchange: ByteStreamDelegate {
    func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
        guard !isOver else { return }
        if stream === client { receiveBody(bytes.bytes) } else { receiveResponse(bytes.bytes) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard !isOver else { return }
        if stream === client {
            // Over HTTP/2, this is the end of the request. Otherwise, like other gateways, take it for a canceled request.
            if let stream = client as? HTTP2Stream, stream.hasWholeMessage,
                requestBody.end(with: Gateway.trailers(stream.requestTrailers))
            {
                return flushToServer()
            }
            if request.version == .http1 || !requestBody.isComplete { abort() }
            return
        }
        if response.status == nil { return answer(badGateway("no response")) }
        // RFC 8446 §6.1: without close_notify, the end may be that of an attacker.
        guard !((stream as? TLSStream)?.wasTruncated ?? false) else {
            return end(because: "The server ended TLS without close_notify.")
        }
        finish(atEndOfStream: true)
    }

    func streamDidDrain(_ stream: any ByteStream) {
        if stream === client { flushToClient() } else { flushToServer() }
    }

    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) {
        if stream === client { abort() } else { answer(badGateway("no complete response: \(error)")) }
    }

    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {
        // A response that the server sent before can still be read.
        if stream === client { abort() } else { client.stopReading() }
    }
}

// What one side has sent and the other has not taken.
extension ForwardedExchange: MemoryHolder {
    private func countMemory() {
        guard !isOver, let memory, isCounted || heldBytes > uncountedBytes else { return }
        isCounted = memory.update(self)
    }

    var uncountedBytes: Int { client.uncountedBytes }
    var incompleteBytes: Int {
        requestBody.output.storageBytes + (server?.storageBytes ?? 0) + client.unreadStorageBytes
            + (server?.unreadStorageBytes ?? 0)
    }
    var outputBytes: Int { response.output.storageBytes + response.keptByteCount + client.storageBytes }
    var movedBytes: Int {
        requestBody.takenByteCount - (server?.unsentBytes ?? 0)
            + response.takenByteCount - client.unsentBytes
    }
    func freeMemory() {
        guard let completion else { return }
        self.completion = nil
        response.reason = "The client does not read, and memory is scarce."
        leave()
        reset(completion)
    }
}
