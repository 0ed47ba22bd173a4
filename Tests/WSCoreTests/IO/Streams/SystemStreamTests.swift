import Glibc
import TestSupport
import Testing

@testable import WSCore

/// Tests each transport with a stream and its peer on one loop.
@Suite struct SystemStreamTests {
    @Test("megabytes arrive intact, however much the kernel accepts per write", arguments: Transport.allCases)
    func largeWrite(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            let bytes = pattern(20_000_000)
            far.stream.startReading()
            try near.write(bytes)
            expectTrue(near.stream.isWriting)
            #expect(near.stream.inFlightBytes > 0)
            #expect(near.stream.inFlightBytes < bytes.count)
            loop.run { far.recorder.received.count >= bytes.count && near.recorder.drainCount > 0 }
            expectEqual(far.recorder.received, bytes)
            expectFalse(near.stream.isWriting)
            expectEqual(near.recorder.drainCount, 1)
        }
    }

    @Test("a write error that leaves the socket open ends the stream, also for a reader that only waits")
    func writeErrorOfOpenSocket() throws {
        try withLoop { loop in
            let (near, far) = try makeSocketPair()
            let end = StreamEnd(try SystemStream.open(descriptor: near, on: loop))
            end.stream.startReading()
            // send() fails with ENOTSOCK from now on.
            let file = open("/dev/null", O_WRONLY)
            try #require(dup2(file, near) == near)
            #expect(throws: StreamError.self) { try end.write([1]) }
            loop.run { end.recorder.readError != nil }
            #expect(end.recorder.readError == IOError(code: -ENOTSOCK) && !end.recorder.hasEnded)
            // Nothing follows the gap, and another reader learns of it, too.
            try #require(dup2(far, near) == near)
            #expect(throws: StreamError.self) { try end.write([2]) }
            end.recorder.readError = nil
            end.stream.startReading()
            loop.run { end.recorder.readError != nil }
            end.close()
            closeAll(far, file)
            loop.runOnce()
        }
    }

    @Test("the number of unsent bytes shrinks while the peer reads")
    func inFlightShrinks() throws {
        try withPair(.socketPair) { loop, near, far in
            try near.write(pattern(20_000_000))
            let before = near.stream.unsentBytes
            far.recorder.didChange = { stream in
                if far.recorder.received.count > 2_000_000 { stream.stopReading() }
            }
            far.stream.startReading()
            loop.run { far.recorder.received.count > 2_000_000 }
            loop.settle()
            expectTrue(near.stream.isWriting)
            #expect(near.stream.unsentBytes < before - 1_000_000)
            expectEqual(near.stream.inFlightBytes, before)
            #expect(near.stream.storageBytes >= 20_000_000)
            far.recorder.didChange = { _ in }
            far.stream.startReading()
            loop.run { near.recorder.drainCount == 1 }
            expectEqual(near.stream.storageBytes, 0)
        }
    }

    @Test("a stream with more data is read once per turn", arguments: Transport.allCases)
    func oneRead(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            var turns: [UInt64] = []
            far.recorder.didChange = { _ in turns.append(loop.turnCount) }
            let bytes = pattern(20_000_000)
            try near.write(bytes)
            far.stream.startReading()
            loop.run { far.recorder.received.count >= bytes.count }
            expectEqual(far.recorder.received, bytes)
            expectEqual(Set(turns).count, turns.count)
            expectNil(far.recorder.readError)
        }
    }

    @Test("data left when the peer closes is read, in as many turns as necessary", arguments: Transport.allCases)
    func restBeforeEnd(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            let bytes = pattern(EventLoop.readBufferBytes * 2)
            try near.write(bytes)
            near.stream.shutdown()
            loop.run { !near.stream.isWriting }
            far.stream.startReading()
            loop.run { far.recorder.hasEnded }
            expectEqual(far.recorder.received, bytes)
        }
    }

    @Test(
        "bytes written before the end arrive, however much the kernel accepts at once", arguments: Transport.allCases,
        [10, 20_000_000])
    func beforeEnd(transport: Transport, byteCount: Int) throws {
        try withPair(transport) { loop, near, far in
            let bytes = pattern(byteCount)
            var output = buffer(of: bytes)
            try near.stream.writeBeforeEnd(&output)
            near.stream.shutdown()
            far.stream.startReading()
            loop.run { far.recorder.hasEnded }
            expectEqual(far.recorder.received, bytes)
        }
    }

    @Test("shared bytes arrive intact and in order without a copy", arguments: Transport.allCases)
    func shared(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            let bytes = pattern(20_000_000)
            let shared = SharedBytes(buffer(of: bytes))
            let taken = try near.stream.write(shared, from: 5)
            expectEqual(taken, bytes.count - 5)
            #expect(near.stream.isWriting && near.stream.inFlightBytes > 0)
            #expect(near.stream.unsentBytes > 0)
            let takenMeanwhile = try near.stream.write(shared, from: 0)
            expectEqual(takenMeanwhile, 0)
            far.stream.startReading()
            loop.run { near.recorder.drainCount > 0 }
            #expect(near.stream.inFlightBytes == 0 && !near.stream.isWriting)
            try near.write([1, 2, 3])
            loop.run { far.recorder.received.count >= bytes.count - 2 }
            expectEqual(far.recorder.received, bytes.dropFirst(5) + [1, 2, 3])
        }
    }

    @Test("writing shared bytes to a closed peer fails")
    func sharedFailure() throws {
        try withPair(.socketPair) { loop, near, far in
            far.stream.close()
            loop.runOnce()
            let shared = SharedBytes(buffer(of: pattern(1000)))
            #expect(throws: StreamError.self) { _ = try near.stream.write(shared, from: 0) }
        }
    }

    @Test("bytes offered during a write stay in their buffer", arguments: Transport.allCases)
    func backpressure(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            let first = pattern(20_000_000)
            try near.write(first)
            var rest = ByteBuffer()
            rest.append("the rest")
            try near.stream.write(&rest)
            expectEqual(rest.count, 8)
            far.stream.startReading()
            loop.run { near.recorder.drainCount > 0 }
            try near.stream.write(&rest)
            expectEqual(rest.count, 0)
            loop.run { far.recorder.received.count >= first.count + 8 }
            expectEqual(far.recorder.received, first + Array("the rest".utf8))
        }
    }

    @Test(
        "shutdown() ends one direction after all writes, and the other stays open",
        arguments: Transport.allCases)
    func shutdown(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            let bytes = pattern(20_000_000)
            near.stream.startReading()
            far.stream.startReading()
            try near.write(bytes)
            near.stream.shutdown()
            loop.run { far.recorder.hasEnded }
            expectEqual(far.recorder.received, bytes)
            expectNil(far.recorder.readError)
            try far.write(Array("still here".utf8))
            loop.run { near.recorder.received.count == 10 }
            expectFalse(near.recorder.hasEnded)
        }
    }

    @Test(
        "data and the end that arrive while a stream is paused are read after it resumes", arguments: Transport.allCases
    )
    func endWhilePaused(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            try near.write(Array("last words".utf8))
            far.stream.startReading()
            loop.run { far.recorder.received.count == 10 }
            far.stream.stopReading()
            try near.write(Array(", and more".utf8))
            near.stream.close()
            loop.settle()
            #expect(far.recorder.received.count == 10 && !far.recorder.hasEnded)
            far.stream.startReading()
            loop.run { far.recorder.hasEnded }
            expectEqual(far.recorder.received, Array("last words, and more".utf8))
        }
    }

    @Test("a closed stream gets no events, even if another descriptor keeps its file open")
    func sharedFile() throws {
        try withLoop { loop in
            let (near, far) = try makeSocketPair()
            let copy = dup(near)
            defer { close(copy) }
            let (stream, peer) = (
                StreamEnd(try .open(descriptor: near, on: loop)), StreamEnd(try .open(descriptor: far, on: loop))
            )
            stream.stream.startReading()
            stream.close()
            try peer.write(Array("text".utf8))
            loop.settle()
            expectEmpty(stream.recorder.received)
            peer.close()
            loop.runOnce()
        }
    }

    @Test("all lines that a terminal has collected are read, though it returns one at a time")
    func terminalLines() throws {
        try withLoop { loop in
            var (main, terminal): (Int32, Int32) = (-1, -1)
            try #require(openpty(&main, &terminal, nil, nil, nil) == 0)
            defer { close(main) }
            let lines = "one\ntwo\nthree\n"
            expectEqual(write(main, lines, lines.utf8.count), lines.utf8.count)
            let end = StreamEnd(try .open(descriptor: terminal, on: loop))
            end.stream.startReading()
            loop.run { end.recorder.received.count == lines.utf8.count }
            expectEqual(end.recorder.received, Array(lines.utf8))
            end.close()
            loop.runOnce()
        }
    }

    @Test("data after urgent data is read without waiting for more")
    func urgentData() throws {
        try withLoop { loop in
            let (near, far) = try makeTCPSockets()
            defer { close(near) }
            for (text, flags) in [("first", 0), ("!", Int32(MSG_OOB)), ("second", 0)] {
                expectEqual(send(near, text, text.utf8.count, flags), text.utf8.count)
            }
            let end = StreamEnd(try .open(descriptor: far, on: loop))
            end.stream.startReading()
            loop.run { end.recorder.received.count == 11 }
            expectEqual(end.recorder.received, Array("firstsecond".utf8))
            end.close()
            loop.runOnce()
        }
    }

    @Test("all datagrams that wait in a socket are read")
    func datagrams() throws {
        try withLoop { loop in
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
            defer { close(ends[0]) }
            for text in ["one", "two", "three"] { expectEqual(write(ends[0], text, text.utf8.count), text.utf8.count) }
            let end = StreamEnd(try .open(descriptor: ends[1], on: loop))
            end.stream.startReading()
            loop.run { end.recorder.received.count == 11 }
            expectEqual(end.recorder.received, Array("onetwothree".utf8))
            end.close()
            loop.runOnce()
        }
    }

    @Test("closing a stream ends the peer's input", arguments: Transport.allCases)
    func endOfFile(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            far.stream.startReading()
            near.stream.close()
            near.stream.close()
            loop.run { far.recorder.hasEnded }
            expectTrue(near.stream.isClosed)
            expectNil(near.stream.delegate)
        }
    }

    @Test("a peer that closes with unread bytes resets the connection, which is a read error")
    func reset() throws {
        try withPair(.tcp) { loop, near, far in
            try near.write(Array("unread".utf8))
            loop.run { far.stream.hasUnreadBytes }
            far.stream.close()
            near.stream.startReading()
            loop.run { near.recorder.readError != nil }
            expectEqual(near.recorder.readError, .connectionReset)
            expectFalse(near.recorder.hasEnded)
        }
    }

    @Test("writing to a closed peer throws, and the bytes are lost", arguments: Transport.allCases)
    func writeAfterReset(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            try near.write(Array("unread".utf8))
            far.stream.close()
            var error: IOError?
            var buffer = ByteBuffer()
            // The first write after a reset reports the reset, the next one a broken pipe.
            loop.run {
                buffer.append("lost")
                do throws(StreamError) { try near.stream.write(&buffer) } catch let thrown {
                    error = IOError(of: thrown)
                }
                return error == .brokenPipe
            }
            expectEqual(buffer.count, 0)
        }
    }

    @Test("a write in progress fails when the peer closes", arguments: Transport.allCases)
    func failureInFlight(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            try near.write(pattern(20_000_000))
            expectTrue(near.stream.isWriting)
            far.stream.close()
            loop.run { near.recorder.writeError != nil }
            #expect(near.recorder.writeError == .connectionReset || near.recorder.writeError == .brokenPipe)
            expectFalse(near.stream.isWriting)
            expectEqual(near.stream.inFlightBytes, 0)
            expectEqual(near.recorder.drainCount, 0)
        }
    }

    @Test("closing a stream silently drops a write in progress", arguments: Transport.allCases)
    func closeWhileWriting(transport: Transport) throws {
        try withPair(transport) { loop, near, far in
            try near.write(pattern(20_000_000))
            near.stream.close()
            far.stream.startReading()
            loop.run { far.recorder.hasEnded || far.recorder.readError != nil }
            expectNil(near.recorder.writeError)
            expectEqual(near.recorder.drainCount, 0)
            #expect(far.recorder.received.count < 20_000_000)
        }
    }

    @Test("a closed stream ignores all calls")
    func closed() throws {
        try withPair(.socketPair) { loop, near, far in
            near.stream.close()
            try near.write(Array("nothing".utf8))
            near.stream.startReading()
            near.stream.stopReading()
            near.stream.shutdown()
            loop.settle()
            expectEmpty(near.recorder.received)
            expectEmpty(far.recorder.received)
        }
    }

    @Test("a closed stream releases its delegate and itself")
    func release() throws {
        weak var stream: SystemStream?
        weak var recorder: StreamRecorder?
        try withPair(.tcp) { _, near, _ in
            stream = near.stream
            recorder = near.recorder
        }
        expectNil(stream)
        expectNil(recorder)
    }

    private func withPair(
        _ transport: Transport, _ body: (EventLoop, StreamEnd, StreamEnd) throws -> Void
    ) throws {
        try withLoop { loop in
            let pair = try makeStreamPair(transport, on: loop)
            let (near, far) = (StreamEnd(pair.0), StreamEnd(pair.1))
            defer {
                near.close()
                far.close()
                loop.runOnce()
            }
            try body(loop, near, far)
        }
    }
}
