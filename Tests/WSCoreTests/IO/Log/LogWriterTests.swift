import Testing

@testable import WSCore

@Suite struct LogWriterTests {
    @Test("a file has what was written when the call returns")
    func file() throws {
        try withTemporaryDirectory { directory in
            let output = try openFile("\(directory)/file", 1)
            defer { closeAll(output) }
            withLog(NonblockingDescriptor(output)) { log in
                log.write("one\ntwo\n")
                #expect((try? File.read("\(directory)/file")) == Array("one\ntwo\n".utf8))
            }
        }
    }

    @Test("a pipe that nobody reads has nobody wait, and its lines come whole and in order", arguments: Way.allCases)
    func fullPipe(way: Way) throws {
        let ends = try way.makeEnds()
        defer { closeAll(ends.readEnd) }
        withLog(way.descriptor(ends.writeEnd)) { log in
            let lines = Self.lines(3_000)
            for line in lines { log.write(line) }
            #expect(!isNonBlocking(ends.writeEnd))
            let text = lines.joined()
            #expect(text.utf8.count > 200_000)
            #expect(readAll(ends.readEnd, count: text.utf8.count) == text)
        }
        closeAll(ends.writeEnd)
    }

    @Test("what exceeds the queue is dropped by the line, and when it is empty again a line says how many")
    func loss() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        withLog(NonblockingDescriptor(ends.writeEnd), queueLimitBytes: 10_000) { log in
            let lines = Self.lines(3_000)
            // In one piece and line by line.
            log.write(lines[..<2_000].joined())
            for line in lines[2_000...] { log.write(line) }
            var text = ""
            while !text.contains("lost") { text += String(decoding: readSome(ends.readEnd), as: UTF8.self) }
            let read = text.split(separator: "\n").map { "\($0)\n" }
            let kept = read.dropLast()
            #expect(Array(kept) == Array(lines[..<kept.count]))
            #expect(text.utf8.count > 65_536 + 9_000 && text.utf8.count < 65_536 + 11_000)
            #expect(read.last == "\(lines.count - kept.count) lost\n")
            log.write("after\n")
            #expect(readAll(ends.readEnd, count: 6) == "after\n")
        }
        closeAll(ends.writeEnd)
    }

    @Test("a line that is longer than what a pipe takes at once is not cut")
    func longLine() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        withLog(NonblockingDescriptor(ends.writeEnd), queueLimitBytes: 100_010) { log in
            let long = String(repeating: "x", count: 100_000) + "\n"
            log.write(long)
            for _ in 0..<10_000 { log.write("some\n") }
            #expect(readAll(ends.readEnd, count: long.utf8.count) == long)
        }
        closeAll(ends.writeEnd)
    }

    @Test(
        "a line that is longer than the queue is dropped and counted, however it could be written",
        arguments: Way.allCases)
    func lineLongerThanQueue(way: Way) throws {
        let ends = try way.makeEnds()
        defer { closeAll(ends.readEnd) }
        withLog(way.descriptor(ends.writeEnd), queueLimitBytes: 1_000) { log in
            log.write("before\n" + String(repeating: "x", count: 1_000) + "\n")
            #expect(readAll(ends.readEnd, count: 14) == "before\n1 lost\n")
            // What has just been read may still be in the queue.
            log.drain()
            log.write(String(repeating: "y", count: 999) + "\n")
            #expect(readAll(ends.readEnd, count: 1_000).utf8.count == 1_000)
        }
        closeAll(ends.writeEnd)
    }

    @Test("several threads write whole lines, each in its order")
    func threads() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        try withLog(NonblockingDescriptor(ends.writeEnd)) { log in
            let count = 2_000
            let threads = try (0..<4).map { name in
                try LoopThread { for number in 0..<count { log.write("\(name) \(number)\n") } }
            }
            for thread in threads { thread.join() }
            var text = ""
            while text.split(separator: "\n").count < 4 * count || !text.hasSuffix("\n") {
                text += String(decoding: readSome(ends.readEnd), as: UTF8.self)
            }
            let lines = text.split(separator: "\n")
            for name in 0..<4 {
                let own = lines.filter { $0.hasPrefix("\(name) ") }
                #expect(own == (0..<count).map { "\(name) \($0)" })
            }
        }
        closeAll(ends.writeEnd)
    }

    @Test("where nobody can read any more, nothing waits and nothing fails", arguments: Way.allCases)
    func readerGone(way: Way) throws {
        try withLoop { _ in
            let ends = try way.makeEnds()
            withLog(way.descriptor(ends.writeEnd)) { log in
                for line in Self.lines(3_000) { log.write(line) }
                closeAll(ends.readEnd)
                log.drain(patience: .seconds(10), limit: .seconds(10))
                log.write("more\n")
                log.drain(patience: .seconds(10), limit: .seconds(10))
                #expect(!log.isBusy)
            }
            closeAll(ends.writeEnd)
        }
    }

    @Test("draining waits for a slow reader, and not for one that does not read")
    func drain() throws {
        let ends = try makePipe()
        withLog(NonblockingDescriptor(ends.writeEnd)) { log in
            let text = Self.lines(10_000).joined()
            log.write(text)
            log.drain(patience: .milliseconds(20), limit: .seconds(60))
            let reading = try? LoopThread {
                // In pieces, each of which shows that somebody reads.
                #expect(readAll(ends.readEnd, count: text.utf8.count, limit: 4096) == text)
            }
            log.drain(patience: .seconds(60), limit: .seconds(60))
            log.write("end\n")
            reading?.join()
            #expect(readAll(ends.readEnd, count: 4) == "end\n")
        }
        closeAll(ends.readEnd, ends.writeEnd)
    }

    @Test("a writer is busy while its queue is half full and somebody reads")
    func busy() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        withLog(NonblockingDescriptor(ends.writeEnd)) { log in
            #expect(!log.isBusy)
            let text = Self.lines(10_000).joined()
            log.write(text)
            #expect(log.isBusy)
            #expect(readAll(ends.readEnd, count: text.utf8.count) == text)
            #expect(!log.isBusy)
        }
        closeAll(ends.writeEnd)
    }

    /// What stands behind the descriptor.
    enum Way: CaseIterable {
        case pipe, socket
        /// A pipe that cannot be opened a second time, as that of another user.
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

    /// Numbered lines of different lengths, none of which divides a pipe's size.
    private static func lines(_ count: Int) -> [String] {
        (0..<count).map { "line \($0) \(String(repeating: "x", count: $0 % 131))\n" }
    }
}

/// Gives `body` a log that is ended afterwards; by then the pipe is empty or nobody can read it.
private func withLog<E: Error>(
    _ descriptor: consuming NonblockingDescriptor, queueLimitBytes: Int = LogWriter.queueLimitBytes,
    _ body: (LogWriter) throws(E) -> Void
) throws(E) {
    let log = LogWriter(descriptor, queueLimitBytes: queueLimitBytes) { "\($0) lost\n" }
    defer { log.close() }
    try body(log)
}

/// Reads so many bytes, at most `limit` at a time.
private func readAll(_ descriptor: Int32, count: Int, limit: Int = 65_536) -> String {
    var bytes: [UInt8] = []
    while bytes.count < count {
        let piece = readSome(descriptor, limit: min(limit, count - bytes.count))
        guard !piece.isEmpty else { break }
        bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
}
