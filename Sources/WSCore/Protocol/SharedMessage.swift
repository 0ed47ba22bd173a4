/// A message of a server for many clients, encoded once for all of them.
///
///      payload ─┬─► frames as they are ───────────────► outbox, outbox, …
///               └─► frames compressed, once a window ─► outbox, outbox, …
///
/// A server does not mask, so that the bytes are the same for all. The compressed form refers to nothing before it; any
/// client can read it, and what follows it to the same client refers to nothing before it either.
public final class SharedMessage {
    fileprivate let kind: MessageKind
    fileprivate let payload: ByteBuffer
    private let maximumPayloadBytes: Int
    private var plain: Encoding?
    /// By the bits of the window.
    private var compressed: [Int: Encoding] = [:]

    /// The frames of the message.
    fileprivate final class Encoding {
        var bytes = ByteBuffer()
        /// Whether compression makes the message shorter; if not, there are no bytes.
        var isShorter = true
    }

    /// Takes a message; text must be valid UTF-8.
    /// - Parameters:
    ///   - payload: The message.
    ///   - kind: Text or binary.
    ///   - fragmentBytes: The largest payload of a frame, in bytes; nil: no limit.
    public init(_ payload: RawSpan, as kind: MessageKind, fragmentBytes: Int? = nil) {
        var copy = ByteBuffer()
        copy.append(payload)
        self.payload = copy
        self.kind = kind
        maximumPayloadBytes = fragmentBytes.map { max(1, $0) } ?? .max
    }

    /// The frames for a client, whose compressor then starts afresh if they are compressed.
    fileprivate func encoding(for compressor: (any MessageCompressor)?) -> Encoding {
        guard let compressor else { return plainEncoding() }
        let encoding = encoding(by: compressor)
        guard encoding.isShorter else { return plainEncoding() }
        compressor.forgetHistory()
        return encoding
    }

    /// The frames of the message as it is.
    private func plainEncoding() -> Encoding {
        if let plain { return plain }
        let encoding = Encoding()
        payload.withReadableBytes { encode($0, isCompressed: false, into: &encoding.bytes) }
        plain = encoding
        return encoding
    }

    /// The frames of the message, compressed for a window by the first compressor that is asked.
    private func encoding(by compressor: any MessageCompressor) -> Encoding {
        if let encoding = compressed[compressor.windowBits] { return encoding }
        let encoding = Encoding()
        encoding.isShorter = payload.withReadableBytes { payload in
            compressor.compressAlone(payload) { encode($0, isCompressed: true, into: &encoding.bytes) }
        }
        compressed[compressor.windowBits] = encoding
        return encoding
    }

    private func encode(_ data: RawSpan, isCompressed: Bool, into bytes: inout ByteBuffer) {
        var offset = 0
        repeat {
            let end = offset + min(maximumPayloadBytes, data.byteCount - offset)
            // RFC 7692 §6.1: RSV1 is set on the first fragment and on no other.
            let header = FrameHeader(
                isFinal: end == data.byteCount, isCompressed: isCompressed && offset == 0,
                opcode: offset == 0 ? kind.opcode : .continuation, payloadBytes: end - offset)
            header.encode(into: &bytes)
            bytes.append(data.extracting(offset..<end))
            offset = end
        } while offset < data.byteCount
    }
}

extension Outbox {
    /// Sends a message that others are sent, too; this end is a server.
    /// - Returns: Whether it was sent: not after our close frame.
    @discardableResult
    public mutating func send(_ message: SharedMessage) -> Bool {
        guard !isSendingOver else { return false }
        // Who looks at the frames is to see each.
        guard observer == nil, role == .server else {
            return message.payload.withReadableBytes { send($0, as: message.kind) }
        }
        let encoding = message.encoding(for: compressor)
        sent.messages &+= 1
        sent.messageBytes &+= message.payload.count
        encoding.bytes.withReadableBytes { frames in
            bytes.append(frames)
            sent.wireBytes &+= frames.byteCount
        }
        return true
    }
}
