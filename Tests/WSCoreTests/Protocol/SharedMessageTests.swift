import SessionSupport
import TestSupport
import Testing

@testable import WSCore

@Suite struct SharedMessageTests {
    @Test(
        "a shared message has the same bytes on the wire as an ordinary one",
        arguments: [0, 1, 125, 126, 65535, 65536], [nil, 1000])
    func plain(count: Int, fragmentBytes: Int?) {
        let payload = noise(1, byteCount: count)
        let message = SharedMessage(payload.span.bytes, as: .binary, fragmentBytes: fragmentBytes)
        var one = Outbox(role: .server, maskingKeys: countingKeys(), fragmentBytes: fragmentBytes)
        one.send(payload.span.bytes, as: .binary)
        for _ in 0..<2 {
            var outbox = Outbox(role: .server, maskingKeys: countingKeys(), fragmentBytes: fragmentBytes)
            let isSent = outbox.send(message)
            expectTrue(isSent)
            expectEqual(takeContents(of: &outbox), contents(of: one.bytes))
            expectEqual(outbox.traffic, one.traffic)
        }
    }

    @Test(
        "a large shared message is not copied per connection and keeps its place among other frames",
        arguments: [nil, 20_000])
    func large(fragmentBytes: Int?) {
        let payload = noise(1, byteCount: 1 << 20)
        let message = SharedMessage(payload.span.bytes, as: .binary, fragmentBytes: fragmentBytes)
        var one = Outbox(role: .server, maskingKeys: countingKeys(), fragmentBytes: fragmentBytes)
        for _ in 0..<2 { one.send(payload.span.bytes, as: .binary) }
        let frames = contents(of: one.bytes)
        let whole = Array(frames.prefix(frames.count / 2))
        for _ in 0..<3 {
            var outbox = Outbox(role: .server, maskingKeys: countingKeys())
            outbox.sendPing([1 as UInt8].span.bytes)
            outbox.send(message)
            outbox.send(message)
            outbox.sendPing([2 as UInt8].span.bytes)
            #expect(outbox.bytes.storageBytes < 1000)
            expectEqual(outbox.queuedBytes, whole.count * 2 + 6)
            let all = takeContents(of: &outbox)
            expectTrue(areEqual(all, frame(0x89, [1]) + whole + whole + frame(0x89, [2])))
        }
    }

    @Test("only the latest ping is answered while a large message is queued")
    func pings() {
        let payload = noise(1, byteCount: 1 << 20)
        var session = Session(role: .server, limits: .server, maskingKeys: countingKeys())
        session.outbox.send(SharedMessage(payload.span.bytes, as: .binary))
        for number in 0..<100 as Range<UInt8> { session.outbox.answer(ping: [number].span.bytes) }
        #expect(session.outbox.queuedBytes < payload.count + 100)
        session.outbox.bytesWereTaken()
        expectEqual(session.outbox.bytes.count, 0)
        _ = takeContents(of: &session.outbox)
        session.outbox.bytesWereTaken()
        expectEqual(contents(of: session.outbox.bytes), frame(0x8A, [99]))
        expectNil(session.outbox.queue)
    }

    @Test("removeAll() discards queued shared messages")
    func forgotten() {
        var outbox = Outbox(role: .server, maskingKeys: countingKeys())
        outbox.send(SharedMessage(noise(1, byteCount: 1 << 20).span.bytes, as: .binary))
        outbox.sendPing([1 as UInt8].span.bytes)
        outbox.removeAll()
        expectEqual(outbox.queuedBytes, 0)
    }

    @Test("RFC 6455 §5.5.1: a shared message is not sent after a close frame")
    func closed() {
        var outbox = Outbox(role: .server, maskingKeys: countingKeys())
        outbox.sendClose(CloseFrame(code: .normalClosure))
        let bytesBefore = outbox.bytes.count
        let isSent = outbox.send(SharedMessage([1 as UInt8].span.bytes, as: .binary))
        expectFalse(isSent)
        expectEqual(outbox.bytes.count, bytesBefore)
    }

    @Test("a message is expected to be the only one of its turn after eight turns with one each")
    func rhythm() {
        var rhythm = BroadcastRhythm()
        for turn in 0..<8 as Range<UInt64> { expectFalse(rhythm.recordMessage(in: turn)) }
        expectTrue(rhythm.recordMessage(in: 8))
        expectFalse(rhythm.recordMessage(in: 8))
        expectFalse(rhythm.recordMessage(in: 9))
    }

    @Test("an observer sees the frames of a shared message")
    func observed() {
        let observer = HeaderCounter()
        var outbox = Outbox(role: .server, maskingKeys: countingKeys(), fragmentBytes: 2)
        outbox.observer = observer
        let payload: [UInt8] = [1, 2, 3]
        outbox.send(SharedMessage(payload.span.bytes, as: .binary, fragmentBytes: 2))
        expectEqual(observer.count, 2)
    }

    @Test("a shared message is compressed once per window size")
    func compressedOnce() {
        let compressors = (0..<5).map { CountingCompressor(windowBits: $0 < 3 ? 15 : 9) }
        let payload = words(1, byteCount: 5000)
        let message = SharedMessage(payload.span.bytes, as: .text)
        for compressor in compressors {
            var outbox = Outbox(
                role: .server, maskingKeys: countingKeys(), extensions: MessageExtensions(compressor: compressor))
            outbox.send(message)
            #expect(outbox.bytes.count < 4000)
        }
        expectEqual(compressors.map(\.count), [1, 0, 0, 1, 0])
    }

    @Test(
        "RFC 7692 §7.2: clients can read ordinary and shared messages in any order, with and without context",
        arguments: [true, false], [9, 12, 15])
    func mixture(keepsContext: Bool, windowBits: Int) throws {
        let memory = DeflateMemory()
        let deflaters = (0..<3).map { _ in MessageDeflater((windowBits, keepsContext), memory: memory) }
        let inflaters = (0..<3).map { _ in ReferenceInflater(windowBits: windowBits, keepsContext: keepsContext) }
        for seed in 1...40 as ClosedRange<UInt64> {
            let shared = words(seed % 4, byteCount: Int(seed) * 50)
            let message = SharedMessage(shared.span.bytes, as: .text)
            for index in 0..<3 {
                var outbox = Outbox(
                    role: .server, maskingKeys: countingKeys(),
                    extensions: MessageExtensions(compressor: deflaters[index]))
                let own = words(seed % 3 + UInt64(index), byteCount: Int(seed) * 60)
                outbox.send(own.span.bytes, as: .text)
                if seed % UInt64(index + 2) == 0 { outbox.send(message) }
                let expected = seed % UInt64(index + 2) == 0 ? [own, shared] : [own]
                try expectEqual(received(outbox.bytes, by: inflaters[index]), expected)
            }
        }
    }

    private func received(_ bytes: borrowing ByteBuffer, by inflater: ReferenceInflater) throws -> [[UInt8]] {
        var receiver = Session(
            role: .client, limits: .client, maskingKeys: countingKeys(), decompressor: inflater)
        var handler = RecordingHandler()
        var copy = contents(of: bytes)
        try copy.withUnsafeMutableBytes { pointer in
            var span = pointer.mutableBytes
            try receiver.receive(&span, handler: &handler)
        }
        return handler.events.map { event in
            guard case .message(_, let payload) = event else { return [] }
            return payload
        }
    }
}

private final class HeaderCounter: SentFrameObserver {
    var count = 0
    func sent(_ header: FrameHeader, payload: RawSpan) { count += 1 }
}

/// Counts the messages it compresses.
private final class CountingCompressor: MessageCompressor {
    let windowBits: Int
    var count = 0
    private let deflater: MessageDeflater

    init(windowBits: Int) {
        self.windowBits = windowBits
        deflater = MessageDeflater((windowBits, true), memory: DeflateMemory())
    }

    func compress(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        count += 1
        return deflater.compress(payload, body)
    }

    func compressAlone(_ payload: RawSpan, _ body: (RawSpan) -> Void) -> Bool {
        count += 1
        return deflater.compressAlone(payload, body)
    }

    func forgetHistory() { deflater.forgetHistory() }
}
