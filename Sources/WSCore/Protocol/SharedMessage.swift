/// A server's message to many clients, encoded once for all of them.
///
///      payload ─┬─► uncompressed frames ──────────────► outbox, outbox, …
///               └─► compressed, once per window size ─► outbox, outbox, …
///
/// Servers do not mask, so all clients can receive the same bytes. The compressed form contains no references to
/// earlier messages, so any client can read it. The next message to the same client contains no references to it
/// either. Large frames are not copied: the outboxes refer to them.
package final class SharedMessage {
    fileprivate let kind: MessageKind
    fileprivate let payload: ByteBuffer
    private let maximumPayloadBytes: Int
    private let counter: BroadcastCounter?
    private var plain: SharedBytes?
    /// The compressed frames by window size in bits; nil if compression does not shorten the message.
    private var compressed: [Int: SharedBytes?] = [:]

    /// Creates a message; text must be valid UTF-8.
    /// - Parameters:
    ///   - payload: The message, which is copied.
    ///   - kind: The message type.
    ///   - fragmentBytes: The maximum payload of a frame, in bytes. Defaults to nil: no limit.
    ///   - counter: Counts the encoded frames as long as they wait. Defaults to nil.
    package init(
        _ payload: RawSpan, as kind: MessageKind, fragmentBytes: Int? = nil, countedBy counter: BroadcastCounter? = nil
    ) {
        var copy = ByteBuffer()
        copy.append(payload)
        self.payload = copy
        self.kind = kind
        self.counter = counter
        maximumPayloadBytes = fragmentBytes.map { max(1, $0) } ?? .max
    }

    /// Returns the frames for a client. If they are compressed, also resets the client's compressor.
    fileprivate func frames(for compressor: (any MessageCompressor)?) -> SharedBytes {
        guard let compressor, let frames = compressedFrames(by: compressor) else { return plainFrames() }
        compressor.forgetHistory()
        return frames
    }

    /// Returns the uncompressed frames.
    private func plainFrames() -> SharedBytes {
        if let plain { return plain }
        let frames = payload.withReadableBytes { encode($0, isCompressed: false) }
        plain = frames
        return frames
    }

    /// Returns the compressed frames, encoded by the first compressor with this window size.
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
        // Reserve all storage at once: growing it step by step could allocate twice the size.
        let largestPayloadBytes = max(1, min(maximumPayloadBytes, data.byteCount))
        let largestHeader = FrameHeader(opcode: kind.opcode, payloadBytes: largestPayloadBytes)
        let frameCount = data.byteCount / largestPayloadBytes + 1
        bytes.growStorage(to: data.byteCount + frameCount * largestHeader.encodedBytes + FrameHeader.maximumBytes)
        var offset = 0
        repeat {
            let end = offset + min(maximumPayloadBytes, data.byteCount - offset)
            // RFC 7692 §6.1: RSV1 must be set on the first fragment only.
            let header = FrameHeader(
                isFinal: end == data.byteCount, isCompressed: isCompressed && offset == 0,
                opcode: offset == 0 ? kind.opcode : .continuation, payloadBytes: end - offset)
            header.encode(into: &bytes)
            bytes.append(data.extracting(offset..<end))
            offset = end
        } while offset < data.byteCount
        return SharedBytes(bytes, countedBy: counter)
    }
}

/// Predicts whether a message to many connections is the only one of its turn. If so, it is written at once, in one pass
/// over the connections. Several messages wait for the end of the turn, and leave with one write per connection.
internal struct BroadcastRhythm {
    private var turn: UInt64?
    /// The number of turns with a single message since the last with several.
    private var singleTurns = 0
    /// After so many turns, the next is expected to have a single message, too. If it has several, each connection takes
    /// one write more: a ninth at most.
    private static let requiredSingleTurns = 8

    /// Takes note of a message. Returns whether no other one is expected in its turn.
    mutating func recordMessage(in turn: UInt64) -> Bool {
        guard turn != self.turn else {
            singleTurns = 0
            return false
        }
        self.turn = turn
        guard singleTurns < Self.requiredSingleTurns else { return true }
        singleTurns += 1
        return false
    }
}

extension Outbox {
    /// Sends a message that other connections send, too. Only a server shares the encoded frames.
    /// - Returns: Whether the message was sent; false after our close frame.
    @discardableResult
    package mutating func send(_ message: SharedMessage) -> Bool {
        guard !isSendingOver else { return false }
        guard let frames = countAndEncode(message) else {
            return message.payload.withReadableBytes { send($0, as: message.kind) }
        }
        append(frames)
        return true
    }

    /// Counts a small message as sent if nothing is queued, and returns the frames for the caller to write at once.
    /// Otherwise, or after our close frame, returns nil.
    internal mutating func framesToWrite(of message: SharedMessage) -> SharedBytes? {
        guard queuedBytes == 0, !isSendingOver, message.payload.count < SharedBytes.worthwhileBytes else { return nil }
        return countAndEncode(message)
    }

    /// Counts a message as sent, and returns its frames; nil if this outbox has to encode its own.
    private mutating func countAndEncode(_ message: SharedMessage) -> SharedBytes? {
        // An observer must see each frame, and a client masks each frame.
        guard observer == nil, role == .server else { return nil }
        let frames = message.frames(for: compressor)
        sent.messages &+= 1
        sent.messageBytes &+= message.payload.count
        sent.wireBytes &+= frames.count
        return frames
    }
}
