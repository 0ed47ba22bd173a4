/// The body of a client's request on its way to the server: byte for byte, or from the frames of HTTP/2 to the chunked coding
/// if the request has no Content-Length.
struct ForwardedBody: ~Copyable {
    /// How the client delimits the body; nil if another parser could find another end.
    private var framing: BodyFraming?
    /// Whether the client has ended its stream after a body without a length.
    private var hasEnded = false
    /// The number of bytes received from the client after the head of its request.
    private(set) var byteCount = 0
    /// The number of bytes for the server so far, without those of the head.
    private var offeredByteCount = 0
    /// What the server has not taken, after the head of the request.
    var output = ByteBuffer()

    /// - Parameter client: The stream of the request.
    init(of request: RequestHead, on client: any ByteStream) {
        framing = BodyFraming(of: request)
        // RFC 9113 §8.1: END_STREAM delimits the body. What follows an extended CONNECT is no body.
        if framing?.length == BodyFraming.Length.none, request.connectProtocol == nil,
            let stream = client as? HTTP2Stream,
            stream.ending == nil
        {
            framing = .untilEndOfStream
        }
    }

    /// Whether the end of the body is clear.
    var isValid: Bool { framing != nil }
    /// The field for the length of the body; nil if there is no body.
    var field: HeaderField? { endsWithStream ? BodyFraming.chunked.field : framing?.field }
    /// Whether the end was received.
    var isComplete: Bool { hasEnded || framing?.isComplete ?? true }
    /// The number of bytes that the server's stream has taken, without those of the head.
    var takenByteCount: Int { offeredByteCount - output.count }

    private var endsWithStream: Bool { framing?.length == .untilEndOfStream }

    /// Receives bytes of the client. Whatever follows the body is discarded.
    /// - Returns: Whether they are valid in the coding of the body.
    mutating func receive(_ bytes: RawSpan) -> Bool {
        guard let count = framing?.take(bytes) else { return false }
        byteCount += count
        // An empty chunk would be the end.
        guard count > 0 else { return true }
        if endsWithStream { append(Array("\(String(count, radix: 16))\r\n".utf8)) }
        offeredByteCount += count
        output.append(bytes.extracting(0..<count))
        if endsWithStream { append(Array("\r\n".utf8)) }
        return true
    }

    /// Ends a body without a length.
    /// - Returns: False if the body has a length, or has ended.
    mutating func end(with trailers: HTTPFields) -> Bool {
        guard endsWithStream, !hasEnded else { return false }
        hasEnded = true
        var end = Array("0\r\n".utf8)
        trailers.appendLines(to: &end)
        append(end + "\r\n".utf8)
        return true
    }

    private mutating func append(_ bytes: [UInt8]) {
        offeredByteCount += bytes.count
        bytes.withUnsafeBytes { output.append($0.bytes) }
    }
}
