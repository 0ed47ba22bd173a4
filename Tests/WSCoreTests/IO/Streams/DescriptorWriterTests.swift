import TestSupport
import Testing

@testable import WSCore

@Suite struct DescriptorWriterTests {
    @Test("a file receives everything at the end of the turn")
    func file() throws {
        try withTemporaryDirectory { directory in
            let output = try openFile("\(directory)/file", 1)
            defer { closeAll(output) }
            let bytes = pattern(3_000_000)
            try withWriter(to: output) { loop, writer, log in
                writer.append(bytes)
                writer.schedule()
                writer.schedule()
                expectEqual(writer.pendingBytes, bytes.count)
                loop.runOnce()
                expectEqual(writer.pendingBytes, 0)
                expectEqual(log.drainCount, 1)
                expectEmpty(log.errors)
            }
            try expectEqual(File.read("\(directory)/file"), bytes)
        }
    }

    @Test("the storage of a large message is released")
    func storage() throws {
        let output = try openFile("/dev/null", 1)
        defer { closeAll(output) }
        try withWriter(to: output) { _, writer, _ in
            writer.append(pattern(9_000_000))
            writer.flush()
            #expect(writer.buffer.storageBytes <= 4 << 20)
        }
    }

    @Test("a pipe with a slow reader receives everything in order, and the writer reports when it has drained")
    func slowReader() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd, ends.writeEnd) }
        setNonBlocking(ends.readEnd)
        try withWriter(to: ends.writeEnd) { loop, writer, log in
            let bytes = pattern(1_000_000)
            writer.append(Array(bytes.prefix(600_000)))
            writer.flush()
            #expect(writer.pendingBytes > 0)
            expectEqual(log.drainCount, 0)
            // The pipe has taken some of it.
            #expect(0 < writer.writtenBytes && writer.writtenBytes < 600_000 && writer.appendedBytes == 600_000)
            writer.append(Array(bytes.dropFirst(600_000)))
            expectEqual(writer.appendedBytes, bytes.count)
            writer.schedule()
            var read: [UInt8] = []
            let reading = Timer(on: loop) { read += readSome(ends.readEnd) }
            reading.start(after: .zero, every: .milliseconds(1))
            loop.run { read.count >= bytes.count && log.drainCount > 0 }
            expectEqual(read, bytes)
            #expect(writer.pendingBytes == 0 && writer.writtenBytes == bytes.count)
            expectEqual(log.drainCount, 1)
            expectFalse(isNonBlocking(ends.writeEnd))
        }
    }

    @Test("shared bytes are written in order between other bytes", arguments: [true, false])
    func shared(isFile: Bool) throws {
        let large = pattern(300_000)
        let shared = SharedBytes(buffer(of: large))
        let expected = [1] + large + [2] + large + [3]
        func append(to writer: DescriptorWriter) {
            for number in 1...2 as ClosedRange<UInt8> {
                writer.append([number])
                writer.append(shared)
            }
            writer.append([3])
            expectEqual(writer.pendingBytes, expected.count)
            expectEqual(writer.buffer.count, 1)
            writer.schedule()
        }
        if isFile {
            try withTemporaryDirectory { directory in
                let output = try openFile("\(directory)/file", 1)
                defer { closeAll(output) }
                try withWriter(to: output) { loop, writer, _ in
                    append(to: writer)
                    loop.runOnce()
                    expectEqual(writer.pendingBytes, 0)
                }
                try expectEqual(File.read("\(directory)/file"), expected)
            }
        } else {
            let ends = try makePipe()
            defer { closeAll(ends.readEnd, ends.writeEnd) }
            setNonBlocking(ends.readEnd)
            try withWriter(to: ends.writeEnd) { loop, writer, log in
                append(to: writer)
                var read: [UInt8] = []
                let reading = Timer(on: loop) { read += readSome(ends.readEnd) }
                reading.start(after: .zero, every: .milliseconds(1))
                loop.run { read.count >= expected.count && log.drainCount > 0 }
                expectEqual(read, expected)
                expectEqual(writer.pendingBytes, 0)
            }
        }
    }

    @Test("a closed reader is detected without a write, and reported once")
    func readerGone() throws {
        let ends = try makePipe()
        defer { closeAll(ends.writeEnd) }
        try withWriter(to: ends.writeEnd) { loop, writer, log in
            closeAll(ends.readEnd)
            loop.run { !log.errors.isEmpty }
            writer.append(Array("more".utf8))
            expectEqual(writer.pendingBytes, 0)
            writer.flush()
            loop.settle()
            expectEqual(log.errors, [.brokenPipe])
            expectEqual(writer.pendingBytes, 0)
        }
    }

    @Test("a reader that closes during a write is reported once, and pending bytes are discarded")
    func readerGoneDuringWrite() throws {
        for _ in 0..<5 {
            let ends = try makePipe()
            defer { closeAll(ends.writeEnd) }
            try withWriter(to: ends.writeEnd) { loop, writer, log in
                writer.append(pattern(1_000_000))
                writer.flush()
                loop.settle()
                closeAll(ends.readEnd)
                loop.run { !log.errors.isEmpty }
                expectEqual(log.errors, [.brokenPipe])
                expectEqual(writer.pendingBytes, 0)
            }
        }
    }

    @Test("a half-closed socket is still written to, as ssh half-closes it at the end of its input")
    func halfClosedSocket() throws {
        let (near, far) = try makeSocketPair()
        defer { closeAll(near, far) }
        try withWriter(to: near) { loop, writer, log in
            stopSending(far)
            loop.settle()
            expectEmpty(log.errors)
            writer.append(Array("reply".utf8))
            writer.flush()
            expectEqual(readSome(far), Array("reply".utf8))
        }
    }

    @Test("a closed descriptor fails at the first write")
    func closedDescriptor() throws {
        try withWriter(to: 1_000_000) { loop, writer, log in
            writer.append([1])
            writer.schedule()
            loop.runOnce()
            expectEqual(log.errors, [.badDescriptor])
            expectEqual(writer.pendingBytes, 0)
        }
    }

    @Test("a full disk is reported")
    func fullDisk() throws {
        let output = try openFile("/dev/full", 1)
        defer { closeAll(output) }
        try withWriter(to: output) { loop, writer, log in
            writer.append([1])
            writer.flush()
            expectEqual(log.errors, [IOError(code: -28)])
        }
    }

    @Test("a flush without data reports that the writer has drained")
    func emptyFlush() throws {
        let output = try openFile("/dev/null", 1)
        defer { closeAll(output) }
        try withWriter(to: output) { _, writer, log in
            writer.flush()
            expectEqual(log.drainCount, 1)
        }
    }

    private func withWriter(
        to descriptor: Int32, _ body: (EventLoop, DescriptorWriter, WriterLog) throws -> Void
    ) throws {
        try withLoop { loop in
            let log = WriterLog()
            let writer = try DescriptorWriter(descriptor: descriptor, on: loop)
            writer.didDrain = { log.drainCount += 1 }
            writer.didFail = { log.errors.append($0) }
            defer {
                writer.close()
                loop.runOnce()
            }
            try body(loop, writer, log)
        }
    }
}

private final class WriterLog {
    var drainCount = 0
    var errors: [IOError] = []
}

extension DescriptorWriter {
    fileprivate func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer.append($0.bytes) }
    }
}
