/// A message of a server for many clients, encoded once for all of them.
///
///      payload ─┬─► frames as they are ───────────────► outbox, outbox, …
///               └─► frames compressed, once a window ─► outbox, outbox, …
///
/// A server does not mask, so that the bytes are the same for all. The compressed form refers to nothing before it; any
/// client can read it, and what follows it to the same client refers to nothing before it either. Large frames are not
/// copied: the outboxes refer to them.
public final class SharedMessage {
    fileprivate let kind: MessageKind
    fileprivate let payload: ByteBuffer
    private let maximumPayloadBytes: Int
    private var plain: SharedBytes?
    /// The frames by the bits of the window; nil where compression does not make the message shorter.
    private var compressed: [Int: SharedBytes?] = [:]

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
    fileprivate func frames(for compressor: (any MessageCompressor)?) -> SharedBytes {
        guard let compressor, let frames = compressedFrames(by: compressor) else { return plainFrames() }
        compressor.forgetHistory()
        return frames
    }

    /// The frames of the message as it is.
    private func plainFrames() -> SharedBytes {
        if let plain { return plain }
        let frames = payload.withReadableBytes { encode($0, isCompressed: false) }
        plain = frames
        return frames
    }

    /// The frames of the message, compressed for a window by the first compressor that is asked.
    private func compressedFrames(by compressor: any MessageCompressor) -> SharedBytes? {
        if let frames = compressed[compressor.windowBits] { return frames }
        var frames: SharedBytes?
        _ = payload.withReadableBytes { payload in
            compressor.compressAlone(payload) { frames = encode($0, isCompressed: true) }
        }
        compressed[compressor.windowBits] = .some(frames)
        return frames
    }

    private func encode(_ data: RawSpan, isCompressed: Bool) -> SharedBytes {
        var bytes = ByteBuffer()
        // All at once: storage that grows would be twice as large as what is in it.
        let largestPayloadBytes = max(1, min(maximumPayloadBytes, data.byteCount))
        let largestHeader = FrameHeader(opcode: kind.opcode, payloadBytes: largestPayloadBytes)
        let frameCount = data.byteCount / largestPayloadBytes + 1
        bytes.growStorage(to: data.byteCount + frameCount * largestHeader.encodedBytes + FrameHeader.maximumBytes)
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
        return SharedBytes(bytes)
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
        let frames = message.frames(for: compressor)
        sent.messages &+= 1
        sent.messageBytes &+= message.payload.count
        sent.wireBytes &+= frames.count
        append(frames)
        return true
    }
}
