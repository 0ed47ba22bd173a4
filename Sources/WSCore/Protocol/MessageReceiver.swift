/// The receiving half of a session: decodes bytes into messages and control frames.
///
/// A frame that is complete in the input is unmasked and delivered in place. Only incomplete data is copied: a partial
/// header (14 bytes at most), the payload of a partial control frame, and the received part of a message.
public struct MessageReceiver: ~Copyable {
    @usableFromInline internal let role: Role
    /// Whether the peer has sent its close frame or violated the protocol. Further input is ignored.
    // Next to the role to avoid padding: there are many connections.
    @usableFromInline internal private(set) var isFinished = false
    @usableFromInline internal let limits: Limits
    @usableFromInline internal var traffic = Traffic()

    /// The incomplete frame or message, or nil if there is none or `receive` is decoding it.
    @usableFromInline internal var partial: PartialInput?
    @usableFromInline internal let pool: PartialInputPool

    /// The maximum storage kept between messages for reassembly, in bytes.
    public static let keptStorageBytes = 64 << 10

    /// Creates the receiving half of an open connection.
    public init(role: Role, limits: Limits, pool: PartialInputPool = PartialInputPool()) {
        self.role = role
        self.pool = pool
        self.limits = limits
    }

    /// Decodes bytes from the peer; see ``Session/receive(_:handler:)``.
    @inlinable
    public mutating func receive<Handler: SessionHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, outbox: inout Outbox, handler: inout Handler
    ) throws(ProtocolError) -> Int {
        let partial = self.partial.take() ?? pool.take()
        let count = bytes.byteCount
        let allowsCompression = outbox.extensions?.decompressor != nil
        var offset = 0
        defer {
            traffic.wireBytes &+= offset
            if partial.isAtBeginning { pool.giveBack(partial) } else if !isFinished { self.partial = partial }
        }
        while !isFinished {
            if partial.isAtBeginning {
                let mayContinue = try receiveShortMessages(
                    &bytes, offset: &offset, partial, outbox: &outbox, handler: &handler)
                guard mayContinue, offset < count else { return offset }
            }
            let header: FrameHeader
            var bytesBefore = 0
            if let frame = partial.frame {
                header = frame
                bytesBefore = partial.payloadBytesReceived
            } else {
                guard
                    let next = try Self.nextHeader(
                        bytes.bytes, offset: &offset, partial, receivedBy: role,
                        allowsCompression: allowsCompression)
                else { return count }
                try begin(next, partial)
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
                try receiveControl(
                    header, piece.bytes, isWhole: isWhole, isEnd: isEnd, partial, outbox: &outbox, handler: &handler)
            } else {
                try receiveData(
                    header, piece.bytes, isWhole: isWhole, isEnd: isEnd, partial, outbox: &outbox, handler: &handler)
            }
            if !isEnd { return count }
            if offset < count, !handler.takesMore(outbox) { return offset }
        }
        return count
    }

    /// Delivers messages that consist of one short, uncompressed frame, up to the first frame of another kind. Nearly all
    /// messages do, and this takes a third of the instructions of the general path.
    /// - Returns: Whether the handler takes more.
    @inlinable @inline(__always)
    internal mutating func receiveShortMessages<Handler: SessionHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, offset: inout Int, _ partial: PartialInput, outbox: inout Outbox,
        handler: inout Handler
    ) throws(ProtocolError) -> Bool {
        let count = bytes.byteCount
        // RFC 6455 §5.1: a client masks all frames, and a server none.
        let headerBytes = role == .server ? 6 : 2
        let maskBit: UInt8 = role == .server ? 0x80 : 0
        let maximumPayloadBytes = min(125, limits.maximumMessageBytes)
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
            deliver(payload.bytes, as: kind, partial, outbox: &outbox, handler: &handler)
            guard offset < count, handler.takesMore(outbox) else { return false }
        }
        return true
    }

    /// Decodes the header at `offset`, continuing a partial header if there is one, and advances `offset` past it.
    ///
    /// If the header is incomplete, keeps the remaining bytes and returns nil.
    // Static, because a method would copy the receiver for each frame.
    @inlinable @inline(__always)
    internal static func nextHeader(
        _ bytes: RawSpan, offset: inout Int, _ partial: PartialInput, receivedBy role: Role, allowsCompression: Bool
    ) throws(ProtocolError) -> FrameHeader? {
        guard partial.headerByteCount == 0 else {
            return try continueHeader(
                bytes, offset: &offset, partial, receivedBy: role, allowsCompression: allowsCompression)
        }
        let rest = bytes.extracting(offset..<bytes.byteCount)
        guard let header = try FrameHeader.decode(rest, receivedBy: role, allowsCompression: allowsCompression) else {
            partial.keepHeaderBytes(rest)
            offset = bytes.byteCount
            return nil
        }
        offset += header.encodedBytes
        return header
    }

    @usableFromInline
    internal static func continueHeader(
        _ bytes: RawSpan, offset: inout Int, _ partial: PartialInput, receivedBy role: Role, allowsCompression: Bool
    ) throws(ProtocolError) -> FrameHeader? {
        let keptBefore = partial.headerByteCount
        let end = min(bytes.byteCount, offset + FrameHeader.maximumBytes - keptBefore)
        partial.keepHeaderBytes(bytes.extracting(offset..<end))
        let known = partial.headerBytes.span.extracting(0..<partial.headerByteCount)
        guard
            let header = try FrameHeader.decode(
                known.bytes, receivedBy: role, allowsCompression: allowsCompression)
        else {
            offset = end
            return nil
        }
        offset += header.encodedBytes - keptBefore
        partial.headerByteCount = 0
        return header
    }

    /// Checks a data frame against the message in progress.
    @inlinable @inline(__always)
    internal func begin(_ header: FrameHeader, _ partial: PartialInput) throws(ProtocolError) {
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
            let limitBytes = partial.isCompressed ? limits.maximumCompressedBytes : limits.maximumMessageBytes
            guard header.payloadBytes <= limitBytes &- partial.messageWireBytes else {
                throw .messageTooBig(limit: limits.maximumMessageBytes)
            }
            partial.messageWireBytes &+= header.payloadBytes
            partial.fragmentCount += 1
            guard partial.fragmentCount <= limits.maximumFragments else {
                throw .tooManyFragments(limit: limits.maximumFragments)
            }
        }
    }

    @inlinable
    internal mutating func receiveData<Handler: SessionHandler & ~Copyable>(
        _ header: FrameHeader, _ piece: RawSpan, isWhole: Bool, isEnd: Bool, _ partial: PartialInput,
        outbox: inout Outbox, handler: inout Handler
    ) throws(ProtocolError) {
        guard let kind = partial.messageKind else { return }
        if isWhole, header.isFinal, partial.fragmentCount == 1, !partial.isCompressed {
            // RFC 6455 §8.1: invalid UTF-8 in a text message must fail the connection.
            guard kind == .binary || UTF8Validator.isValid(piece) else { throw .invalidText }
            deliver(piece, as: kind, partial, outbox: &outbox, handler: &handler)
            return
        }
        let isMessageEnd = isEnd && header.isFinal
        try append(piece, isMessageEnd: isMessageEnd, as: kind, to: partial, by: outbox.extensions)
        guard isMessageEnd else { return }
        let whole = partial.message.takeAll()
        if outbox.sharesReceivedMessage(of: whole.count) {
            deliverShared(SharedBytes(whole), as: kind, partial, outbox: &outbox, handler: &handler)
        } else {
            whole.withReadableBytes { deliver($0, as: kind, partial, outbox: &outbox, handler: &handler) }
            keepStorage(of: whole, in: partial, outbox.extensions)
        }
    }

    /// Delivers a large message. The outbox can send it back without copying it.
    @inlinable @inline(never)
    internal mutating func deliverShared<Handler: SessionHandler & ~Copyable>(
        _ whole: SharedBytes, as kind: MessageKind, _ partial: PartialInput, outbox: inout Outbox,
        handler: inout Handler
    ) {
        outbox.beginSharing(whole)
        whole.withBytes { deliver($0, as: kind, partial, outbox: &outbox, handler: &handler) }
        outbox.endSharing()
    }

    @inlinable @inline(__always)
    internal mutating func deliver<Handler: SessionHandler & ~Copyable>(
        _ payload: RawSpan, as kind: MessageKind, _ partial: PartialInput, outbox: inout Outbox,
        handler: inout Handler
    ) {
        partial.messageKind = nil
        traffic.messages &+= 1
        traffic.messageBytes &+= payload.byteCount
        handler.received(payload, as: kind, outbox: &outbox)
    }

    /// Appends a piece to a message that is fragmented, incomplete, or compressed, and decompresses it if necessary.
    @usableFromInline
    internal func append(
        _ piece: RawSpan, isMessageEnd: Bool, as kind: MessageKind, to partial: PartialInput,
        by extensions: SessionExtensions?
    ) throws(ProtocolError) {
        let countBefore = partial.message.count
        if partial.isCompressed {
            try extensions?.decompressor?.decompress(
                piece, isMessageEnd: isMessageEnd, into: &partial.message, limitBytes: limits.maximumMessageBytes)
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
        let wholeCount = count + frame.payloadBytes - partial.payloadBytesReceived + piece.byteCount
        partial.message.growStorageIfKept(to: wholeCount)
        guard partial.message.freeBytes < piece.byteCount else { return }
        partial.message.growStorage(to: min(wholeCount, max(count + piece.byteCount, 2 * partial.message.storageBytes)))
    }

    /// Keeps the storage of a delivered message for the next one.
    @usableFromInline
    internal func keepStorage(
        of whole: consuming ByteBuffer, in partial: PartialInput, _ extensions: SessionExtensions?
    ) {
        // No other message can be in progress: the handler cannot receive input while it handles this one.
        partial.message = whole
        partial.message.removeAll()
        partial.message.releaseStorage(above: Self.keptStorageBytes)
        if partial.isCompressed { extensions?.decompressor?.recycle(&partial.message) }
    }

    @inlinable
    internal mutating func receiveControl<Handler: SessionHandler & ~Copyable>(
        _ header: FrameHeader, _ piece: RawSpan, isWhole: Bool, isEnd: Bool, _ partial: PartialInput,
        outbox: inout Outbox, handler: inout Handler
    ) throws(ProtocolError) {
        if isWhole {
            try deliverControl(header.opcode, piece, outbox: &outbox, handler: &handler)
            return
        }
        partial.controlPayload.append(piece)
        guard isEnd else { return }
        let payload = partial.controlPayload.takeAll()
        try payload.withReadableBytes { (bytes) throws(ProtocolError) in
            try deliverControl(header.opcode, bytes, outbox: &outbox, handler: &handler)
        }
    }

    @inlinable
    internal mutating func deliverControl<Handler: SessionHandler & ~Copyable>(
        _ opcode: Opcode, _ payload: RawSpan, outbox: inout Outbox, handler: inout Handler
    ) throws(ProtocolError) {
        switch opcode {
        case .ping:
            outbox.answer(ping: payload)
            handler.receivedPing(payload, outbox: &outbox)
        case .pong:
            handler.receivedPong(payload, outbox: &outbox)
        default:
            let frame = try CloseFrame(decoding: payload)
            finish()
            outbox.answer(close: frame)
            handler.receivedClose(frame, outbox: &outbox)
        }
    }

    /// Ignores all further input.
    @usableFromInline
    internal mutating func finish() {
        isFinished = true
        partial = nil
    }
}

/// The progress of an incoming message.
public struct MessageProgress: Equatable, Sendable {
    /// The number of payload bytes received so far, before decompression.
    public let bytes: Int
    /// The size of the whole message in bytes, before decompression; nil until the header of its last frame arrives.
    public let totalBytes: Int?
}

extension MessageReceiver {
    /// The progress of the message being received, or nil if there is none.
    var progress: MessageProgress? {
        guard let partial, partial.messageKind != nil else { return nil }
        let missingBytes =
            partial.frame.map { $0.opcode.isControl ? 0 : $0.payloadBytes - partial.payloadBytesReceived } ?? 0
        let isLast = partial.frame.map { !$0.opcode.isControl && $0.isFinal } ?? false
        let wireBytes = partial.messageWireBytes
        return MessageProgress(bytes: wireBytes - missingBytes, totalBytes: isLast ? wireBytes : nil)
    }
}
