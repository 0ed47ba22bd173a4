/// A frame header (RFC 6455 §5.2).
///
///       0                   1                   2                   3
///       0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///      +-+-+-+-+-------+-+-------------+-------------------------------+
///      |F|R|R|R| opcode|M| Payload len |    Extended payload length    |
///      |I|S|S|S|  (4)  |A|     (7)     |         (16 or 64 bits)       |
///      |N|V|V|V|       |S|             |  present when len is 126, 127 |
///      | |1|2|3|       |K|             |                               |
///      +-+-+-+-+-------+-+-------------+-------------------------------+
///      |              Masking key (32 bits), present when MASK is set  |
///      +---------------------------------------------------------------+
public struct FrameHeader: Equatable, Sendable {
    /// Whether this is the final frame of its message (FIN).
    public var isFinal: Bool
    /// Whether the frame starts a compressed message: RSV1 as defined by permessage-deflate (RFC 7692 §6).
    public var isCompressed: Bool
    /// The frame type.
    public var opcode: Opcode
    /// The key that masks the payload, or nil if the payload is not masked.
    public var maskingKey: MaskingKey?
    /// The payload length in bytes, 0 to 2^63 − 1.
    public var payloadBytes: Int

    /// The maximum length of a header, in bytes.
    public static let maximumBytes = 14
    /// The maximum payload length of a control frame, in bytes (RFC 6455 §5.5).
    public static let maximumControlPayloadBytes = 125

    /// Creates a header. By default, the frame is final, uncompressed, and unmasked.
    @inlinable
    package init(
        isFinal: Bool = true, isCompressed: Bool = false, opcode: Opcode, maskingKey: MaskingKey? = nil,
        payloadBytes: Int
    ) {
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.opcode = opcode
        self.maskingKey = maskingKey
        self.payloadBytes = payloadBytes
    }

    /// The length of the encoded header in bytes, 2 to 14.
    @inlinable
    package var encodedBytes: Int {
        let lengthBytes = payloadBytes <= 125 ? 0 : payloadBytes <= 0xFFFF ? 2 : 8
        return 2 + lengthBytes + (maskingKey == nil ? 0 : 4)
    }
}

/// The role of an endpoint.
public enum Role: Sendable, CaseIterable {
    /// The endpoint that opened the connection. It masks its frames (RFC 6455 §5.3).
    case client
    /// The endpoint that accepted the connection. It does not mask its frames.
    case server
}
