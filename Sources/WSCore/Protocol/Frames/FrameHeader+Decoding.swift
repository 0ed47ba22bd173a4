extension FrameHeader {
    /// Decodes the header at the beginning of `bytes`, or returns nil if more bytes are needed.
    ///
    /// Violations are reported as early as possible: those in the first or second byte when that byte is present, those
    /// in the extended length when all of its bytes are present.
    /// - Parameters:
    ///   - bytes: The received bytes, starting with the first byte of a frame.
    ///   - role: The role of the receiving endpoint.
    ///   - allowsCompression: Whether permessage-deflate was negotiated, which permits RSV1. Defaults to false.
    /// - Throws: ``ProtocolError`` if the header violates RFC 6455 §5.1, §5.2, §5.5, or RFC 7692 §6.1.
    @inlinable @inline(__always)
    package static func decode(
        _ bytes: RawSpan, receivedBy role: Role, allowsCompression: Bool = false
    ) throws(ProtocolError) -> FrameHeader? {
        let available = bytes.byteCount
        guard available >= 1 else { return nil }
        let first = bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        // RFC 6455 §5.2: RSV1, RSV2, and RSV3 must be 0 unless a negotiated extension defines them.
        let reservedBits = (first >> 4) & (allowsCompression ? 0x3 : 0x7)
        guard reservedBits == 0 else { throw .reservedBits(reservedBits) }
        let isCompressed = first & 0x40 != 0
        // RFC 6455 §5.2: an unknown opcode must fail the connection.
        guard let opcode = Opcode(rawValue: first & 0xF) else { throw .reservedOpcode(first & 0xF) }
        let isFinal = first & 0x80 != 0
        // RFC 6455 §5.5: control frames must not be fragmented.
        guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame(opcode) }
        // RFC 7692 §6.1: RSV1 must not be set on control frames or continuation frames.
        guard !isCompressed || opcode == .text || opcode == .binary else { throw .misplacedCompression(opcode) }

        guard available >= 2 else { return nil }
        let second = bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self)
        let isMasked = second & 0x80 != 0
        switch role {
        // RFC 6455 §5.1: a client must close the connection if it receives a masked frame.
        case .client: guard !isMasked else { throw .maskedServerFrame }
        // RFC 6455 §5.1: a server must close the connection if it receives an unmasked frame.
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

    // Not inlined: the compiler inlines `decode` for data frames only while it stays small.
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
