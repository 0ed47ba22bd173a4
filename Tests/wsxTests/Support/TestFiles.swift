import Testing
import WSCore

/// Passes the path of a temporary file with these contents to `body`.
func withFile(_ contents: [UInt8], _ body: (String) throws -> Void) throws {
    let file = try TemporaryFile(at: "/tmp/wsx-test-", contents: contents)
    defer { file.remove() }
    try body(file.path)
}

/// The readable bytes of a buffer, as text.
func text(of buffer: borrowing ByteBuffer) -> String {
    buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Passes an idle loop to `body`.
func withIdleLoop(_ body: (EventLoop) throws -> Void) throws {
    try body(try EventLoop())
}
