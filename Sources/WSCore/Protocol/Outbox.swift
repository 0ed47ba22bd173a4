/// The sending half of a session: turns messages and control frames into bytes for the wire.
///
/// What is sent after our close frame is dropped, which each method reports by returning false; only the peer's pings
/// are still answered.
public struct Outbox: ~Copyable {
    /// Which end this is; a client masks.
    public let role: Role
    /// Whether pings are answered, as they must be (RFC 6455 §5.5.2): not by one end that is to be a bad peer for tests.
    public var answersPings: Bool
    /// The encoded frames that wait to be written, but for those of large messages that others are sent, too, and what is
    /// before them: that is in ``queue``.
    public var bytes = ByteBuffer()
    /// Who looks at the frames; nil: nobody.
    public var observer: (any SentFrameObserver)?
    /// What has been sent.
    public var traffic: Traffic { sent }

    @usableFromInline internal var sent = Traffic()
    /// The largest payload of a data frame, in bytes (1 or more): a larger message is sent in fragments.
    @usableFromInline internal let maximumPayloadBytes: Int
    /// How far the closing handshake has come; nil: it has not begun, as with nearly all connections there are.
    @usableFromInline internal private(set) var closingState: ClosingState?
    @usableFromInline internal let maskingKeys: MaskingKeySource
    @usableFromInline internal let compressor: (any MessageCompressor)?
    private var backlog: OutboxBacklog?

    /// With more than this many bytes waiting, only the latest ping is answered: a peer that sends pings and
    /// reads nothing costs no more than this.
    public static let pongBacklogBytes = 64 << 10

    /// Makes the sending half of an open connection.
    public init(
        role: Role, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        compressor: (any MessageCompressor)? = nil, answersPings: Bool = true
    ) {
        self.role = role
        self.answersPings = answersPings
        self.maskingKeys = maskingKeys
        self.compressor = compressor
        maximumPayloadBytes = fragmentBytes.map { max(1, $0) } ?? .max
    }

    /// How far the closing handshake has come.
    public internal(set) var closing: ClosingHandshake {
        get { closingState?.handshake ?? ClosingHandshake() }
        set { closingState = ClosingState(newValue) }
    }

    /// What is to be written before ``bytes``; nil: nothing.
    public var queue: WriteQueue? { backlog?.queue }

    /// The number of bytes that wait to be written.
    public var queuedBytes: Int {
        guard let backlog else { return bytes.count }
        return bytes.count + backlog.queue.count
    }

    /// Throws away what waits to be written.
    public mutating func removeAll() {
        backlog = nil
        bytes.removeAll()
    }

    /// Moves the next bytes to be written to an empty buffer: 256 KiB or so of those that are shared, or all others.
    internal mutating func moveFirst(to output: inout ByteBuffer) {
        if let queue, queue.first != nil {
            queue.moveFirst(atMost: Self.sharedPieceBytes, to: &output)
        } else {
            swap(&bytes, &output)
        }
    }

    private static let sharedPieceBytes = 256 << 10

    /// Appends frames that are shared with other outboxes.
    internal mutating func append(_ frames: SharedBytes) {
        guard frames.count >= SharedBytes.worthwhileBytes else { return frames.withBytes { bytes.append($0) } }
        makeBacklog().queue.append(frames, after: &bytes)
    }

    private mutating func makeBacklog() -> OutboxBacklog {
        let backlog = self.backlog ?? OutboxBacklog()
        self.backlog = backlog
        return backlog
    }

    /// Whether our close frame has been sent.
    @inlinable
    public var isSendingOver: Bool { closingState?.handshake.isSendingOver ?? false }

    /// Sends a message.
    /// - Parameters:
    ///   - payload: The message; for a text message it must be valid UTF-8.
    ///   - kind: Text or binary.
    /// - Returns: Whether it was sent: not after our close frame.
    @inlinable
    @discardableResult
    public mutating func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        // RFC 6455 §5.5.1: no data frames after a close frame.
        guard !isSendingOver else { return false }
        sent.messages &+= 1
        sent.messageBytes &+= payload.byteCount
        if compressor == nil || !sendCompressed(payload, as: kind) {
            appendMessage(payload, as: kind, isCompressed: false)
        }
        return true
    }

    @usableFromInline
    internal mutating func sendCompressed(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        compressor?.compress(payload) { appendMessage($0, as: kind, isCompressed: true) } ?? false
    }

    @inlinable
    internal mutating func appendMessage(_ payload: RawSpan, as kind: MessageKind, isCompressed: Bool) {
        if payload.byteCount > maximumPayloadBytes {
            appendFragments(payload, as: kind, isCompressed: isCompressed)
        } else {
            appendFrame(kind.opcode, payload, isCompressed: isCompressed)
        }
    }

    /// Sends a ping with a payload of up to 125 bytes.
    /// - Returns: Whether it was sent: not after our close frame, nor when the payload is too long.
    @discardableResult
    public mutating func sendPing(_ payload: RawSpan) -> Bool {
        sendControl(.ping, payload)
    }

    /// Sends a pong that answers no ping, with a payload of up to 125 bytes (RFC 6455 §5.5.3).
    /// - Returns: Whether it was sent: not after our close frame, nor when the payload is too long.
    @discardableResult
    public mutating func sendPong(_ payload: RawSpan) -> Bool {
        sendControl(.pong, payload)
    }

    /// Sends a close frame, which begins the closing handshake or completes it.
    /// - Returns: Whether it was sent: only the first is.
    @discardableResult
    public mutating func sendClose(_ frame: CloseFrame) -> Bool {
        guard !isSendingOver else { return false }
        closing.wasStartedHere = closing.received == nil
        closing.sent = frame
        var payload = ByteBuffer()
        frame.encode(into: &payload)
        payload.withReadableBytes { appendFrame(.close, $0) }
        return true
    }

    /// Says that bytes have been taken to be written, so that what was kept back can follow.
    public mutating func bytesWereTaken() {
        guard let backlog, queuedBytes <= Self.pongBacklogBytes else { return }
        let pendingPong = backlog.pendingPong
        backlog.pendingPong = nil
        if backlog.queue.first == nil { self.backlog = nil }
        guard let pendingPong, closing.received == nil else { return }
        appendFrame(.pong, pendingPong.span.bytes)
    }

    @usableFromInline
    internal mutating func answer(ping payload: RawSpan) {
        // RFC 6455 §5.5.2: a ping must be answered with a pong, unless a close frame has been received.
        guard answersPings, closing.received == nil else { return }
        // RFC 6455 §5.5.3: only the most recent of several pings needs an answer, so this one stands for any kept back.
        guard queuedBytes > Self.pongBacklogBytes else {
            backlog?.pendingPong = nil
            appendFrame(.pong, payload)
            return
        }
        makeBacklog().pendingPong = payload.withUnsafeBytes { Array($0) }
    }

    @usableFromInline
    internal mutating func answer(close frame: CloseFrame) {
        closing.received = frame
        // RFC 6455 §5.5.1: the answer to a close frame is a close frame that typically echoes the code.
        sendClose(CloseFrame(code: frame.code))
    }

    private mutating func sendControl(_ opcode: Opcode, _ payload: RawSpan) -> Bool {
        // RFC 6455 §5.5: control frames must have a payload of 125 bytes or less.
        guard !isSendingOver, payload.byteCount <= FrameHeader.maximumControlPayloadBytes else { return false }
        appendFrame(opcode, payload)
        return true
    }

    @usableFromInline
    internal mutating func appendFragments(
        _ payload: RawSpan, as kind: MessageKind, isCompressed: Bool
    ) {
        var offset = 0
        while offset < payload.byteCount {
            let end = min(payload.byteCount, offset + maximumPayloadBytes)
            // RFC 7692 §6.1: RSV1 is set on the first fragment and on no other.
            appendFrame(
                offset == 0 ? kind.opcode : .continuation, payload.extracting(offset..<end),
                isFinal: end == payload.byteCount, isCompressed: isCompressed && offset == 0)
            offset = end
        }
    }

    @inlinable
    internal mutating func appendFrame(
        _ opcode: Opcode, _ payload: RawSpan, isFinal: Bool = true, isCompressed: Bool = false
    ) {
        var header = FrameHeader(
            isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, payloadBytes: payload.byteCount)
        switch role {
        case .server:
            // RFC 6455 §5.1: a server must not mask any frames.
            header.encode(into: &bytes)
            bytes.append(payload)
        case .client:
            // RFC 6455 §5.1, §5.3: a client must mask every frame, each with a fresh key.
            let key = maskingKeys.next()
            header.maskingKey = key
            header.encode(into: &bytes)
            bytes.append(payload, maskedWith: key)
        }
        sent.wireBytes &+= header.encodedBytes &+ payload.byteCount
        if let observer { observer.sent(header, payload: payload) }
    }
}

/// How far the closing handshake has come, apart from the connections for which it has not begun.
@usableFromInline
internal final class ClosingState {
    @usableFromInline internal let handshake: ClosingHandshake

    init(_ handshake: ClosingHandshake) {
        self.handshake = handshake
    }
}
