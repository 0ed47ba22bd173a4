import TestSupport
import Testing

@testable import WSCore

@Suite struct LogWriterTests {
    @Test("a line is in the file when the call returns")
    func file() throws {
        try withTemporaryDirectory { directory in
            let output = try openFile("\(directory)/file", 1)
            defer { closeAll(output) }
            withLog(NonblockingDescriptor(output)) { log in
                log.write("one\ntwo\n")
                expectEqual(try? File.read("\(directory)/file"), Array("one\ntwo\n".utf8))
            }
        }
    }

    @Test("a full pipe blocks no writer, and its lines arrive complete and in order", arguments: Way.allCases)
    func fullPipe(way: Way) throws {
        let ends = try way.makeEnds()
        defer { closeAll(ends.readEnd) }
        withLog(way.descriptor(ends.writeEnd)) { log in
            let lines = Self.lines(3_000)
            for line in lines { log.write(line) }
            expectFalse(isNonBlocking(ends.writeEnd))
            let text = lines.joined()
            #expect(text.utf8.count > 200_000)
            expectEqual(readAll(ends.readEnd, count: text.utf8.count), text)
        }
        closeAll(ends.writeEnd)
    }

    @Test("lines that exceed the queue are dropped, and a notice reports their number when the queue is empty")
    func loss() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        withLog(NonblockingDescriptor(ends.writeEnd), queueLimitBytes: 10_000) { log in
            let lines = Self.lines(3_000)
            // Both in one piece and line by line.
            log.write(lines[..<2_000].joined())
            for line in lines[2_000...] { log.write(line) }
            var text = ""
            while !text.contains("lost") { text += String(decoding: readSome(ends.readEnd), as: UTF8.self) }
            let read = text.split(separator: "\n").map { "\($0)\n" }
            let kept = read.dropLast()
            expectEqual(Array(kept), Array(lines[..<kept.count]))
            #expect(text.utf8.count > 65_536 + 9_000 && text.utf8.count < 65_536 + 11_000)
            expectEqual(read.last, "\(lines.count - kept.count) lost\n")
            log.write("after\n")
            expectEqual(readAll(ends.readEnd, count: 6), "after\n")
        }
        closeAll(ends.writeEnd)
    }

    @Test("a line longer than an atomic pipe write is not cut")
    func longLine() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        withLog(NonblockingDescriptor(ends.writeEnd), queueLimitBytes: 100_010) { log in
            let long = String(repeating: "x", count: 100_000) + "\n"
            log.write(long)
            for _ in 0..<10_000 { log.write("some\n") }
            expectEqual(readAll(ends.readEnd, count: long.utf8.count), long)
        }
        closeAll(ends.writeEnd)
    }

    @Test(
        "a line longer than the queue is dropped and counted, even if it could be written immediately",
        arguments: Way.allCases)
    func lineLongerThanQueue(way: Way) throws {
        let ends = try way.makeEnds()
        defer { closeAll(ends.readEnd) }
        withLog(way.descriptor(ends.writeEnd), queueLimitBytes: 1_000) { log in
            log.write("before\n" + String(repeating: "x", count: 1_000) + "\n")
            expectEqual(readAll(ends.readEnd, count: 14), "before\n1 lost\n")
            // The line just read may still be in the queue.
            log.drain()
            log.write(String(repeating: "y", count: 999) + "\n")
            expectEqual(readAll(ends.readEnd, count: 1_000).utf8.count, 1_000)
        }
        closeAll(ends.writeEnd)
    }

    @Test("several threads write complete lines, each thread's in order")
    func threads() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        try withLog(NonblockingDescriptor(ends.writeEnd)) { log in
            let count = 2_000
            let threads = try (0..<4).map { name in
                try Thread { for number in 0..<count { log.write("\(name) \(number)\n") } }
            }
            for thread in threads { thread.join() }
            var text = ""
            while text.split(separator: "\n").count < 4 * count || !text.hasSuffix("\n") {
                text += String(decoding: readSome(ends.readEnd), as: UTF8.self)
            }
            let lines = text.split(separator: "\n")
            for name in 0..<4 {
                let own = lines.filter { $0.hasPrefix("\(name) ") }
                expectEqual(own, (0..<count).map { "\(name) \($0)" })
            }
        }
        closeAll(ends.writeEnd)
    }

    @Test("without a reader, writes neither block nor fail", arguments: Way.allCases)
    func readerGone(way: Way) throws {
        try withLoop { _ in
            let ends = try way.makeEnds()
            withLog(way.descriptor(ends.writeEnd)) { log in
                for line in Self.lines(3_000) { log.write(line) }
                closeAll(ends.readEnd)
                log.drain(stallTimeout: .seconds(10), limit: .seconds(10))
                log.write("more\n")
                log.drain(stallTimeout: .seconds(10), limit: .seconds(10))
                expectFalse(log.isBusy)
            }
            closeAll(ends.writeEnd)
        }
    }

    @Test("draining waits for a slow reader, but not for a stalled one")
    func drain() throws {
        let ends = try makePipe()
        withLog(NonblockingDescriptor(ends.writeEnd)) { log in
            let text = Self.lines(10_000).joined()
            log.write(text)
            log.drain(stallTimeout: .milliseconds(20), limit: .seconds(60))
            let reading = try? Thread {
                // In small pieces, each of which shows that the reader makes progress.
                expectEqual(readAll(ends.readEnd, count: text.utf8.count, limit: 4096), text)
            }
            log.drain(stallTimeout: .seconds(60), limit: .seconds(60))
            log.write("end\n")
            reading?.join()
            expectEqual(readAll(ends.readEnd, count: 4), "end\n")
        }
        closeAll(ends.readEnd, ends.writeEnd)
    }

    @Test("a writer is busy while its queue is half full and its reader makes progress")
    func busy() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        withLog(NonblockingDescriptor(ends.writeEnd)) { log in
            expectFalse(log.isBusy)
            let text = Self.lines(10_000).joined()
            log.write(text)
            expectTrue(log.isBusy)
            expectEqual(readAll(ends.readEnd, count: text.utf8.count), text)
            expectFalse(log.isBusy)
        }
        closeAll(ends.writeEnd)
    }

    /// The type of the descriptor.
    enum Way: CaseIterable {
        case pipe, socket
        /// A pipe that cannot be reopened, such as another user's.
        case foreignPipe

        func makeEnds() throws -> (readEnd: Int32, writeEnd: Int32) {
            guard self == .socket else { return try makePipe() }
            let (near, far) = try makeSocketPair()
            return (far, near)
        }

        func descriptor(_ writeEnd: Int32) -> NonblockingDescriptor {
            NonblockingDescriptor(writeEnd, opensAgain: self != .foreignPipe)
        }
    }

    /// Numbered lines of different lengths. No length divides a pipe's capacity.
    private static func lines(_ count: Int) -> [String] {
        (0..<count).map { "line \($0) \(String(repeating: "x", count: $0 % 131))\n" }
    }
}

/// Passes a log to `body` and closes it afterwards. By then the pipe must be empty or without a reader.
private func withLog<E: Error>(
    _ descriptor: consuming NonblockingDescriptor, queueLimitBytes: Int = LogWriter.queueLimitBytes,
    _ body: (LogWriter) throws(E) -> Void
) throws(E) {
    let log = LogWriter(descriptor, queueLimitBytes: queueLimitBytes) { "\($0) lost\n" }
    defer { log.close() }
    try body(log)
}

/// Reads `count` bytes, at most `limit` per read.
private func readAll(_ descriptor: Int32, count: Int, limit: Int = 65_536) -> String {
    var bytes: [UInt8] = []
    while bytes.count < count {
        let piece = readSome(descriptor, limit: min(limit, count - bytes.count))
        guard !piece.isEmpty else { break }
        bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
}
