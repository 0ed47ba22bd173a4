import TestSupport
import Testing

@testable import WSCore

@Suite struct DeflateMemoryTests {
    @Test("an idle connection returns zlib's memory and continues with its history")
    func idling() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        for _ in 1...3 {
            try exchange(words(1, byteCount: 500), deflater, inflater)
            expectTrue(memory.releaseIdle())
            expectFalse(memory.releaseIdle())
        }
        expectEqual(memory.deflaters.hasStreams, false)
        expectEqual(memory.inflaters.hasStreams, false)
    }

    @Test("memory used since the last check is not idle")
    func busy() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        let (idleDeflater, idleInflater) = memory.makePair()
        try exchange(words(1, byteCount: 500), idleDeflater, idleInflater)
        for _ in 1...3 {
            try exchange(words(1, byteCount: 500), deflater, inflater)
            expectTrue(memory.releaseIdle())
        }
        expectEqual(memory.deflaters.streamCount, 1)
        expectEqual(memory.inflaters.streamCount, 1)
    }

    @Test("an idle connection keeps only the history that messages may refer to")
    func history() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        try exchange(words(1, byteCount: 700), deflater, inflater)
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        expectEqual(savedHistory(of: inflater), words(1, byteCount: 700))
        #expect(memory.spareMessage.storageBytes <= 2048)
        try exchange(words(2, byteCount: 100_000), deflater, inflater)
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        expectEqual(savedHistory(of: inflater), Array(words(2, byteCount: 100_000).suffix(1 << 15)))
    }

    @Test("many busy connections share a bounded number of streams without losing messages or their context")
    func sharing() throws {
        let memory = DeflateMemory()
        let pairs = (0..<1100).map { _ in memory.makePair() }
        for round in 1...3 {
            for (index, pair) in pairs.enumerated() {
                let message = words(UInt64(index), byteCount: 300)
                let compressed = try #require(compress(message, by: pair.deflater))
                // A repeated message is tiny, although the stream has served other connections since.
                #expect(round == 1 || compressed.count < 30)
                try expectEqual(decompress(compressed, by: pair.inflater), message)
            }
        }
        expectEqual(memory.deflaters.streamCount, 64)
        expectEqual(memory.inflaters.streamCount, 1024)
        expectTrue(memory.releaseIdle())
        expectFalse(memory.releaseIdle())
    }

    @Test("connections with windows of different sizes share streams without losing messages")
    func windows() throws {
        let memory = DeflateMemory()
        let pairs = (0..<300).map { index in memory.makePair(windowBits: 8 + index % 8) }
        for round in 1...3 as ClosedRange<UInt64> {
            for (index, pair) in pairs.enumerated() {
                try exchange(words(UInt64(index) + round, byteCount: 3000), pair.deflater, pair.inflater)
            }
        }
        expectEqual(memory.deflaters.streamCount, 64)
    }

    @Test("connections that end or become idle in any order do not affect the streams and histories of others")
    func turnover() throws {
        let memory = DeflateMemory()
        var random = SeededRandom(seed: 1)
        var pairs = (0..<400).map { _ in memory.makePair() }
        for _ in 0..<4000 {
            let index = Int.random(in: pairs.indices, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: pairs[index] = memory.makePair()
            case 1:
                // As with a message to many clients: the peer receives it from another compressor.
                let shared = words(UInt64(index), byteCount: 3000)
                var compressed: [UInt8]?
                let other = MessageDeflater((15, true), memory: memory)
                expectTrue(other.compressAlone(shared.span.bytes) { compressed = bytes(of: $0) })
                try expectEqual(decompress(try #require(compressed), by: pairs[index].inflater), shared)
                pairs[index].deflater.forgetHistory()
            default:
                let message = words(UInt64(index), byteCount: Int.random(in: 300..<2000, using: &random))
                try exchange(message, pairs[index].deflater, pairs[index].inflater)
            }
            if Int.random(in: 0..<300, using: &random) == 0 { _ = memory.releaseIdle() }
        }
        #expect(memory.deflaters.streamCount <= 64)
        pairs.removeAll()
        expectFalse(memory.releaseIdle())
    }

    @Test("connections beyond the maximum number of histories compress without history")
    func manyHistories() throws {
        let memory = DeflateMemory()
        let message = words(1, byteCount: 200)
        let deflaters = (0..<17_000).map { _ in MessageDeflater((15, true), memory: memory) }
        let first = try deflaters.map { try #require(compress(message, by: $0)) }
        let second = try deflaters.map { try #require(compress(message, by: $0)) }
        // 64 connections keep their streams and 16,384 their histories, less one: the first stream that is reclaimed
        // in the second round finds no room.
        expectEqual(second.count { $0.count < 30 }, 64 + 16_384 - 1)
        for index in stride(from: 0, to: deflaters.count, by: 500) {
            let inflater = MessageInflater((15, true), memory: memory)
            try expectEqual(decompress(first[index], by: inflater), message)
            try expectEqual(decompress(second[index], by: inflater), message)
        }
    }

    @Test("without context takeover, all connections with the same window size use the same stream")
    func alone() throws {
        let memory = DeflateMemory()
        let pairs = (0..<70).map { memory.makePair(windowBits: 9 + $0 % 7, keepsContext: false) }
        for pair in pairs { try exchange(words(1, byteCount: 500), pair.deflater, pair.inflater) }
        // The compressors use 14 bits for 15.
        expectEqual(memory.deflaters.streamCount, 6)
        expectEqual(memory.inflaters.streamCount, 7)
    }

    @Test("a stream that was left in the middle of a message is clean for its next user")
    func leftovers() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        try exchange(words(1, byteCount: 500), deflater, inflater)
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        var message = ByteBuffer()
        // A final block ("Hello"), after which the message could end, but does not.
        let beginning: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        try memory.makePair().inflater.decompress(
            beginning.span.bytes, isMessageEnd: false, into: &message, limitBytes: 100)
        #expect(throws: ProtocolError.invalidCompressedData) { try decompress([], by: inflater) }
    }

    @Test("a connection in the middle of a message keeps its stream, however many others need one")
    func middle() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        let text = words(1, byteCount: 5000)
        let compressed = try #require(compress(text, by: deflater))
        var message = ByteBuffer()
        let half = compressed.count / 2
        try inflater.decompress(
            compressed.span.bytes.extracting(0..<half), isMessageEnd: false, into: &message, limitBytes: 5000)
        let others = (0..<1100).map { _ in memory.makePair() }
        for other in others { try exchange(words(2, byteCount: 200), other.deflater, other.inflater) }
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        try inflater.decompress(
            compressed.span.bytes.extracting(half..<compressed.count), isMessageEnd: true, into: &message,
            limitBytes: 5000)
        expectEqual(contents(of: message), text)
    }

    @Test("streams of ended connections are reused")
    func ended() throws {
        let memory = DeflateMemory()
        for seed in 1...10 as ClosedRange<UInt64> {
            let (deflater, inflater) = memory.makePair()
            try exchange(words(seed, byteCount: 300), deflater, inflater)
        }
        expectEqual(memory.deflaters.streamCount, 1)
        expectEqual(memory.inflaters.streamCount, 1)
    }

    private func savedHistory(of inflater: MessageInflater) -> [UInt8]? {
        inflater.history?.withBytes { Array($0) }
    }

    private func exchange(_ message: [UInt8], _ deflater: MessageDeflater, _ inflater: MessageInflater) throws {
        let compressed = try #require(compress(message, by: deflater))
        try expectEqual(decompress(compressed, by: inflater), message)
    }
}

extension DeflateMemory {
    fileprivate func makePair(
        windowBits: Int = 15, keepsContext: Bool = true
    ) -> (deflater: MessageDeflater, inflater: MessageInflater) {
        let direction = (windowBits: windowBits, keepsContext: keepsContext)
        return (MessageDeflater(direction, memory: self), MessageInflater(direction, memory: self))
    }
}
