import TestSupport
import Testing

@testable import WSCore

@Suite struct LingeringCloseTests {
    @Test("the last bytes arrive even if input from the peer was not read", arguments: Transport.allCases)
    func lastWords(transport: Transport) throws {
        try withDrain(transport, words: Array("last words".utf8), closesOwnSide: true, before: pattern(300_000)) {
            loop, raw, isDone in
            raw.stream.startReading()
            loop.run { raw.recorder.hasEnded }
            expectEqual(raw.recorder.received, Array("last words".utf8))
            expectNil(raw.recorder.readError)
            expectFalse(isDone())
            raw.stream.close()
            loop.run(until: isDone)
        }
    }

    @Test("RFC 6455 §7.1.1: a client waits up to one second for the server to close")
    func waits() throws {
        try withDrain(words: [1], closesOwnSide: false) { loop, raw, isDone in
            raw.stream.startReading()
            loop.advance(by: .milliseconds(300))
            expectFalse(raw.recorder.hasEnded)
            expectFalse(isDone())
            loop.advance(until: isDone)
            loop.run { raw.recorder.hasEnded }
        }
    }

    @Test("a peer that has shut down its sending side still receives a large output")
    func halfClosedPeer() throws {
        try withDrain(words: pattern(5_000_000), closesOwnSide: true) { loop, raw, isDone in
            raw.stream.shutdown()
            loop.settle()
            raw.stream.startReading()
            loop.run { raw.recorder.hasEnded }
            expectEqual(raw.recorder.received, pattern(5_000_000))
            loop.run(until: isDone)
        }
    }

    @Test("a peer that does not read is disconnected after the limit")
    func silentPeer() throws {
        try withDrain(words: pattern(5_000_000), closesOwnSide: true) { loop, _, isDone in
            loop.advance(by: .milliseconds(400))
            expectFalse(isDone())
            loop.advance(until: isDone)
        }
    }

    @Test("a dead peer ends the close immediately", arguments: Transport.allCases)
    func gone(transport: Transport) throws {
        // The limit would be one second.
        try expectFastest(under: .milliseconds(500)) {
            var duration = Duration.zero
            try withDrain(transport, words: [1], closesOwnSide: true) { loop, raw, isDone in
                raw.stream.close()
                let start = loop.now
                loop.run(until: isDone)
                duration = loop.now - start
            }
            return duration
        }
    }

    @Test("output is requested piece by piece and counted", arguments: Transport.allCases)
    func refilled(transport: Transport) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(transport, on: loop)
            let raw = StreamEnd(far)
            let words = pattern(10_000_001)
            let pieceBytes = 100_000
            var output = ByteBuffer()
            output.append("head")
            var (askedBytes, writtenBytes): (Int, Int?) = (0, nil)
            _ = LingeringClose(near, output: output, closesOwnSide: true) { output, _ in
                let isEmpty = output.isEmpty
                expectTrue(isEmpty)
                let piece = words[askedBytes..<min(askedBytes + pieceBytes, words.count)]
                piece.withUnsafeBytes { output.append($0.bytes) }
                askedBytes += piece.count
            } completion: { written, unsent in
                writtenBytes = written
                expectEqual(unsent, 0)
            }
            loop.advance(by: .milliseconds(50))
            // No more output is requested while the peer does not read.
            #expect(askedBytes < words.count)
            raw.stream.startReading()
            loop.run { raw.recorder.hasEnded }
            expectEqual(raw.recorder.received, Array("head".utf8) + words)
            raw.stream.close()
            loop.run { writtenBytes != nil }
            expectEqual(writtenBytes, 4 + words.count)
            loop.runOnce()
        }
    }

    @Test("another timeout applies only while output is pending, and the rest is counted")
    func timeout() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            var output = ByteBuffer()
            pattern(5_000_000).withUnsafeBytes { output.append($0.bytes) }
            let start = loop.now
            var isDone = false
            _ = LingeringClose(near, output: output, closesOwnSide: true, timeout: .milliseconds(200)) { _, _ in
                isDone = true
            }
            loop.advance { isDone }
            #expect(loop.now - start < .milliseconds(900))
            far.close()
            loop.runOnce()
        }
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            var output = ByteBuffer()
            pattern(5_000_000).withUnsafeBytes { output.append($0.bytes) }
            var (writtenBytes, unsentBytes): (Int?, Int) = (nil, 0)
            _ = LingeringClose(near, output: output, closesOwnSide: true, timeout: .seconds(3)) {
                (writtenBytes, unsentBytes) = ($0, $1)
            }
            loop.advance(by: .milliseconds(1500))
            expectNil(writtenBytes)
            loop.advance { writtenBytes != nil }
            #expect((1..<5_000_000).contains(writtenBytes ?? 0) && unsentBytes == 5_000_000 - (writtenBytes ?? 0))
            far.close()
            loop.runOnce()
        }
    }

    private func withDrain(
        _ transport: Transport = .socketPair, words: [UInt8], closesOwnSide: Bool, before: [UInt8] = [],
        _ body: (EventLoop, StreamEnd, @escaping () -> Bool) throws -> Void
    ) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(transport, on: loop)
            let raw = StreamEnd(far)
            try raw.write(before)
            var output = ByteBuffer()
            words.withUnsafeBytes { output.append($0.bytes) }
            var doneCount = 0
            _ = LingeringClose(near, output: output, closesOwnSide: closesOwnSide) { _, _ in doneCount += 1 }
            try body(loop, raw) { doneCount > 0 }
            expectEqual(doneCount, 1)
            expectTrue(near.isClosed)
            raw.stream.close()
            loop.runOnce()
        }
    }
}
