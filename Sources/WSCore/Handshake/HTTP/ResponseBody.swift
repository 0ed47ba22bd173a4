/// Collects the body of a response that refuses an upgrade or a tunnel, for display (RFC 9112 §6.3).
package struct ResponseBody: Sendable {
    /// The maximum number of bytes to keep: 64 KiB, enough for any error page worth reading.
    package static let maximumBytes = 64 << 10

    /// The content received so far.
    private(set) var content: [UInt8] = []
    /// Whether no more content will be collected.
    private(set) var isComplete: Bool
    /// Whether the content exceeds ``maximumBytes`` or ended prematurely.
    private(set) var isTruncated = false
    private var framing: BodyFraming

    /// Determines the framing of the body in a response to GET, or in a refusal of CONNECT.
    init(of head: ResponseHead) {
        framing = BodyFraming(of: head)
        isComplete = framing.isComplete
    }

    /// Receives the bytes from `offset` on.
    mutating func receive(_ bytes: RawSpan, from offset: Int) {
        var offset = offset
        while !isComplete, offset < bytes.byteCount {
            receive(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
    }

    /// Ends the body: the stream ended, or time ran out.
    mutating func finish(streamEnded: Bool) {
        guard !isComplete else { return }
        isComplete = true
        if framing.length == .untilEndOfStream, streamEnded { return }
        // RFC 9112 §8: a message that ends before its Content-Length or last chunk is incomplete.
        isTruncated = true
    }

    private mutating func receive(_ byte: UInt8) {
        switch framing.receive(byte) {
        case .framing, .trailer: break
        case .content: keep(byte)
        case .end: isComplete = true
        case .malformed: finish(streamEnded: false)
        }
        if framing.isComplete { isComplete = true }
    }

    private mutating func keep(_ byte: UInt8) {
        guard content.count < Self.maximumBytes else {
            finish(streamEnded: false)
            isTruncated = true
            return
        }
        content.append(byte)
    }
}
