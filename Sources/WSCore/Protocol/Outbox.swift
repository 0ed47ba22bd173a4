/// The sending half of a session: encodes messages and control frames.
///
/// After our close frame, the send methods discard their input and return false. Only pings are still answered.
public struct Outbox: ~Copyable {
    /// The role of this endpoint; a client masks its frames.
    public let role: Role
    /// Whether pings are answered, as RFC 6455 §5.5.2 requires. False simulates a misbehaving peer in tests.
    public var answersPings: Bool
    /// Whether a server sends a large message back by reference, through ``queue``.
    internal var sharesReceivedMessages = false
    /// The maximum payload of a data frame in bytes (1 or more). Larger messages are fragmented. A small integer, next to
    /// the Booleans: there are many connections.
    @usableFromInline internal let maximumPayload: UInt32
    /// The encoded frames waiting to be written after those in ``queue``.
    ///
    /// Large frames shared with other connections, and everything before them, are in ``queue``.
    public var bytes = ByteBuffer()
    /// Observes outgoing frames, or nil.
    public var observer: (any SentFrameObserver)? {
        get { extensions?.observer }
        set {
            guard newValue != nil || extensions != nil else { return }
            let extensions = self.extensions ?? SessionExtensions()
            extensions.observer = newValue
            self.extensions = extensions
        }
    }
    /// The messages and bytes sent so far.
    public var traffic: Traffic { sent }

    @usableFromInline internal var sent = Traffic()
    /// The state of the closing handshake, or nil if it has not begun, as for nearly all connections.
    @usableFromInline internal private(set) var closingState: ClosingState?
    @usableFromInline internal let maskingKeys: MaskingKeySource
    /// Compression and the observer, or nil if the session has neither.
    @usableFromInline internal var extensions: SessionExtensions?
    private var backlog: OutboxBacklog?

    /// The number of waiting bytes above which only the latest ping is answered. It bounds the memory used for a peer
    /// that sends pings but does not read.
    public static let pongBacklogBytes = 64 << 10

    /// The minimum size of a received message that is sent back by reference, in bytes.
    @inlinable internal static var sharedMessageBytes: Int { 128 << 10 }

    /// Creates the sending half of an open connection.
    public init(
        role: Role, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        compressor: (any MessageCompressor)? = nil, answersPings: Bool = true
    ) {
        self.role = role
        self.answersPings = answersPings
        self.maskingKeys = maskingKeys
        extensions = compressor.map { SessionExtensions(compressor: $0) }
        maximumPayload = UInt32(clamping: fragmentBytes.map { max(1, $0) } ?? .max)
    }

    /// Compresses outgoing messages, or nil.
    internal var compressor: (any MessageCompressor)? { extensions?.compressor }

    @inlinable internal var maximumPayloadBytes: Int { Int(maximumPayload) }

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

    /// The part of ``queuedBytes`` that belongs to broadcasts, which other outboxes hold, too.
    internal var broadcastBytes: Int { backlog.map { min($0.queue.broadcastBytes, $0.queue.count) } ?? 0 }

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

    /// Whether a received message of this size should be passed to ``beginSharing(_:)``. An answer with the same bytes
    /// then needs no copy, unless they are masked, compressed, or divided into fragments.
    @usableFromInline
    internal func sharesReceivedMessage(of byteCount: Int) -> Bool {
        sharesReceivedMessages && byteCount >= Self.sharedMessageBytes && byteCount <= maximumPayloadBytes
            && role == .server && compressor == nil
    }

    /// Prepares to send the received message back, while it is delivered.
    @usableFromInline
    internal mutating func beginSharing(_ message: SharedBytes) {
        makeBacklog().received = message
    }

    /// Ends the delivery of the message.
    @usableFromInline
    internal mutating func endSharing() {
        guard let backlog else { return }
        backlog.received = nil
        if backlog.isEmpty { self.backlog = nil }
    }

    /// Appends a payload by reference if it is the received message that is being delivered.
    @usableFromInline
    internal mutating func appendReceived(_ payload: RawSpan) -> Bool {
        guard let backlog, let received = backlog.received, payload.byteCount == received.count else { return false }
        let isSame = payload.withUnsafeBytes { payload in
            received.withBytes { $0.withUnsafeBytes { $0.baseAddress == payload.baseAddress } }
        }
        if isSame { backlog.queue.append(received, after: &bytes) }
        return isSame
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
        if extensions == nil || !sendCompressed(payload, as: kind) {
            appendMessage(payload, as: kind, isCompressed: false)
        }
        return true
    }

    @usableFromInline
    internal mutating func sendCompressed(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        extensions?.compressor?.compress(payload) { appendMessage($0, as: kind, isCompressed: true) } ?? false
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

    @usableFromInline
    internal func observe(_ header: FrameHeader, _ payload: RawSpan) {
        extensions?.observer?.sent(header, payload: payload)
    }

    /// Notifies the outbox that bytes have been taken for writing. Sends a held-back pong if the backlog allows it.
    public mutating func bytesWereTaken() {
        guard let backlog, queuedBytes <= Self.pongBacklogBytes else { return }
        let pendingPong = backlog.pendingPong
        backlog.pendingPong = nil
        if backlog.isEmpty { self.backlog = nil }
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
            if payload.byteCount < Self.sharedMessageBytes || !appendReceived(payload) { bytes.append(payload) }
        case .client:
            // RFC 6455 §5.1, §5.3: a client must mask every frame, each with a fresh key.
            let key = maskingKeys.next()
            header.maskingKey = key
            header.encode(into: &bytes)
            bytes.append(payload, maskedWith: key)
        }
        sent.wireBytes &+= header.encodedBytes &+ payload.byteCount
        if extensions != nil { observe(header, payload) }
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

/// The parts of a session that most sessions do not have.
@usableFromInline
internal final class SessionExtensions {
    let compressor: (any MessageCompressor)?
    @usableFromInline internal let decompressor: (any MessageDecompressor)?
    private var observation: Observation?

    /// Observes outgoing frames, or nil.
    var observer: (any SentFrameObserver)? {
        get { observation?.observer }
        set { observation = newValue.map(Observation.init) }
    }

    /// Boxed, because few sessions have an observer, and it would take twice as much space.
    private final class Observation {
        let observer: any SentFrameObserver

        init(_ observer: any SentFrameObserver) {
            self.observer = observer
        }
    }

    init(compressor: (any MessageCompressor)? = nil, decompressor: (any MessageDecompressor)? = nil) {
        self.compressor = compressor
        self.decompressor = decompressor
    }
}

/// The part of an outbox that only connections with a slow reader or shared frames need.
final class OutboxBacklog {
    /// The frames to write before the outbox's own bytes.
    let queue = WriteQueue()
    /// The payload of the pong held back until the peer reads, if any.
    var pendingPong: [UInt8]?
    /// The large message that is being delivered, if any.
    var received: SharedBytes?

    var isEmpty: Bool { queue.first == nil && pendingPong == nil && received == nil }
}

/// Observes the frames a session sends.
public protocol SentFrameObserver: AnyObject {
    /// Called when a frame is appended to the outbox.
    /// - Parameters:
    ///   - header: The header as sent.
    ///   - payload: The payload as sent, but before masking. It is compressed if the message is.
    func sent(_ header: FrameHeader, payload: RawSpan)
}
