/// Collects the body of a response that refuses an upgrade or a tunnel, for display (RFC 9112 §6.3).
package struct ResponseBody: Sendable {
    /// The maximum number of bytes to keep: 64 KiB, enough for any error page worth reading.
    package static let maximumBytes = 64 << 10

    private enum Framing {
        case none
        case length(remainingBytes: Int)
        case chunked
        case untilEndOfStream
    }

    /// The content received so far.
    private(set) var content: [UInt8] = []
    /// Whether no more content will be collected.
    private(set) var isComplete: Bool
    /// Whether the content exceeds ``maximumBytes`` or ended prematurely.
    private(set) var isTruncated = false
    private var framing: Framing
    private var chunkedDecoder = ChunkedDecoder()

    /// Determines the framing of the body in a response to GET, or in a refusal of CONNECT.
    init(of head: ResponseHead) {
        framing = Self.framing(of: head)
        isComplete = if case .none = framing { true } else { false }
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
        if case .untilEndOfStream = framing, streamEnded { return }
        // RFC 9112 §8: a message that ends before its Content-Length or last chunk is incomplete.
        isTruncated = true
    }

    private mutating func receive(_ byte: UInt8) {
        switch framing {
        case .none:
            isComplete = true
        case .untilEndOfStream:
            keep(byte)
        case .length(let remainingBytes):
            framing = .length(remainingBytes: remainingBytes - 1)
            keep(byte)
            if remainingBytes == 1 { isComplete = true }
        case .chunked:
            switch chunkedDecoder.receive(byte) {
            case .framing: break
            case .content: keep(byte)
            case .end: isComplete = true
            case .malformed: finish(streamEnded: false)
            }
        }
    }

    private mutating func keep(_ byte: UInt8) {
        guard content.count < Self.maximumBytes else {
            finish(streamEnded: false)
            isTruncated = true
            return
        }
        content.append(byte)
    }

    private static func framing(of head: ResponseHead) -> Framing {
        // RFC 9112 §6.3: responses with these statuses have no content, whatever their fields claim.
        if head.status < 200 || head.status == 204 || head.status == 304 { return .none }
        // RFC 9112 §6.3: Transfer-Encoding overrides Content-Length. If chunked is not the final coding, the body
        // extends to the end of the stream.
        let codings = head.fields.tokens(named: "Transfer-Encoding")
        if !codings.isEmpty { return codings == ["chunked"] ? .chunked : .untilEndOfStream }
        let lengths = Set(head.fields.elements(named: "Content-Length"))
        // RFC 9112 §6.3: without a valid length, the body extends to the end of the stream.
        guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy(ASCII.isDigit) else {
            return .untilEndOfStream
        }
        let length = Int(digits) ?? Int.max
        return length == 0 ? .none : .length(remainingBytes: length)
    }
}
