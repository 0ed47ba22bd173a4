import Glibc
import Testing
import WSCore

/// Done once per process, as in the program.
let preparation: Void = StandardDescriptors.prepare()

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
    let loop = try EventLoop()
    defer { loop.settle() }
    try body(loop)
}

/// Passes the path of a named pipe and the descriptor that reads it, which `body` closes, to `body`.
func withPipe(_ body: (String, Int32) throws -> Void) throws {
    try withFile([]) { path in
        let pipe = path + ".pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        try body(pipe, reader)
    }
}
