import TestSupport
import Testing

@testable import WSCore

@Suite struct ThrottledStreamTests {
    @Test("bytes arrive unchanged in both directions, no faster than the rate", arguments: Transport.allCases)
    func exchange(transport: Transport) throws {
        try withThrottled(1 << 20, transport) { loop, stream, recorder, raw in
            let bytes = pattern(400_000)
            let start = loop.now
            raw.stream.startReading()
            stream.startReading()
            try raw.write(bytes)
            try write(bytes, to: stream)
            #expect(stream.isWriting && stream.inFlightBytes > 200_000)
            loop.advance { recorder.received.count >= bytes.count && raw.recorder.received.count >= bytes.count }
            #expect(recorder.received == bytes && raw.recorder.received == bytes)
            // The first 100 ms of the rate are free.
            #expect(loop.now - start >= .milliseconds(270))
            loop.advance { recorder.drainCount == 1 }
            #expect(!stream.isWriting && stream.inFlightBytes == 0)
        }
    }

    @Test("shared bytes arrive intact, and few of them are copied")
    func shared() throws {
        try withThrottled(4 << 20) { loop, stream, recorder, raw in
            let bytes = pattern(1_000_000)
            let queue = WriteQueue()
            var none = ByteBuffer()
            queue.append(SharedBytes(buffer(of: bytes)), after: &none)
            recorder.didChange = { stream in
                _ = try? stream.write(queue)
                #expect(stream.inFlightBytes <= 64 << 10)
            }
            recorder.didChange(stream)
            #expect(queue.count > 0 && queue.count < bytes.count - (64 << 10))
            raw.stream.startReading()
            loop.run { raw.recorder.received.count >= bytes.count }
            expectEqual(raw.recorder.received, bytes)
        }
    }

    @Test("a small write completes immediately without a drain event")
    func small() throws {
        try withThrottled(1 << 20) { loop, stream, recorder, raw in
            raw.stream.startReading()
            try write([1, 2, 3], to: stream)
            expectFalse(stream.isWriting)
            loop.run { raw.recorder.received.count == 3 }
            expectEqual(recorder.drainCount, 0)
        }
    }

    @Test("a write waits for the previous one")
    func second() throws {
        try withThrottled(100_000) { loop, stream, _, raw in
            try write(pattern(50_000), to: stream)
            var buffer = ByteBuffer()
            [UInt8(9)].withUnsafeBytes { buffer.append($0.bytes) }
            try stream.write(&buffer)
            let leftBytes = buffer.count
            expectEqual(leftBytes, 1)
        }
    }

    @Test("shutdown() takes effect after all output")
    func shutdown() throws {
        try withThrottled(1 << 20) { loop, stream, _, raw in
            raw.stream.startReading()
            try write(pattern(300_000), to: stream)
            stream.shutdown()
            loop.run { raw.recorder.hasEnded }
            expectEqual(raw.recorder.received, pattern(300_000))
        }
    }

    @Test("close() takes effect immediately and releases the delegate")
    func close() throws {
        try withThrottled(1000) { loop, stream, recorder, raw in
            raw.stream.startReading()
            try write(pattern(100_000), to: stream)
            stream.close()
            #expect(stream.isClosed && !stream.isWriting && stream.inFlightBytes == 0 && stream.delegate == nil)
            loop.run { raw.recorder.hasEnded }
            #expect(raw.recorder.received.count <= 100)
            expectEqual(recorder.lastWordCount, 0)
        }
    }

    @Test("a dead peer is reported as a write or read failure")
    func gone() throws {
        try withThrottled(100_000) { loop, stream, recorder, raw in
            stream.startReading()
            try write(pattern(100_000), to: stream)
            raw.stream.close()
            loop.run { recorder.writeError != nil || recorder.lastWordCount > 0 }
        }
    }

    @Test("all data a dead peer has sent is delivered, even if that exceeds the close timeout")
    func goneWithInputHeld() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let raw = StreamEnd(far)
            let watch = DeadPeerDetector(on: loop, interval: .milliseconds(5))
            let connection = Connection(
                ThrottledStream(near, bytesPerSecond: 200_000, watch: watch),
                settings: .init(role: .server, limits: Limits(), closeTimeout: .milliseconds(20)),
                resources: ConnectionResources(on: loop), handler: RecordingPeer())
            connection.start()
            // Unread bytes make closing the socket reset the connection.
            connection.send("unread")
            for _ in 0..<60 { try raw.write(masked(frame(0x82, pattern(1000)))) }
            loop.run { connection.handler.messageCount > 0 && raw.stream.hasUnreadBytes && !raw.stream.isWriting }
            raw.stream.close()
            loop.advance { connection.handler.end != nil }
            expectEqual(connection.handler.messageCount, 60)
            expectEqual(connection.handler.end?.failure.map { IOError(of: $0) }, .connectionReset)
            loop.runOnce()
        }
    }

    private func write(_ bytes: [UInt8], to stream: ThrottledStream) throws {
        var buffer = ByteBuffer()
        bytes.withUnsafeBytes { buffer.append($0.bytes) }
        try stream.write(&buffer)
        let leftBytes = buffer.count
        expectEqual(leftBytes, 0)
    }

    private func withThrottled(
        _ bytesPerSecond: Int, _ transport: Transport = .socketPair,
        _ body: (EventLoop, ThrottledStream, StreamRecorder, StreamEnd) throws -> Void
    ) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(transport, on: loop)
            let raw = StreamEnd(far)
            let stream = ThrottledStream(near, bytesPerSecond: bytesPerSecond, watch: DeadPeerDetector(on: loop))
            let recorder = StreamRecorder()
            stream.delegate = recorder
            try body(loop, stream, recorder, raw)
            recorder.didChange = { _ in }
            stream.close()
            expectTrue(near.isClosed)
            raw.close()
            loop.runOnce()
        }
    }
}
