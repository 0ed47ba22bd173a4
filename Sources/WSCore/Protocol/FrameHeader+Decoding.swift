extension FrameHeader {
    /// Decodes the header at the beginning of `bytes`, or returns nil when more bytes are needed to tell.
    ///
    /// A violation in the first or second byte is reported as soon as that byte is there, one in the length with
    /// the length's last byte.
    /// - Parameters:
    ///   - bytes: What has arrived, from the first byte of a frame on.
    ///   - role: The end that received it.
    ///   - allowsCompression: Whether permessage-deflate was agreed on, which gives RSV1 a meaning.
    /// - Throws: ``ProtocolError`` for what RFC 6455 §5.2 and §5.5 forbid in a header by itself.
    @inlinable @inline(__always)
    public static func decode(
        _ bytes: RawSpan, receivedBy role: Role, allowsCompression: Bool = false
    ) throws(ProtocolError) -> FrameHeader? {
        let available = bytes.byteCount
        guard available >= 1 else { return nil }
        let first = bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        // RFC 6455 §5.2: RSV1, RSV2 and RSV3 must be 0 unless an extension is negotiated that defines them.
        let reservedBits = (first >> 4) & (allowsCompression ? 0x3 : 0x7)
        guard reservedBits == 0 else { throw .reservedBits(reservedBits) }
        let isCompressed = first & 0x40 != 0
        // RFC 6455 §5.2: an unknown opcode fails the connection.
        guard let opcode = Opcode(rawValue: first & 0xF) else { throw .reservedOpcode(first & 0xF) }
        let isFinal = first & 0x80 != 0
        // RFC 6455 §5.5: control frames must not be fragmented.
        guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame(opcode) }
        // RFC 7692 §6.1: RSV1 must not be set on control frames, nor on frames that continue a message.
        guard !isCompressed || opcode == .text || opcode == .binary else { throw .misplacedCompression(opcode) }

        guard available >= 2 else { return nil }
        let second = bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self)
        let isMasked = second & 0x80 != 0
        switch role {
        // RFC 6455 §5.1: a client must close a connection on which it gets a masked frame.
        case .client: guard !isMasked else { throw .maskedServerFrame }
        // RFC 6455 §5.1: a server must close a connection on which it gets a frame that is not masked.
        case .server: guard isMasked else { throw .unmaskedClientFrame }
        }
        let shortLength = Int(second & 0x7F)
        if opcode.isControl { try checkPayload(ofControl: opcode, byteCount: shortLength) }

        let lengthBytes = shortLength <= 125 ? 0 : shortLength == 126 ? 2 : 8
        guard available >= 2 + lengthBytes else { return nil }
        let payloadBytes = shortLength <= 125 ? shortLength : try decodeLength(bytes, shortLength: shortLength)
        guard isMasked else {
            return FrameHeader(
                isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, maskingKey: nil,
                payloadBytes: payloadBytes)
        }
        guard available >= 2 + lengthBytes + 4 else { return nil }
        let key = MaskingKey(bytes, at: 2 + lengthBytes)
        return FrameHeader(
            isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, maskingKey: key, payloadBytes: payloadBytes)
    }

    // Apart from the rest, which is inlined for data frames only as long as it is small.
    @inlinable @inline(never)
    internal static func checkPayload(ofControl opcode: Opcode, byteCount: Int) throws(ProtocolError) {
        // RFC 6455 §5.5: control frames must have a payload of 125 bytes or less.
        guard byteCount <= maximumControlPayloadBytes else { throw .controlFrameTooLong(opcode) }
        // RFC 6455 §5.5.1: the payload of a close frame is empty or begins with a two-byte code.
        guard byteCount != 1 || opcode != .close else { throw .closePayloadTooShort }
    }

    @inlinable
    internal static func decodeLength(_ bytes: RawSpan, shortLength: Int) throws(ProtocolError) -> Int {
        switch shortLength {
        case 126:
            let length = UInt16(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt16.self))
            // RFC 6455 §5.2: the minimal number of bytes must be used to encode the length.
            guard length > 125 else { throw .lengthNotMinimal }
            return Int(length)
        case 127:
            let length = UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt64.self))
            // RFC 6455 §5.2: the most significant bit of a 64-bit length must be 0.
            guard let payloadBytes = Int(exactly: length) else { throw .lengthTooLarge }
            // RFC 6455 §5.2: the minimal number of bytes must be used to encode the length.
            guard length > 0xFFFF else { throw .lengthNotMinimal }
            return payloadBytes
        default:
            return shortLength
        }
    }
}
