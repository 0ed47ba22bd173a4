/// The response of a server on its way to the client, or one of our own.
struct ForwardedResponse: ~Copyable {
    private let request: RequestHead
    private var parser = HTTPHeadParser(.response, limits: .client)
    /// The number of heads with a status from 100 to 199.
    private var interimCount = 0
    /// Nil before the final head, and for a response of our own.
    private var body: BodyFraming?
    /// The lines of the trailers that have arrived, if they do not pass byte for byte. ``ChunkedDecoder`` bounds them.
    private var trailerLines: [UInt8] = []
    /// The trailers of a complete response that do not pass byte for byte.
    private(set) var trailers = HTTPFields()
    /// Nil before the final head.
    private(set) var status: Int?
    /// What the client has not taken.
    var output = ByteBuffer()
    /// The number of bytes for the client so far, including ``output``.
    private(set) var byteCount = 0
    /// The fields of the latest head for the client, if they are reported.
    var keptFields: HTTPFields?
    /// The size of the kept fields.
    var keptByteCount: Int { keptFields?.byteCount ?? 0 }
    /// The number of bytes for the client up to the end of the latest head.
    private(set) var headByteCount = 0
    /// Why this is a response of our own, or will end early; nil for that of the server.
    var reason: String?

    init(to request: RequestHead) {
        self.request = request
    }

    /// The number of bytes that the client's stream has taken.
    var takenByteCount: Int { byteCount - output.count }

    mutating func append(_ bytes: RawSpan) {
        output.append(bytes)
        byteCount += bytes.byteCount
    }

    /// Appends the latest head for the client.
    mutating func append(head bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0.bytes) }
        headByteCount = byteCount
    }

    // MARK: Heads

    /// Whether the final head is still missing.
    var needsHead: Bool { body == nil }

    /// Receives bytes of a head.
    /// - Returns: The head and the number of these bytes up to its end; nil before its end.
    mutating func receiveHead(_ bytes: RawSpan) throws(HTTPHeadError) -> (ResponseHead, byteCount: Int)? {
        guard let count = try parser.receive(bytes), let head = parser.responseHead else { return nil }
        return (head, count)
    }

    /// Continues after an interim head.
    /// - Returns: Whether the response may be preceded by this head.
    mutating func passes(interim head: ResponseHead) -> Bool {
        interimCount += 1
        parser = HTTPHeadParser(.response, limits: .client)
        return head.status != 101 && interimCount <= ResponseReader.maximumInterimResponses
    }

    /// Begins with the server's final head.
    /// - Parameter fields: Its fields for the client.
    /// - Returns: The head for the client; nil if the server's head is ambiguous.
    mutating func begin(_ head: ResponseHead, with fields: [HeaderField]) -> ResponseHead? {
        guard let body = BodyFraming(passing: head, answering: request.method) else { return nil }
        var status = head.status
        // RFC 8441 §5: any 2xx status would open the WebSocket.
        if request.connectProtocol != nil, 200...299 ~= status {
            status = 502
            reason = "The server answered \(head.status)."
        }
        self.status = status
        self.body = body
        var framing = isUnchunked ? nil : body.field
        // RFC 9110 §8.6: 204 has no Content-Length.
        if head.status == 304 || request.method == "HEAD" && head.status != 204 {
            framing = BodyFraming.fieldWithoutContent(of: head)
        }
        let ownFields = [framing].compactMap(\.self) + [HeaderField(wellFormedName: "Connection", value: "close")]
        return head.with(fields + ownFields, status: status)
    }

    /// Becomes a response of our own, which is complete.
    mutating func answer(_ refusal: HandshakeRefusal) {
        status = refusal.status
        body = nil
    }

    // MARK: Content

    /// HTTP/1.0 and HTTP/2 have no chunked coding: the end of the stream is the end of the body.
    private var isUnchunked: Bool {
        (request.minorVersion == 0 || request.version == .http2) && body?.length == .chunked
    }

    /// Whether the client would take the end of the stream for the end of the response.
    var endsWithStream: Bool {
        request.version == .http2 || isUnchunked || body?.length == .untilEndOfStream
    }

    /// Receives content, with its coding.
    /// - Returns: Whether it is valid in its coding.
    mutating func receiveContent(_ bytes: RawSpan) -> Bool {
        guard var body else { return true }
        if isUnchunked {
            guard body.takeContent(bytes, { append($0) }, trailer: { trailerLines.append($0) }),
                !body.isComplete || readTrailers()
            else { return false }
        } else if let count = body.take(bytes) {
            append(bytes.extracting(0..<count))
        } else {
            return false
        }
        self.body = body
        return true
    }

    /// - Returns: Whether there are not too many.
    private mutating func readTrailers() -> Bool {
        var parser = HTTPHeadParser(.response, limits: .client)
        let head = Array("HTTP/1.1 200 \r\n".utf8) + trailerLines + Array("\r\n".utf8)
        guard (try? parser.receive(head.span.bytes)) != nil, let fields = parser.responseHead?.fields else {
            return false
        }
        trailers = Gateway.trailers(fields)
        return true
    }

    /// Whether all content was received.
    var isComplete: Bool { body?.isComplete ?? true }

    /// Whether the response is complete if the server has ended its stream.
    var isCompleteAtEndOfStream: Bool { isComplete || body?.length == .untilEndOfStream }
}

extension ResponseHead {
    /// The response with these fields and this status instead.
    func with(_ fields: [HeaderField], status: Int) -> ResponseHead {
        ResponseHead(status: status, reasonBytes: reasonBytes, fields: HTTPFields(fields))
    }
}
