/// Decodes bytes from the peer into messages and control frames, in place.
///
/// A frame that is complete in the input is unmasked and delivered in place. Only incomplete data is copied: a partial
/// header (14 bytes at most), the payload of a partial control frame, and the received part of a message.
public struct MessageReceiver {
    // One reference at most: a connection copies its receiver for each read.
    @usableFromInline
    internal enum State {
        /// Nothing is incomplete.
        case idle
        /// A frame or message is incomplete.
        case partial(PartialInput)
        /// The peer has sent a close frame. Further input is ignored (RFC 6455 §1.4).
        case closed(ReceivedClose)
        /// The peer has violated the protocol. Further input is ignored (RFC 6455 §7.1.7).
        case failed
    }

    @usableFromInline
    internal final class ReceivedClose {
        let frame: CloseFrame

        init(_ frame: CloseFrame) {
            self.frame = frame
        }
    }

    /// What a receiver has to know for each call. It does not keep it, because many connections have the same.
    public struct Rules: Sendable {
        /// The role of this endpoint.
        @usableFromInline internal let role: Role
        /// The limits on incoming messages.
        @usableFromInline internal let limits: Limits

        /// Creates rules.
        package init(role: Role, limits: Limits) {
            self.role = role
            self.limits = limits
        }
    }

    @usableFromInline internal private(set) var state = State.idle
    /// The messages and bytes received so far.
    public var traffic = Traffic()

    /// The maximum storage kept between messages for reassembly, in bytes.
    package static let keptStorageBytes = 64 << 10

    /// Prepares to receive on a connection that has just completed its opening handshake.
    package init() {}

    /// Whether input is ignored.
    @inlinable
    internal var isFinished: Bool {
        switch state {
        case .idle, .partial: false
        case .closed, .failed: true
        }
    }

    /// Whether nothing is incomplete, and input is not ignored.
    @inlinable internal var isIdle: Bool { if case .idle = state { true } else { false } }

    /// The incomplete frame or message, or nil if there is none.
    @inlinable internal var partial: PartialInput? { if case .partial(let partial) = state { partial } else { nil } }

    /// The close frame received, or nil if none has arrived yet.
    package var closeFrame: CloseFrame? { if case .closed(let close) = state { close.frame } else { nil } }

    /// Whether a message has started to arrive but is incomplete.
    package var isInMessage: Bool { partial?.messageKind != nil }

    /// The storage of the incomplete message, in bytes.
    internal var incompleteBytes: Int { partial?.message.storageBytes ?? 0 }

    /// The number of payload bytes that the incomplete message still lacks, at most; nil if there is none.
    internal func missingBytes(limits: Limits) -> Int? {
        guard let progress else { return nil }
        return (progress.totalBytes ?? max(progress.bytes, limits.maximumMessageBytes)) - progress.bytes
    }

    /// The progress of the message being received, or nil if there is none.
    package var progress: MessageProgress? { partial?.progress }

    /// Decodes bytes and delivers messages and control frames to `handler`, in order.
    /// - Parameters:
    ///   - bytes: The received bytes, which are unmasked in place.
    ///   - rules: The same for each call.
    ///   - handler: Receives messages and control frames.
    ///   - decompressor: Decompresses messages, if that was negotiated.
    ///   - pool: The pool of partial inputs, shared by the connections of a loop.
    /// - Returns: The number of bytes consumed: all of them, unless the handler's ``FrameHandler/takesMore`` returned
    ///   false. Pass the remaining bytes again later, unchanged.
    /// - Throws: ``ProtocolError`` if the peer violates the protocol.
    @inlinable
    @discardableResult
    public mutating func receive<Handler: FrameHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, by rules: Rules, handler: inout Handler,
        decompressor: (any MessageDecompressor)? = nil, pool: PartialInputPool
    ) throws(ProtocolError) -> Int {
        guard !isFinished else { return bytes.byteCount }
        let partial = self.partial ?? pool.take()
        var offset = 0
        let takenBytes: Int
        do throws(ProtocolError) {
            takenBytes = try decode(&bytes, offset: &offset, rules, partial, decompressor, handler: &handler)
        } catch {
            traffic.wireBytes &+= offset
            state = .failed
            throw error
        }
        traffic.wireBytes &+= offset
        if partial.isAtBeginning {
            pool.giveBack(partial)
            if !isFinished { state = .idle }
        } else if !isFinished {
            state = .partial(partial)
        }
        return takenBytes
    }

    @inlinable @inline(__always)
    internal mutating func decode<Handler: FrameHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, offset: inout Int, _ rules: Rules, _ partial: PartialInput,
        _ decompressor: (any MessageDecompressor)?, handler: inout Handler
    ) throws(ProtocolError) -> Int {
        let count = bytes.byteCount
        while !isFinished {
            if partial.isAtBeginning {
                let mayContinue = try Self.receiveShortMessages(
                    &bytes, offset: &offset, rules, &traffic, handler: &handler)
                guard mayContinue, offset < count else { return offset }
            }
            let header: FrameHeader
            var bytesBefore = 0
            if let frame = partial.frame {
                header = frame
                bytesBefore = partial.payloadBytesReceived
            } else {
                guard
                    let next = try partial.decodeHeader(
                        bytes.bytes, offset: &offset, receivedBy: rules.role, allowsCompression: decompressor != nil)
                else { return count }
                try begin(next, partial, rules.limits)
                handler.receivedHeader(next)
                header = next
            }
            let pieceBytes = min(header.payloadBytes &- bytesBefore, count &- offset)
            var piece = bytes._mutatingExtracting(offset..<offset &+ pieceBytes)
            offset &+= pieceBytes
            if let key = header.maskingKey { key.advanced(by: bytesBefore).apply(to: &piece) }
            let isWhole = pieceBytes == header.payloadBytes
            partial.payloadBytesReceived = bytesBefore &+ pieceBytes
            let isEnd = partial.payloadBytesReceived == header.payloadBytes
            partial.frame = isEnd ? nil : header
            handler.receivedPiece(piece.bytes, of: header)

            if header.opcode.isControl {
                try receiveControl(header, piece.bytes, isWhole: isWhole, isEnd: isEnd, partial, handler: &handler)
            } else {
                try receiveData(
                    header, piece.bytes, isWhole: isWhole, isEnd: isEnd, partial, decompressor, rules.limits,
                    handler: &handler)
            }
            if !isEnd { return count }
            if offset < count, !handler.takesMore { return offset }
        }
        return count
    }

    /// Delivers messages that consist of one short, uncompressed frame, up to the first frame of another kind. Nearly all
    /// messages do, and this takes a third of the instructions of the general path.
    /// - Returns: Whether the handler takes more.
    @inlinable @inline(__always)
    internal static func receiveShortMessages<Handler: FrameHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, offset: inout Int, _ rules: Rules, _ traffic: inout Traffic,
        handler: inout Handler
    ) throws(ProtocolError) -> Bool {
        let count = bytes.byteCount
        // RFC 6455 §5.1: a client masks all frames, and a server none.
        let role = rules.role
        let headerBytes = role == .server ? 6 : 2
        let maskBit: UInt8 = role == .server ? 0x80 : 0
        let maximumPayloadBytes = min(125, rules.limits.maximumMessageBytes)
        while count &- offset >= headerBytes {
            let kind: MessageKind
            switch bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
            case 0x81: kind = .text
            case 0x82: kind = .binary
            default: return true
            }
            // Exceeds 125 if the mask bit is wrong.
            let payloadBytes = Int(bytes.unsafeLoad(fromByteOffset: offset &+ 1, as: UInt8.self) ^ maskBit)
            let start = offset &+ headerBytes
            guard payloadBytes <= maximumPayloadBytes, payloadBytes <= count &- start else { return true }
            let key = role == .server ? MaskingKey(bytes.bytes, at: start &- 4) : nil
            offset = start &+ payloadBytes
            var payload = bytes._mutatingExtracting(start..<offset)
            if let key { key.apply(to: &payload) }
            let header = FrameHeader(opcode: kind.opcode, maskingKey: key, payloadBytes: payloadBytes)
            handler.receivedHeader(header)
            handler.receivedPiece(payload.bytes, of: header)
            // RFC 6455 §8.1: invalid UTF-8 in a text message must fail the connection.
            guard kind == .binary || UTF8Validator.isValid(payload.bytes) else { throw .invalidText }
            traffic.count(payloadBytes)
            handler.received(payload.bytes, as: kind)
            guard offset < count, handler.takesMore else { return false }
        }
        return true
    }

    /// Checks a data frame against the message in progress.
    @inlinable @inline(__always)
    internal func begin(
        _ header: FrameHeader, _ partial: PartialInput, _ limits: Limits
    ) throws(ProtocolError) {
        let maximumMessageBytes = limits.maximumMessageBytes
        if !header.opcode.isControl {
            switch header.opcode {
            case .continuation:
                // RFC 6455 §5.4: a continuation frame must continue a message.
                guard partial.messageKind != nil else { throw .unexpectedContinuation }
            case let opcode:
                // RFC 6455 §5.4: fragments of one message must not be interleaved with those of another.
                guard partial.messageKind == nil else { throw .expectedContinuation(opcode) }
                partial.messageKind = opcode == .text ? .text : .binary
                partial.isCompressed = header.isCompressed
                partial.fragmentCount = 0
                partial.messageWireBytes = 0
            }
            // RFC 6455 §10.4: enforce the limits when the header arrives, before the payload does.
            let limitBytes =
                partial.isCompressed ? Limits.maximumCompressedBytes(for: maximumMessageBytes) : maximumMessageBytes
            guard header.payloadBytes <= limitBytes &- partial.messageWireBytes else {
                throw .messageTooBig(limit: maximumMessageBytes)
            }
            partial.messageWireBytes &+= header.payloadBytes
            partial.fragmentCount += 1
            guard partial.fragmentCount <= limits.maximumFragments else {
                throw .tooManyFragments(limit: limits.maximumFragments)
            }
        }
    }

    @inlinable
    internal mutating func receiveData<Handler: FrameHandler & ~Copyable>(
        _ header: FrameHeader, _ piece: RawSpan, isWhole: Bool, isEnd: Bool, _ partial: PartialInput,
        _ decompressor: (any MessageDecompressor)?, _ limits: Limits, handler: inout Handler
    ) throws(ProtocolError) {
        guard let kind = partial.messageKind else { return }
        if isWhole, header.isFinal, partial.fragmentCount == 1, !partial.isCompressed {
            // RFC 6455 §8.1: invalid UTF-8 in a text message must fail the connection.
            guard kind == .binary || UTF8Validator.isValid(piece) else { throw .invalidText }
            deliver(piece, as: kind, partial, handler: &handler)
            return
        }
        let isMessageEnd = isEnd && header.isFinal
        try append(
            piece, isMessageEnd: isMessageEnd, as: kind, to: partial, decompressor,
            limitBytes: limits.maximumMessageBytes)
        guard isMessageEnd else { return }
        let whole = partial.message.takeAll()
        if whole.count >= SharedBytes.largeMessageBytes, !partial.isCompressed {
            partial.messageKind = nil
            traffic.count(whole.count)
            handler.received(SharedBytes(whole), as: kind)
        } else {
            whole.withReadableBytes { deliver($0, as: kind, partial, handler: &handler) }
            keepStorage(of: whole, in: partial, decompressor)
        }
    }

    @inlinable @inline(__always)
    internal mutating func deliver<Handler: FrameHandler & ~Copyable>(
        _ payload: RawSpan, as kind: MessageKind, _ partial: PartialInput, handler: inout Handler
    ) {
        partial.messageKind = nil
        traffic.count(payload.byteCount)
        handler.received(payload, as: kind)
    }

    /// Appends a piece to a message that is fragmented, incomplete, or compressed, and decompresses it if necessary.
    @usableFromInline
    internal func append(
        _ piece: RawSpan, isMessageEnd: Bool, as kind: MessageKind, to partial: PartialInput,
        _ decompressor: (any MessageDecompressor)?, limitBytes: Int
    ) throws(ProtocolError) {
        let countBefore = partial.message.count
        if partial.isCompressed {
            try decompressor?.decompress(
                piece, isMessageEnd: isMessageEnd, into: &partial.message, limitBytes: limitBytes)
        } else {
            makeRoom(for: piece, in: partial)
            partial.message.append(piece)
        }
        guard kind == .text else { return }
        let isValid = partial.message.withReadableBytes {
            partial.text.validate($0.extracting(droppingFirst: countBefore))
        }
        // RFC 6455 §8.1: invalid UTF-8 must fail the connection; this check fails at the first invalid byte.
        guard isValid, partial.text.isAtBoundary || !isMessageEnd else { throw .invalidText }
    }

    /// Makes room for a piece of the last frame, when the size of the message is known: for all of it if enough storage
    /// has been kept, otherwise in proportion to the received bytes. Thus a peer cannot make us allocate memory by
    /// announcing a large message.
    private func makeRoom(for piece: RawSpan, in partial: PartialInput) {
        guard let frame = partial.frame, frame.isFinal, partial.message.freeBytes < piece.byteCount else { return }
        let count = partial.message.count
        // Without a limit, the sum of two frames of 2^63 - 1 bytes, which RFC 6455 §5.2 allows, does not fit.
        let missingBytes = frame.payloadBytes - partial.payloadBytesReceived
        let (sum, overflows) = (count + piece.byteCount).addingReportingOverflow(missingBytes)
        let wholeCount = overflows ? .max : sum
        partial.message.growStorageIfKept(to: wholeCount)
        guard partial.message.freeBytes < piece.byteCount else { return }
        partial.message.growStorage(to: min(wholeCount, max(count + piece.byteCount, 2 * partial.message.storageBytes)))
    }

    /// Keeps the storage of a delivered message for the next one.
    @usableFromInline
    internal func keepStorage(
        of whole: consuming ByteBuffer, in partial: PartialInput, _ decompressor: (any MessageDecompressor)?
    ) {
        // No other message can be in progress: the handler cannot receive input while it handles this one.
        partial.message = whole
        partial.message.removeAll()
        partial.message.releaseStorage(above: Self.keptStorageBytes)
        if partial.isCompressed { decompressor?.recycle(&partial.message) }
    }

    @inlinable
    internal mutating func receiveControl<Handler: FrameHandler & ~Copyable>(
        _ header: FrameHeader, _ piece: RawSpan, isWhole: Bool, isEnd: Bool, _ partial: PartialInput,
        handler: inout Handler
    ) throws(ProtocolError) {
        if isWhole { return try deliverControl(header.opcode, piece, handler: &handler) }
        partial.controlPayload.append(piece)
        guard isEnd else { return }
        let payload = partial.controlPayload.takeAll()
        try payload.withReadableBytes { (bytes) throws(ProtocolError) in
            try deliverControl(header.opcode, bytes, handler: &handler)
        }
    }

    @inlinable
    internal mutating func deliverControl<Handler: FrameHandler & ~Copyable>(
        _ opcode: Opcode, _ payload: RawSpan, handler: inout Handler
    ) throws(ProtocolError) {
        switch opcode {
        case .ping: handler.receivedPing(payload)
        case .pong: handler.receivedPong(payload)
        default:
            let frame = try CloseFrame(decoding: payload)
            finish(with: frame)
            handler.receivedClose(frame)
        }
    }

    @usableFromInline
    internal mutating func finish(with frame: CloseFrame) { state = .closed(ReceivedClose(frame)) }

    /// Discards the incomplete message, and ignores further input.
    @usableFromInline
    internal mutating func finish() { if case .closed = state {} else { state = .failed } }
}
