/// The sending half of a session: encodes messages and control frames.
///
/// After our close frame, the send methods discard their input and return false. Only pings are still answered.
public struct Outbox: ~Copyable {
    /// The role of this endpoint; a client masks its frames.
    public let role: Role
    /// Whether pings are answered, as RFC 6455 §5.5.2 requires. False simulates a misbehaving peer in tests.
    public var answersPings: Bool
    /// The encoded frames waiting to be written after those in ``queue``.
    ///
    /// Large frames shared with other connections, and everything before them, are in ``queue``.
    public var bytes = ByteBuffer()
    /// Observes outgoing frames, or nil.
    public var observer: (any SentFrameObserver)?
    /// The messages and bytes sent so far.
    public var traffic: Traffic { sent }

    @usableFromInline internal var sent = Traffic()
    /// The maximum payload of a data frame in bytes (1 or more). Larger messages are fragmented.
    @usableFromInline internal let maximumPayloadBytes: Int
    /// The state of the closing handshake, or nil if it has not begun, as for nearly all connections.
    @usableFromInline internal private(set) var closingState: ClosingState?
    @usableFromInline internal let maskingKeys: MaskingKeySource
    @usableFromInline internal let compressor: (any MessageCompressor)?
    private var backlog: OutboxBacklog?

    /// The number of waiting bytes above which only the latest ping is answered. It bounds the memory used for a peer
    /// that sends pings but does not read.
    public static let pongBacklogBytes = 64 << 10

    /// Creates the sending half of an open connection.
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

    /// The state of the closing handshake.
    public internal(set) var closing: ClosingHandshake {
        get { closingState?.handshake ?? ClosingHandshake() }
        set { closingState = ClosingState(newValue) }
    }

    /// The frames to write before ``bytes``, or nil if there are none.
    public var queue: WriteQueue? { backlog?.queue }

    /// The number of bytes waiting to be written.
    public var queuedBytes: Int {
        guard let backlog else { return bytes.count }
        return bytes.count + backlog.queue.count
    }

    /// Discards everything waiting to be written.
    public mutating func removeAll() {
        backlog = nil
        bytes.removeAll()
    }

    /// Moves the next bytes to write into an empty buffer: about 256 KiB of shared frames, or all other bytes.
    internal mutating func moveFirst(to output: inout ByteBuffer) {
        if let queue, queue.first != nil {
            queue.moveFirst(atMost: Self.sharedPieceBytes, to: &output)
        } else {
            swap(&bytes, &output)
        }
    }

    private static let sharedPieceBytes = 256 << 10

    /// Appends frames shared with other outboxes.
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
    ///   - payload: The message. A text message must be valid UTF-8, which is not checked.
    ///   - kind: The message type.
    /// - Returns: Whether the message was sent; false after our close frame.
    @inlinable
    @discardableResult
    public mutating func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        // RFC 6455 §5.5.1: an endpoint must not send data frames after a close frame.
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

    /// Sends a ping with a payload of at most 125 bytes.
    /// - Returns: Whether the ping was sent; false after our close frame, or if the payload is too long.
    @discardableResult
    public mutating func sendPing(_ payload: RawSpan) -> Bool {
        sendControl(.ping, payload)
    }

    /// Sends an unsolicited pong with a payload of at most 125 bytes (RFC 6455 §5.5.3).
    /// - Returns: Whether the pong was sent; false after our close frame, or if the payload is too long.
    @discardableResult
    public mutating func sendPong(_ payload: RawSpan) -> Bool {
        sendControl(.pong, payload)
    }

    /// Sends a close frame, which starts or completes the closing handshake.
    /// - Returns: Whether the frame was sent; false if a close frame was sent before.
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

    /// Notifies the outbox that bytes have been taken for writing. Sends a held-back pong if the backlog allows it.
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
        // RFC 6455 §5.5.3: only the most recent ping needs an answer, so this pong replaces one held back.
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
        // RFC 6455 §5.5.1: a close frame must be answered with a close frame, which typically echoes the code.
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
            // RFC 7692 §6.1: RSV1 must be set on the first fragment only.
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

/// The state of the closing handshake, allocated only when the handshake begins.
@usableFromInline
internal final class ClosingState {
    @usableFromInline internal let handshake: ClosingHandshake

    init(_ handshake: ClosingHandshake) {
        self.handshake = handshake
    }
}

/// The part of an outbox that only connections with a slow reader or shared frames need.
final class OutboxBacklog {
    /// The frames to write before the outbox's own bytes.
    let queue = WriteQueue()
    /// The payload of the pong held back until the peer reads, if any.
    var pendingPong: [UInt8]?
}

/// Observes the frames a session sends.
public protocol SentFrameObserver: AnyObject {
    /// Called when a frame is appended to the outbox.
    /// - Parameters:
    ///   - header: The header as sent.
    ///   - payload: The payload as sent, but before masking. It is compressed if the message is.
    func sent(_ header: FrameHeader, payload: RawSpan)
}
