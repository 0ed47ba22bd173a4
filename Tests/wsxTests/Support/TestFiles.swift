import Testing
import WSCore

/// Gives `body` the path of a file with these contents, which is removed afterwards.
func withFile(_ contents: [UInt8], _ body: (String) throws -> Void) throws {
    let file = try TemporaryFile(at: "/tmp/wsx-test-", contents: contents)
    defer { file.remove() }
    try body(file.path)
}

/// The readable bytes of a buffer, as text.
func text(of buffer: borrowing ByteBuffer) -> String {
    buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Gives `body` a loop that nothing runs on.
func withIdleLoop(_ body: (EventLoop) throws -> Void) throws {
    try body(try EventLoop())
}
