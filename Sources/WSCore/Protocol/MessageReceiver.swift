/// The receiving half of a session: turns bytes from the wire into messages and control frames.
///
/// A frame that lies whole in the bytes given is unmasked there and handed on from there. Only what is
/// incomplete at the end is copied: a cut header (14 bytes at most), the payload of a cut control frame, and
/// the part of a message that has arrived so far.
public struct MessageReceiver: ~Copyable {
    @usableFromInline internal let role: Role
    @usableFromInline internal let limits: Limits
    @usableFromInline internal let decompressor: (any MessageDecompressor)?
    @usableFromInline internal var traffic = Traffic()
    /// Whether the peer has sent its close frame or violated the protocol: the rest is ignored.
    @usableFromInline internal private(set) var isFinished = false

    // A header of which only the beginning has arrived.
    private var headerBytes: InlineArray<14, UInt8> = .init(repeating: 0)
    @usableFromInline internal private(set) var headerByteCount = 0

    // A frame whose payload has not arrived in full.
    @usableFromInline internal var frame: FrameHeader?
    @usableFromInline internal var payloadBytesReceived = 0
    @usableFromInline internal var controlPayload = ByteBuffer()

    // A message whose last frame has not arrived in full. nil: the next data frame begins one.
    @usableFromInline internal var messageKind: MessageKind?
    @usableFromInline internal var fragmentCount = 0
    @usableFromInline internal var isCompressed = false
    /// The payload bytes of the message's frames so far, as they travel.
    @usableFromInline internal var messageWireBytes = 0
    @usableFromInline internal var message = ByteBuffer()
    @usableFromInline internal var text = UTF8Validator()

    /// The storage that is kept between messages for those that do not arrive in one piece, in bytes.
    public static let keptStorageBytes = 64 << 10

    /// Makes the receiving half of an open connection.
    public init(role: Role, limits: Limits, decompressor: (any MessageDecompressor)? = nil) {
        self.role = role
        self.limits = limits
        self.decompressor = decompressor
    }

    /// Takes bytes from the peer; see ``Session/receive(_:handler:)``.
    @inlinable
    public mutating func receive<Handler: SessionHandler & ~Copyable>(
        _ bytes: inout MutableRawSpan, outbox: inout Outbox, handler: inout Handler
    ) throws(ProtocolError) -> Int {
        let count = bytes.byteCount
        var offset = 0
        defer { traffic.wireBytes &+= offset }
        while !isFinished {
            let header: FrameHeader
            var bytesBefore = 0
            if let frame {
                header = frame
                bytesBefore = payloadBytesReceived
            } else {
                guard let next = try nextHeader(bytes.bytes, offset: &offset) else { return count }
                try begin(next)
                handler.receivedHeader(next)
                header = next
            }
            let pieceBytes = min(header.payloadBytes &- bytesBefore, count &- offset)
            var piece = bytes._mutatingExtracting(offset..<offset &+ pieceBytes)
            offset &+= pieceBytes
            if let key = header.maskingKey { key.advanced(by: bytesBefore).apply(to: &piece) }
            let isWhole = pieceBytes == header.payloadBytes
            payloadBytesReceived = bytesBefore &+ pieceBytes
            let isEnd = payloadBytesReceived == header.payloadBytes
            frame = isEnd ? nil : header
            handler.receivedPiece(piece.bytes, of: header)

            if header.opcode.isControl {
                try receiveControl(
                    header, piece.bytes, isWhole: isWhole, isEnd: isEnd, outbox: &outbox, handler: &handler)
            } else {
                try receiveData(header, piece.bytes, isWhole: isWhole, isEnd: isEnd, outbox: &outbox, handler: &handler)
            }
            if !isEnd { return count }
            if offset < count, !handler.takesMore(outbox) { return offset }
        }
        return count
    }

    /// Decodes the header at `offset`, together with what is kept of it from before, and moves `offset` behind it.
    /// Returns nil, having kept all that is left, when it is cut.
    @inlinable @inline(__always)
    internal mutating func nextHeader(_ bytes: RawSpan, offset: inout Int) throws(ProtocolError) -> FrameHeader? {
        guard headerByteCount == 0 else { return try continueHeader(bytes, offset: &offset) }
        let rest = bytes.extracting(offset..<bytes.byteCount)
        guard let header = try FrameHeader.decode(rest, receivedBy: role, allowsCompression: decompressor != nil) else {
            keepHeaderBytes(rest)
            offset = bytes.byteCount
            return nil
        }
        offset += header.encodedBytes
        return header
    }

    @usableFromInline
    internal mutating func continueHeader(_ bytes: RawSpan, offset: inout Int) throws(ProtocolError) -> FrameHeader? {
        let keptBefore = headerByteCount
        let end = min(bytes.byteCount, offset + FrameHeader.maximumBytes - keptBefore)
        keepHeaderBytes(bytes.extracting(offset..<end))
        let known = headerBytes.span.extracting(0..<headerByteCount)
        guard
            let header = try FrameHeader.decode(
                known.bytes, receivedBy: role, allowsCompression: decompressor != nil)
        else {
            offset = end
            return nil
        }
        offset += header.encodedBytes - keptBefore
        headerByteCount = 0
        return header
    }

    @usableFromInline
    internal mutating func keepHeaderBytes(_ bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            headerBytes[headerByteCount] = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            headerByteCount += 1
        }
    }

    /// Checks a frame against the message it belongs to.
    @inlinable @inline(__always)
    internal mutating func begin(_ header: FrameHeader) throws(ProtocolError) {
        if !header.opcode.isControl {
            switch header.opcode {
            case .continuation:
                // RFC 6455 §5.4: a continuation frame continues a message.
                guard messageKind != nil else { throw .unexpectedContinuation }
            case let opcode:
                // RFC 6455 §5.4: the fragments of one message must not be interleaved with those of another.
                guard messageKind == nil else { throw .expectedContinuation(opcode) }
                messageKind = opcode == .text ? .text : .binary
                isCompressed = header.isCompressed
                fragmentCount = 0
                messageWireBytes = 0
            }
            // RFC 6455 §10.4: an implementation must bound what it takes; judged by the header, before the payload.
            let limitBytes = isCompressed ? limits.maximumCompressedBytes : limits.maximumMessageBytes
            guard header.payloadBytes <= limitBytes &- messageWireBytes else {
                throw .messageTooBig(limit: limits.maximumMessageBytes)
            }
            messageWireBytes &+= header.payloadBytes
            fragmentCount += 1
            guard fragmentCount <= limits.maximumFragments else {
                throw .tooManyFragments(limit: limits.maximumFragments)
            }
        }
    }

    @inlinable
    internal mutating func receiveData<Handler: SessionHandler & ~Copyable>(
        _ header: FrameHeader, _ piece: RawSpan, isWhole: Bool, isEnd: Bool, outbox: inout Outbox,
        handler: inout Handler
    ) throws(ProtocolError) {
        guard let kind = messageKind else { return }
        if isWhole, header.isFinal, fragmentCount == 1, !isCompressed {
            // RFC 6455 §8.1: text that is not UTF-8 fails the connection.
            guard kind == .binary || UTF8Validator.isValid(piece) else { throw .invalidText }
            deliver(piece, as: kind, outbox: &outbox, handler: &handler)
            return
        }
        let isMessageEnd = isEnd && header.isFinal
        try append(piece, isMessageEnd: isMessageEnd, as: kind)
        guard isMessageEnd else { return }
        let whole = message.takeAll()
        whole.withReadableBytes { deliver($0, as: kind, outbox: &outbox, handler: &handler) }
        keepStorage(of: whole)
    }

    @inlinable @inline(__always)
    internal mutating func deliver<Handler: SessionHandler & ~Copyable>(
        _ payload: RawSpan, as kind: MessageKind, outbox: inout Outbox, handler: inout Handler
    ) {
        messageKind = nil
        traffic.messages &+= 1
        traffic.messageBytes &+= payload.byteCount
        handler.received(payload, as: kind, outbox: &outbox)
    }

    /// Adds a piece to a message that does not lie in one piece, decompressed where it is compressed.
    @usableFromInline
    internal mutating func append(_ piece: RawSpan, isMessageEnd: Bool, as kind: MessageKind) throws(ProtocolError) {
        let countBefore = message.count
        if isCompressed {
            try decompressor?.decompress(
                piece, isMessageEnd: isMessageEnd, into: &message, limitBytes: limits.maximumMessageBytes)
        } else {
            message.append(piece)
        }
        guard kind == .text else { return }
        let isValid = message.withReadableBytes { text.validate($0.extracting(droppingFirst: countBefore)) }
        // RFC 6455 §8.1: text that is not UTF-8 fails the connection, here with its first invalid byte.
        guard isValid, text.isAtBoundary || !isMessageEnd else { throw .invalidText }
    }

    /// Keeps the storage of a message that has been handed on for the next.
    @usableFromInline
    internal mutating func keepStorage(of whole: consuming ByteBuffer) {
        // A violation or a close frame cannot have come between: there is no other message.
        message = whole
        message.removeAll()
        message.releaseStorage(above: Self.keptStorageBytes)
        if isCompressed { decompressor?.recycle(&message) }
    }

    @inlinable
    internal mutating func receiveControl<Handler: SessionHandler & ~Copyable>(
        _ header: FrameHeader, _ piece: RawSpan, isWhole: Bool, isEnd: Bool, outbox: inout Outbox,
        handler: inout Handler
    ) throws(ProtocolError) {
        if isWhole {
            try deliverControl(header.opcode, piece, outbox: &outbox, handler: &handler)
            return
        }
        controlPayload.append(piece)
        guard isEnd else { return }
        let payload = controlPayload.takeAll()
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

    /// Ignores everything that is still to come.
    @usableFromInline
    internal mutating func finish() {
        isFinished = true
        frame = nil
        message.removeAll()
        message.releaseStorage(above: 0)
    }
}
