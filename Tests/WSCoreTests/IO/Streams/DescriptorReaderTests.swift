import TestSupport
import Testing

@testable import WSCore

@Suite struct DescriptorReaderTests {
    @Test("a pipe is read to its end as bytes arrive")
    func pipe() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        try withReader(of: ends.readEnd) { loop, log in
            writeAll(Array("one".utf8), to: ends.writeEnd)
            loop.run { log.received.count == 3 }
            writeAll(Array("two".utf8), to: ends.writeEnd)
            loop.run { log.received.count == 6 }
            expectFalse(log.isFinished)
            closeAll(ends.writeEnd)
            loop.run { log.isFinished }
            expectEqual(log.received, Array("onetwo".utf8))
            expectNil(log.error)
        }
    }

    @Test("a socket is read to its end")
    func socket() throws {
        let (near, far) = try makeSocketPair()
        defer { closeAll(near) }
        try withReader(of: near) { loop, log in
            writeAll(Array("bytes".utf8), to: far)
            closeAll(far)
            loop.run { log.isFinished }
            expectEqual(log.received, Array("bytes".utf8))
        }
    }

    @Test("a file larger than the read buffer is read whole and in order")
    func file() throws {
        try withTemporaryDirectory { directory in
            let bytes = pattern(300_001)
            let output = try openFile("\(directory)/file", 1)
            writeAll(bytes, to: output)
            closeAll(output)
            let input = try openForReading("\(directory)/file")
            defer { closeAll(input) }
            try withReader(of: input) { loop, log in
                loop.run { log.isFinished }
                expectEqual(log.received, bytes)
                expectNil(log.error)
                expectEqual(log.pieceCount, 5)
            }
        }
    }

    @Test("/dev/null ends immediately")
    func null() throws {
        let input = try openForReading("/dev/null")
        defer { closeAll(input) }
        try withReader(of: input) { loop, log in
            loop.run { log.isFinished }
            expectEmpty(log.received)
            expectNil(log.error)
        }
    }

    @Test("reading a closed descriptor ends with a single error")
    func closed() throws {
        try withReader(of: 1_000_000) { loop, log in
            loop.run { log.isFinished }
            expectEqual(log.error, .badDescriptor)
            loop.settle()
            expectEqual(log.finishCount, 1)
        }
    }

    @Test("reading a directory is an error")
    func directory() throws {
        let input = try openForReading("/tmp")
        defer { closeAll(input) }
        try withReader(of: input) { loop, log in
            loop.run { log.isFinished }
            expectEqual(log.error, IOError(code: -21))
        }
    }

    @Test("a paused reader reads nothing, and everything after it resumes", arguments: [true, false])
    func pausing(isFile: Bool) throws {
        try withTemporaryDirectory { directory in
            let bytes = pattern(200_000)
            let output = try openFile("\(directory)/file", 1)
            writeAll(bytes, to: output)
            closeAll(output)
            let ends = try makePipe()
            if !isFile {
                writeAll(Array(bytes.prefix(65536)), to: ends.writeEnd)
                closeAll(ends.writeEnd)
            }
            let input = isFile ? try openForReading("\(directory)/file") : ends.readEnd
            defer { closeAll(input) }
            try withReader(of: input, pausesAfterEachPiece: true) { loop, log in
                loop.run { log.pieceCount == 1 }
                loop.settle()
                expectEqual(log.pieceCount, 1)
                expectFalse(log.isFinished)
                log.pausesAfterEachPiece = false
                log.reader?.start()
                loop.run { log.isFinished }
                expectEqual(log.received, (isFile ? bytes : Array(bytes.prefix(65536))))
            }
        }
    }

    @Test("a reader closed inside its callback reads no more", arguments: [true, false])
    func closeInside(isFile: Bool) throws {
        try withTemporaryDirectory { directory in
            let output = try openFile("\(directory)/file", 1)
            writeAll(pattern(200_000), to: output)
            closeAll(output)
            let ends = try makePipe()
            writeAll(pattern(65536), to: ends.writeEnd)
            let input = isFile ? try openForReading("\(directory)/file") : ends.readEnd
            defer { closeAll(input, ends.writeEnd) }
            try withReader(of: input, closesAfterFirstPiece: true) { loop, log in
                loop.run { log.pieceCount > 0 }
                loop.settle()
                expectEqual(log.pieceCount, 1)
                expectFalse(log.isFinished)
            }
        }
    }

    @Test("a released reader of a file reads no more")
    func released() throws {
        try withTemporaryDirectory { directory in
            let output = try openFile("\(directory)/file", 1)
            writeAll(pattern(10), to: output)
            closeAll(output)
            let input = try openForReading("\(directory)/file")
            defer { closeAll(input) }
            try withLoop { loop in
                var reader: DescriptorReader? = try DescriptorReader(
                    descriptor: input, on: loop, receive: { _ in Issue.record("it was read") },
                    finish: { _ in Issue.record("it ended") })
                reader?.start()
                reader = nil
                loop.settle()
            }
        }
    }

    @Test("the shared mode of the descriptor is not changed")
    func leavesModeAlone() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd, ends.writeEnd) }
        try withReader(of: ends.readEnd) { loop, _ in
            loop.runOnce()
            expectFalse(isNonBlocking(ends.readEnd))
        }
    }

    private func withReader(
        of descriptor: Int32, pausesAfterEachPiece: Bool = false, closesAfterFirstPiece: Bool = false,
        _ body: (EventLoop, ReaderLog) throws -> Void
    ) throws {
        try withLoop { loop in
            let log = ReaderLog()
            log.pausesAfterEachPiece = pausesAfterEachPiece
            let reader = try DescriptorReader(
                descriptor: descriptor, on: loop,
                receive: { piece in
                    piece.withUnsafeBytes { log.received.append(contentsOf: $0) }
                    log.pieceCount += 1
                    if log.pausesAfterEachPiece { log.reader?.pause() }
                    if closesAfterFirstPiece { log.reader?.close() }
                },
                finish: { error in
                    log.finishCount += 1
                    log.error = error
                })
            log.reader = reader
            defer {
                reader.close()
                log.reader = nil
                loop.runOnce()
            }
            loop.settle()
            expectEqual(log.pieceCount, 0)
            reader.start()
            try body(loop, log)
        }
    }
}

private final class ReaderLog {
    var reader: DescriptorReader?
    var pausesAfterEachPiece = false
    var received: [UInt8] = []
    var pieceCount = 0
    var finishCount = 0
    var error: IOError?
    var isFinished: Bool { finishCount > 0 }
}
