import WSCore

/// Both halves of a connection without its stream, combined as ``Connection`` does.
package struct Session: ~Copyable {
    private let sending: SendingHalf
    private let rules: MessageReceiver.Rules
    package var receiver: MessageReceiver
    private let decompressor: (any MessageDecompressor)?
    private let partialInputs: PartialInputPool

    package init(
        role: Role, limits: Limits, maskingKeys: MaskingKeySource, fragmentBytes: Int? = nil,
        compressor: (any MessageCompressor)? = nil, decompressor: (any MessageDecompressor)? = nil,
        partialInputs: PartialInputPool = PartialInputPool(), answersPings: Bool = true
    ) {
        sending = SendingHalf(
            Outbox(
                role: role, maskingKeys: maskingKeys, fragmentBytes: fragmentBytes,
                extensions: compressor.map { MessageExtensions(compressor: $0) }, answersPings: answersPings))
        rules = MessageReceiver.Rules(role: role, limits: limits)
        receiver = MessageReceiver()
        self.decompressor = decompressor
        self.partialInputs = partialInputs
    }

    package var outbox: Outbox {
        _read { yield sending.outbox }
        _modify { yield &sending.outbox }
    }

    package var receivedTraffic: Traffic { receiver.traffic }
    package var isInMessage: Bool { receiver.isInMessage }
    package var incomingProgress: MessageProgress? { receiver.progress }
    package var closing: ClosingHandshake {
        ClosingHandshake(
            sent: outbox.closeFrame, received: receiver.closeFrame, wasStartedHere: outbox.hasStartedClosing)
    }

    /// Decodes bytes and answers pings and close frames. A violation is answered with a close frame.
    /// - Returns: The number of bytes consumed.
    @discardableResult
    package mutating func receive<Handler: SessionHandler>(
        _ bytes: inout MutableRawSpan, handler: inout Handler
    ) throws(ProtocolError) -> Int {
        // By pointer: a copy of the handler would share its arrays, and each event would copy them.
        let (rules, decompressor, pool, sending) = (rules, decompressor, partialInputs, sending)
        return try withUnsafeMutablePointer(to: &handler) { (handler) throws(ProtocolError) in
            var answering = Answering(handler: handler, sending: sending)
            do throws(ProtocolError) {
                return try receiver.receive(
                    &bytes, by: rules, handler: &answering, decompressor: decompressor, pool: pool)
            } catch {
                sending.outbox.sendClose(CloseFrame(code: error.closeCode, reason: error.description))
                throw error
            }
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
package protocol SessionHandler {
    mutating func received(_ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox)
    mutating func receivedPing(_ payload: RawSpan, outbox: inout Outbox)
    mutating func receivedPong(_ payload: RawSpan, outbox: inout Outbox)
    mutating func receivedClose(_ frame: CloseFrame, outbox: inout Outbox)
    mutating func receivedHeader(_ header: FrameHeader)
    mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader)
    var takesMore: Bool { get }
}

extension SessionHandler {
    package mutating func receivedHeader(_ header: FrameHeader) {}
    package mutating func receivedPiece(_ piece: RawSpan, of header: FrameHeader) {}
    package var takesMore: Bool { true }
}

private struct Answering<Handler: SessionHandler>: FrameHandler {
    let handler: UnsafeMutablePointer<Handler>
    let sending: SendingHalf

    func received(_ payload: RawSpan, as kind: MessageKind) {
        handler.pointee.received(payload, as: kind, outbox: &sending.outbox)
    }

    func received(_ message: SharedBytes, as kind: MessageKind) {
        sending.outbox.beginSharing(message)
        message.withBytes { received($0, as: kind) }
        sending.outbox.endSharing()
    }

    func receivedPing(_ payload: RawSpan) {
        sending.outbox.answer(ping: payload)
        handler.pointee.receivedPing(payload, outbox: &sending.outbox)
    }

    func receivedPong(_ payload: RawSpan) { handler.pointee.receivedPong(payload, outbox: &sending.outbox) }

    func receivedClose(_ frame: CloseFrame) {
        sending.outbox.answer(close: frame)
        handler.pointee.receivedClose(frame, outbox: &sending.outbox)
    }

    func receivedHeader(_ header: FrameHeader) { handler.pointee.receivedHeader(header) }
    func receivedPiece(_ piece: RawSpan, of header: FrameHeader) { handler.pointee.receivedPiece(piece, of: header) }
    var takesMore: Bool { handler.pointee.takesMore }
}
