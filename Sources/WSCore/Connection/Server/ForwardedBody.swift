/// The body of a client's request on its way to the server, byte for byte.
struct ForwardedBody: ~Copyable {
    /// Nil if another parser could find another end.
    private var framing: BodyFraming?
    /// The number of bytes received from the client after the head of its request.
    private(set) var byteCount = 0
    /// What the server has not taken, after the head of the request.
    var output = ByteBuffer()

    init(of request: RequestHead) {
        framing = BodyFraming(of: request)
    }

    /// Whether the end of the body is clear.
    var isValid: Bool { framing != nil }
    /// The field for the length of the body; nil if there is no body.
    var field: HeaderField? { framing?.field }
    /// Whether the end was received.
    var isComplete: Bool { framing?.isComplete ?? true }
    /// Whether the request states no length.
    var hasNoLength: Bool { framing?.length == BodyFraming.Length.none }
    /// The number of bytes that the server's stream has taken, without those of the head.
    var takenByteCount: Int { byteCount - output.count }

    /// Receives bytes of the client. Whatever follows the body is discarded.
    /// - Returns: Whether they are valid in the coding of the body.
    mutating func receive(_ bytes: RawSpan) -> Bool {
        guard let count = framing?.take(bytes) else { return false }
        byteCount += count
        output.append(bytes.extracting(0..<count))
        return true
    }
}
