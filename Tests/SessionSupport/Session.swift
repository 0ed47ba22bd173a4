import WSCore

/// Both halves of a connection without its stream, combined as ``Connection`` does.
public struct Session: ~Copyable {
    private let sending: SendingHalf
    public var receiver: MessageReceiver
    private let decompressor: (any MessageDecompressor)?
    private let partialInputs: PartialInputPool

    public init(
        role: Role, limits: Limits, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        compressor: (any MessageCompressor)? = nil, decompressor: (any MessageDecompressor)? = nil,
        partialInputs: PartialInputPool = PartialInputPool(), answersPings: Bool = true
    ) {
        sending = SendingHalf(
            Outbox(
                role: role, maskingKeys: maskingKeys, fragmentBytes: fragmentBytes,
                extensions: compressor.map { MessageExtensions(compressor: $0) }, answersPings: answersPings))
        receiver = MessageReceiver(role: role, limits: limits)
        self.decompressor = decompressor
        self.partialInputs = partialInputs
    }

    public var outbox: Outbox {
        _read { yield sending.outbox }
        _modify { yield &sending.outbox }
    }

    public var receivedTraffic: Traffic { receiver.traffic }
    public var isInMessage: Bool { receiver.isInMessage }
    public var incomingProgress: MessageProgress? { receiver.progress }
    public var closing: ClosingHandshake {
        ClosingHandshake(
            sent: outbox.closeFrame, received: receiver.closeFrame, wasStartedHere: outbox.hasStartedClosing)
    }

    /// Decodes bytes and answers pings and close frames. A violation is answered with a close frame.
    /// - Returns: The number of bytes consumed.
    @discardableResult
    public mutating func receive<Handler: SessionHandler>(
        _ bytes: inout MutableRawSpan, handler: inout Handler
    ) throws(ProtocolError) -> Int {
        var answering = Answering(handler: handler, sending: sending)
        defer { handler = answering.handler }
        do throws(ProtocolError) {
            return try receiver.receive(
                &bytes, handler: &answering, decompressor: decompressor, pool: partialInputs)
        } catch {
            sending.outbox.sendClose(CloseFrame(code: error.closeCode, reason: error.description))
            throw error
        }
    }
}

private final class SendingHalf {
    var outbox: Outbox

    init(_ outbox: consuming Outbox) {
        self.outbox = outbox
    }
}

/// Handles what a ``Session`` receives, and can answer.
public protocol SessionHandler {
    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox)
    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox)
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox)
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox)
    mutating func receivedHeader(_ header: FrameHeader)
    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader)
    var takesMore: Bool { get }
}

extension SessionHandler {
    public mutating func receivedHeader(_ header: FrameHeader) {}
    public mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {}
    public var takesMore: Bool { true }
}

private struct Answering<Handler: SessionHandler>: FrameHandler {
    var handler: Handler
    let sending: SendingHalf

    mutating func received(_ payload: RawSpan, as kind: MessageKind) {
        handler.received(payload, as: kind, outbox: &sending.outbox)
    }

    mutating func received(_ message: SharedBytes, as kind: MessageKind) {
        sending.outbox.beginSharing(message)
        message.withBytes { received($0, as: kind) }
        sending.outbox.endSharing()
    }

    mutating func receivedPing(_ payload: RawSpan) {
        sending.outbox.answer(ping: payload)
        handler.receivedPing(payload, outbox: &sending.outbox)
    }

    mutating func receivedPong(_ payload: RawSpan) { handler.receivedPong(payload, outbox: &sending.outbox) }

    mutating func receivedClose(_ frame: CloseFrame) {
        sending.outbox.answer(close: frame)
        handler.receivedClose(frame, outbox: &sending.outbox)
    }

    mutating func receivedHeader(_ header: FrameHeader) { handler.receivedHeader(header) }
    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) { handler.receivedPiece(piece, of: header) }
    var takesMore: Bool { handler.takesMore }
}
