/// Collects the content of a response that refuses an upgrade or a tunnel, so that it can be shown (RFC 9112 §6.3).
public struct ResponseBody: Sendable {
    /// The most content that is kept, in bytes: 64 KiB, enough for any error page that someone reads.
    public static let maximumBytes = 64 << 10

    private enum Framing {
        case none
        case length(remainingBytes: Int)
        case chunked
        case untilEndOfStream
    }

    /// What was received of the content.
    private(set) var content: [UInt8] = []
    /// Whether all that will be kept is there.
    private(set) var isComplete: Bool
    /// Whether there was more than is kept, or the end did not come.
    private(set) var isTruncated = false
    private var framing: Framing
    private var chunkedDecoder = ChunkedDecoder()

    /// Finds out how the body of the response to a GET, or the refusal of a CONNECT, ends.
    init(of head: ResponseHead) {
        framing = Self.framing(of: head)
        isComplete = if case .none = framing { true } else { false }
    }

    /// Takes the bytes from `offset` on.
    mutating func receive(_ bytes: RawSpan, from offset: Int) {
        var offset = offset
        while !isComplete, offset < bytes.byteCount {
            receive(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
    }

    /// Takes note that no more bytes come: the stream ended, or time ran out.
    mutating func finish(streamEnded: Bool) {
        guard !isComplete else { return }
        isComplete = true
        if case .untilEndOfStream = framing, streamEnded { return }
        // RFC 9112 §8: a message that ends before its length or its last chunk is incomplete.
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
        // RFC 9112 §6.3: responses with these statuses have no content, whatever their fields say.
        if head.status < 200 || head.status == 204 || head.status == 304 { return .none }
        // RFC 9112 §6.3: Transfer-Encoding overrides Content-Length; without chunked at its end, the stream's end counts.
        let codings = head.fields.tokens(named: "Transfer-Encoding")
        if !codings.isEmpty { return codings == ["chunked"] ? .chunked : .untilEndOfStream }
        let lengths = Set(head.fields.elements(named: "Content-Length"))
        // RFC 9112 §6.3: without a valid length, the stream's end counts.
        guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy(ASCII.isDigit) else {
            return .untilEndOfStream
        }
        let length = Int(digits) ?? Int.max
        return length == 0 ? .none : .length(remainingBytes: length)
    }
}
