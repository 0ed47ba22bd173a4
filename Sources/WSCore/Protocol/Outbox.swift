/// Encodes messages and control frames, and holds the bytes until they are written.
///
/// After our close frame, the send methods discard their input and return false. Only pings are still answered.
public struct Outbox: ~Copyable {
    /// The role of this endpoint; a client masks its frames.
    public let role: Role
    /// Whether pings are answered, as RFC 6455 §5.5.2 requires. False simulates a misbehaving peer in tests.
    package var answersPings: Bool
    /// Whether this endpoint has sent its close frame, after which it may send only pongs.
    ///
    /// RFC 6455 §5.5.1: an endpoint must not send data frames after a close frame. Our own pings would serve no purpose
    /// then. The peer's pings are answered until its close frame arrives (§5.5.2).
    @usableFromInline package private(set) var isSendingOver = false
    /// Whether the owner has found the queue full, and it has not drained since.
    internal var wasFull = false
    /// The maximum payload of a data frame in bytes (1 or more). Larger messages are fragmented. A small integer, next to
    /// the Booleans: there are many connections.
    @usableFromInline internal let maximumPayload: UInt32
    /// The encoded frames waiting to be written after those in ``queue``.
    ///
    /// Large frames shared with other connections, and everything before them, are in ``queue``.
    public var bytes = ByteBuffer()
    /// Observes outgoing frames, or nil.
    package var observer: (any SentFrameObserver)? {
        get { extensions?.observer }
        set {
            if newValue != nil || extensions != nil { makeExtensions().observer = newValue }
        }
    }
    /// The messages and bytes sent so far.
    package var traffic: Traffic { sent }

    @usableFromInline internal var sent = Traffic()
    @usableFromInline internal let maskingKeys: MaskingKeySource
    /// Compression, the observer, and our close frame, or nil if there is none of them.
    @usableFromInline internal private(set) var extensions: MessageExtensions?
    private var backlog: OutboxBacklog?

    /// The number of waiting bytes above which only the latest ping is answered. It bounds the memory used for a peer
    /// that sends pings but does not read.
    package static let pongBacklogBytes = 64 << 10

    /// Creates the sending half of an open connection.
    package init(
        role: Role, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        extensions: MessageExtensions? = nil, answersPings: Bool = true
    ) {
        self.role = role
        self.answersPings = answersPings
        self.maskingKeys = maskingKeys
        self.extensions = extensions
        maximumPayload = UInt32(clamping: fragmentBytes.map { max(1, $0) } ?? .max)
    }

    /// Compresses outgoing messages, or nil.
    internal var compressor: (any MessageCompressor)? { extensions?.compressor }

    @inlinable internal var maximumPayloadBytes: Int { Int(maximumPayload) }

    /// Our close frame, or nil if none was sent yet.
    package var closeFrame: CloseFrame? { extensions?.sentClose?.frame }

    /// Whether our close frame was sent before the peer's arrived.
    package var hasStartedClosing: Bool { extensions?.sentClose.map { !$0.isAnswer } ?? false }

    /// The frames to write before ``bytes``, or nil if there are none.
    package var queue: WriteQueue? { backlog?.queue }

    /// The number of bytes waiting to be written.
    package var queuedBytes: Int {
        guard let backlog else { return bytes.count }
        return bytes.count + backlog.queue.count
    }

    /// The size of the storage of these bytes.
    internal var storageBytes: Int {
        guard let backlog else { return bytes.storageBytes }
        return bytes.storageBytes + backlog.queue.storageBytes
    }

    /// The part of ``storageBytes`` that belongs to broadcasts, which other outboxes hold, too.
    internal var broadcastBytes: Int { backlog?.queue.broadcastBytes ?? 0 }

    /// Whether at most `byteCount` bytes wait, all of them in ``bytes``, and writing them has no consequence: no close frame
    /// is among them, and nobody waits for room.
    internal func hasLittle(atMost byteCount: Int) -> Bool {
        backlog == nil && !isSendingOver && !wasFull && bytes.count <= byteCount
    }

    /// Discards everything waiting to be written.
    package mutating func removeAll() {
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

    /// Prepares to send a received message back by reference, while it is delivered. An answer with the same bytes then
    /// needs no copy, unless they are masked, compressed, or divided into fragments.
    public mutating func beginSharing(_ message: SharedBytes) {
        guard role == .server, compressor == nil, message.count <= maximumPayloadBytes else { return }
        makeBacklog().received = message
    }

    /// Ends the delivery of the message.
    public mutating func endSharing() {
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

    private mutating func makeExtensions() -> MessageExtensions {
        let extensions = self.extensions ?? MessageExtensions()
        self.extensions = extensions
        return extensions
    }

    /// Sends a message.
    /// - Parameters:
    ///   - payload: The message. A text message must be valid UTF-8, which is not checked.
    ///   - kind: The message type.
    /// - Returns: Whether the message was sent; false after our close frame.
    @inlinable @inline(__always)
    @discardableResult
    public mutating func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        // RFC 6455 §5.5.1: an endpoint must not send data frames after a close frame.
        guard !isSendingOver else { return false }
        sent.messages &+= 1
        sent.messageBytes &+= payload.byteCount
        if role == .client, extensions == nil, payload.byteCount <= min(125, maximumPayloadBytes) {
            appendShortMasked(payload, as: kind)
        } else if extensions == nil || !sendCompressed(payload, as: kind) {
            appendMessage(payload, as: kind, isCompressed: false)
        }
        return true
    }

    /// Appends a message of at most 125 bytes in a masked frame, with less code than the general path. Not inlined: this
    /// would make ``send(_:as:)`` too long for servers.
    @usableFromInline @inline(never)
    internal mutating func appendShortMasked(_ payload: RawSpan, as kind: MessageKind) {
        // RFC 6455 §5.1, §5.3: a client must mask every frame, each with a fresh key.
        let key = maskingKeys.next()
        let frameBytes = 6 &+ payload.byteCount
        let target = bytes.reserve(frameBytes)
        target.storeBytes(of: kind == .text ? 0x81 : 0x82, as: UInt8.self)
        target.storeBytes(of: 0x80 | UInt8(truncatingIfNeeded: payload.byteCount), toByteOffset: 1, as: UInt8.self)
        target.storeBytes(of: key.word, toByteOffset: 2, as: UInt32.self)
        // Masking in the closure would be a call.
        if let source = payload.withUnsafeBytes({ $0.baseAddress }) {
            key.apply(from: source, to: target + 6, byteCount: payload.byteCount)
        }
        bytes.writeIndex &+= frameBytes
        sent.wireBytes &+= frameBytes
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
    package mutating func sendPing(_ payload: RawSpan) -> Bool {
        sendControl(.ping, payload)
    }

    /// Sends an unsolicited pong with a payload of at most 125 bytes (RFC 6455 §5.5.3).
    /// - Returns: Whether the pong was sent; false after our close frame, or if the payload is too long.
    @discardableResult
    package mutating func sendPong(_ payload: RawSpan) -> Bool {
        sendControl(.pong, payload)
    }

    /// Sends a close frame, which starts or completes the closing handshake.
    /// - Parameter isAnswer: Whether it answers the peer's close frame. Defaults to false.
    /// - Returns: Whether the frame was sent; false if a close frame was sent before.
    @discardableResult
    package mutating func sendClose(_ frame: CloseFrame, isAnswer: Bool = false) -> Bool {
        guard !isSendingOver else { return false }
        isSendingOver = true
        makeExtensions().sentClose = SentClose(frame, isAnswer: isAnswer)
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
    package mutating func bytesWereTaken() {
        guard let backlog, queuedBytes <= Self.pongBacklogBytes else { return }
        let pendingPong = backlog.pendingPong
        backlog.pendingPong = nil
        if backlog.isEmpty { self.backlog = nil }
        if let pendingPong { appendFrame(.pong, pendingPong.span.bytes) }
    }

    /// Answers a ping that arrived before the peer's close frame (RFC 6455 §5.5.2).
    package mutating func answer(ping payload: RawSpan) {
        guard answersPings else { return }
        // RFC 6455 §5.5.3: only the most recent ping needs an answer, so this pong replaces one held back.
        guard queuedBytes > Self.pongBacklogBytes else {
            backlog?.pendingPong = nil
            appendFrame(.pong, payload)
            return
        }
        makeBacklog().pendingPong = payload.withUnsafeBytes { Array($0) }
    }

    /// Answers the peer's close frame, unless ours was sent before.
    package mutating func answer(close frame: CloseFrame) {
        // RFC 6455 §5.5.2: after the peer's close frame, its pings need no answer.
        backlog?.pendingPong = nil
        // RFC 6455 §5.5.1: a close frame must be answered with a close frame, which typically echoes the code.
        _ = sendClose(CloseFrame(code: frame.code), isAnswer: true)
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
            if payload.byteCount < SharedBytes.largeMessageBytes || !appendReceived(payload) { bytes.append(payload) }
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

/// A sent close frame.
final class SentClose {
    let frame: CloseFrame
    /// Whether it answers the peer's.
    let isAnswer: Bool

    init(_ frame: CloseFrame, isAnswer: Bool) {
        self.frame = frame
        self.isAnswer = isAnswer
    }
}

/// What most connections do not have before their end.
public final class MessageExtensions {
    package let compressor: (any MessageCompressor)?
    public let decompressor: (any MessageDecompressor)?
    var observer: (any SentFrameObserver)?
    /// Our close frame, or nil if it was not sent.
    var sentClose: SentClose?

    /// Creates the extensions of a connection.
    package init(compressor: (any MessageCompressor)? = nil, decompressor: (any MessageDecompressor)? = nil) {
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

/// Observes the frames that an outbox sends.
public protocol SentFrameObserver: AnyObject {
    /// Called when a frame is appended to the outbox. The observer must not send on the same connection.
    /// - Parameters:
    ///   - header: The header as sent.
    ///   - payload: The payload as sent, but before masking. It is compressed if the message is.
    func sent(_ header: FrameHeader, payload: RawSpan)
}
