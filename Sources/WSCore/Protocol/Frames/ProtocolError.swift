/// A violation of RFC 6455 or RFC 7692 by the peer, or a message that exceeds the session's ``Limits``.
///
/// This type is the single place that maps a violation to its close code, stable identifier, and description.
public enum ProtocolError: Error, Equatable, Sendable {
    /// RSV1, RSV2, or RSV3 was set without an extension that defines it. The bits are a number, 1 to 7; RSV1 is 4.
    case reservedBits(UInt8)
    /// RSV1 was set on a frame other than the first of a message.
    case misplacedCompression(Opcode)
    /// A frame had a reserved opcode: 3–7 or 11–15.
    case reservedOpcode(UInt8)
    /// A frame from a server was masked.
    case maskedServerFrame
    /// A frame from a client was not masked.
    case unmaskedClientFrame
    /// A control frame was fragmented.
    case fragmentedControlFrame(Opcode)
    /// A control frame had a payload of more than 125 bytes.
    case controlFrameTooLong(Opcode)
    /// A length was not encoded in the minimal number of bytes.
    case lengthNotMinimal
    /// The most significant bit of a 64-bit length was set.
    case lengthTooLarge
    /// A continuation frame arrived without a message to continue.
    case unexpectedContinuation
    /// A new message started inside a fragmented one.
    case expectedContinuation(Opcode)
    /// A text message was not valid UTF-8.
    case invalidText
    /// A compressed message was not valid DEFLATE data.
    case invalidCompressedData
    /// A close frame had a one-byte payload.
    case closePayloadTooShort
    /// A close frame carried a code that must not be sent.
    case invalidCloseCode(UInt16)
    /// The reason in a close frame was not valid UTF-8.
    case invalidCloseReason
    /// A message exceeded the limit, given in bytes.
    case messageTooBig(limit: Int)
    /// A message had more fragments than the limit.
    case tooManyFragments(limit: Int)

    /// Whether the message exceeded one of our limits (RFC 6455 §10.4). The peer did not violate the protocol.
    package var isLimit: Bool {
        switch self {
        case .messageTooBig, .tooManyFragments: true
        default: false
        }
    }

    /// An example of each violation, in the order of the cases. The manual's list is generated from it.
    package static let catalogue: [ProtocolError] = [
        .reservedBits(4), .misplacedCompression(.ping), .reservedOpcode(3), .maskedServerFrame, .unmaskedClientFrame,
        .fragmentedControlFrame(.ping), .controlFrameTooLong(.ping), .lengthNotMinimal, .lengthTooLarge,
        .unexpectedContinuation, .expectedContinuation(.text), .invalidText, .invalidCompressedData,
        .closePayloadTooShort, .invalidCloseCode(1005), .invalidCloseReason,
        .messageTooBig(limit: Limits.client.maximumMessageBytes),
        .tooManyFragments(limit: Limits.client.maximumFragments),
    ]

    /// The code of the close frame that reports the violation.
    package var closeCode: CloseCode {
        switch self {
        // RFC 6455 §8.1, §7.4.1: invalid UTF-8 fails the connection with 1007.
        case .invalidText, .invalidCloseReason: .invalidPayload
        // RFC 7692 does not specify the code. 1007 indicates that the data, not the framing, is invalid.
        case .invalidCompressedData: .invalidPayload
        case .messageTooBig: .messageTooBig
        case .tooManyFragments: .policyViolation
        default: .protocolError
        }
    }

    /// A stable name for the violation. It does not change between versions.
    package var identifier: String {
        switch self {
        case .reservedBits: "reserved-bits"
        case .misplacedCompression: "misplaced-compression"
        case .reservedOpcode: "reserved-opcode"
        case .maskedServerFrame: "masked-server-frame"
        case .unmaskedClientFrame: "unmasked-client-frame"
        case .fragmentedControlFrame: "fragmented-control-frame"
        case .controlFrameTooLong: "control-frame-too-long"
        case .lengthNotMinimal: "length-not-minimal"
        case .lengthTooLarge: "length-too-large"
        case .unexpectedContinuation: "unexpected-continuation"
        case .expectedContinuation: "expected-continuation"
        case .invalidText: "invalid-text"
        case .invalidCompressedData: "invalid-compressed-data"
        case .closePayloadTooShort: "close-payload-too-short"
        case .invalidCloseCode: "invalid-close-code"
        case .invalidCloseReason: "invalid-close-reason"
        case .messageTooBig: "message-too-big"
        case .tooManyFragments: "too-many-fragments"
        }
    }
}

extension ProtocolError: CustomStringConvertible {
    /// A description of the violation, also sent as the reason in the close frame (less than 123 bytes).
    public var description: String {
        switch self {
        case .reservedBits(let bits):
            "reserved bits are set (\(Self.names(ofReservedBits: bits))) without an extension that uses them"
        case .misplacedCompression(let opcode):
            "RSV1 is set on a \(opcode) frame; only the first frame of a message can have it"
        case .reservedOpcode(let opcode): "opcode \(opcode) is reserved"
        case .maskedServerFrame: "a frame from the server is masked"
        case .unmaskedClientFrame: "a frame from the client is not masked"
        case .fragmentedControlFrame(let opcode): "a \(opcode) frame is fragmented"
        case .controlFrameTooLong(let opcode): "a \(opcode) frame is longer than 125 bytes"
        case .lengthNotMinimal: "a frame length is not in its shortest form"
        case .lengthTooLarge: "a frame length is 2^63 or more"
        case .unexpectedContinuation: "a continuation frame came without a message to continue"
        case .expectedContinuation(let opcode): "a \(opcode) frame came inside a fragmented message"
        case .invalidText: "a text message is not valid UTF-8"
        case .invalidCompressedData: "a compressed message is not valid DEFLATE data"
        case .closePayloadTooShort: "a close frame has a payload of one byte"
        case .invalidCloseCode(let code): "close code \(code) must not be sent"
        case .invalidCloseReason: "a close reason is not valid UTF-8"
        case .messageTooBig(let limit): "a message is larger than \(limit) byte\(limit == 1 ? "" : "s")"
        case .tooManyFragments(let limit): "a message has more than \(limit) fragment\(limit == 1 ? "" : "s")"
        }
    }

    private static func names(ofReservedBits bits: UInt8) -> String {
        let names = [(4, "RSV1"), (2, "RSV2"), (1, "RSV3")].filter { bits & $0.0 != 0 }.map(\.1)
        return names.joined(separator: ", ")
    }
}
