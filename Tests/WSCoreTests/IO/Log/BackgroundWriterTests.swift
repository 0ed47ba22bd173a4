import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct BackgroundWriterTests {
    @Test("pieces of several threads arrive whole")
    func pieces() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            let writer = try BackgroundWriter(to: try OutputFile(creating: path))
            let pieces = (0..<4).map { Array(String(repeating: "\($0)", count: 999).utf8) + [10] }
            let threads = try pieces.map { piece in
                try Thread { for _ in 0..<100 where !writer.write(piece) { Issue.record("the queue has room") } }
            }
            for thread in threads { thread.join() }
            expectEqual(writer.finish(), .complete)
            let lines = try File.read(path).split(separator: 10)
            expectEqual(lines.count, 400)
            expectTrue(lines.allSatisfy { Set($0).count == 1 && $0.count == 999 })
            expectFalse(writer.write([1]))
        }
    }

    @Test("an error is the outcome, and refuses further pieces")
    func error() throws {
        let writer = try BackgroundWriter(to: try OutputFile(creating: "/dev/full"))
        expectTrue(writer.write([1]))
        expectEqual(writer.finish(), .failed(IOError(code: -28)))
        expectFalse(writer.write([1]))
    }

    @Test("a file that accepts nothing blocks no writer, only fills the queue, and ends the wait")
    func stall() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/pipe"
            expectEqual(mkfifo(path, 0o600), 0)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { closeAll(reader) }
            let writer = try BackgroundWriter(to: try OutputFile(creating: path), queueLimitBytes: 1 << 20)
            let piece = [UInt8](repeating: 1, count: 1 << 18)
            var count = 0
            while count < 100, writer.write(piece) { count += 1 }
            // The queue, and what the thread has taken from it.
            #expect(4...8 ~= count)
            expectEqual(writer.finish(stallTimeout: .milliseconds(1)), .stalled)
            // Lets the thread end.
            while case .stalled = writer.finish(stallTimeout: .milliseconds(1)) { _ = readSome(reader) }
        }
    }
}
