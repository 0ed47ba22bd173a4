import Testing
import WSCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Gives `body` the path of a file with these contents, which is removed afterwards.
func withFile(_ contents: [UInt8], _ body: (String) throws -> Void) throws {
    // mkstemp fills the six Xs in with a name that is free.
    var template = Array("/tmp/wsx-test-XXXXXX".utf8CString)
    let descriptor = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map { mkstemp($0) } }
    let file = try #require(descriptor)
    try #require(file >= 0)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { _ = unlink(path) }
    let count = contents.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    _ = close(file)
    try #require(count == contents.count)
    try body(path)
}

/// The readable bytes of a buffer, as text.
func text(of buffer: borrowing ByteBuffer) -> String {
    buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

/// The bytes that `decode` makes of a text.
func decodedBytes(of text: String, _ decode: (RawSpan, inout ByteBuffer) throws -> Void) throws -> [UInt8] {
    var buffer = ByteBuffer()
    try Array(text.utf8).withUnsafeBytes { try decode($0.bytes, &buffer) }
    return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
}

/// Gives `body` a loop that nothing runs on.
func withIdleLoop(_ body: (EventLoop) throws -> Void) throws {
    try body(try EventLoop())
}
