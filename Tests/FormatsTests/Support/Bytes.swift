import WSCore

/// The readable bytes of a buffer, as text.
func text(of buffer: borrowing ByteBuffer) -> String {
    buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

/// The bytes that `decode` produces for a text.
func decodedBytes(of text: String, _ decode: (RawSpan, inout ByteBuffer) throws -> Void) throws -> [UInt8] {
    var buffer = ByteBuffer()
    try Array(text.utf8).withUnsafeBytes { try decode($0.bytes, &buffer) }
    return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
}
