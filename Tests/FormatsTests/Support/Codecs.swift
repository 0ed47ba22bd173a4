import WSCore

@testable import Formats

/// The bytes of hexadecimal digits, which may be grouped by blanks.
func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.filter { $0 != " " }.utf8.map { HexDigits.value($0) ?? 0 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The hexadecimal digits of bytes.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

extension Codec {
    /// Decodes a message with a chain of this codec alone.
    func json(_ message: [UInt8], limitBytes: Int = 1 << 20) throws(CodecProblem) -> String {
        var output = ByteBuffer()
        switch self {
        case .messagePack: try MessagePack.decode(message.span.bytes, into: &output, limitBytes: limitBytes)
        case .cbor: try CBOR.decode(message.span.bytes, into: &output, limitBytes: limitBytes)
        default: try CompactJSON.append(message.span.bytes, to: &output)
        }
        return text(of: output)
    }

    /// Encodes a text.
    func message(_ json: String) throws(CodecProblem) -> [UInt8] {
        var output = ByteBuffer()
        let text = Array(json.utf8)
        if self == .cbor {
            try CBOR.encode(text.span.bytes, to: &output)
        } else {
            try MessagePack.encode(text.span.bytes, to: &output)
        }
        return output.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }
}
