import Testing

@testable import WSCore

@Suite struct DeflateMemoryTests {
    @Test("an idle connection returns zlib's memory and continues with its history")
    func idling() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        for _ in 1...3 {
            try exchange(words(1, byteCount: 500), deflater, inflater)
            #expect(memory.releaseIdle())
            #expect(!memory.releaseIdle())
        }
        #expect(memory.deflaters.hasStreams == false)
        #expect(memory.inflaters.hasStreams == false)
    }

    @Test("memory used since the last check is not idle")
    func busy() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        let (idleDeflater, idleInflater) = memory.makePair()
        try exchange(words(1, byteCount: 500), idleDeflater, idleInflater)
        for _ in 1...3 {
            try exchange(words(1, byteCount: 500), deflater, inflater)
            #expect(memory.releaseIdle())
        }
        #expect(memory.deflaters.streamCount == 1)
        #expect(memory.inflaters.streamCount == 1)
    }

    @Test("an idle connection keeps only the history that messages may refer to")
    func history() throws {
        let memory = DeflateMemory()
        let (deflater, inflater) = memory.makePair()
        try exchange(words(1, byteCount: 700), deflater, inflater)
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        #expect(savedHistory(of: inflater) == words(1, byteCount: 700))
        #expect(memory.spareMessage.storageBytes <= 2048)
        try exchange(words(2, byteCount: 100_000), deflater, inflater)
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        #expect(savedHistory(of: inflater) == Array(words(2, byteCount: 100_000).suffix(1 << 15)))
    }

    @Test("many busy connections share a bounded number of streams without losing messages or their context")
    func sharing() throws {
        let memory = DeflateMemory()
        let pairs = (0..<300).map { _ in memory.makePair() }
        for round in 1...3 {
            for (index, pair) in pairs.enumerated() {
                let message = words(UInt64(index), byteCount: 300)
                let compressed = try #require(compress(message, by: pair.deflater))
                // A repeated message is tiny, although the stream has served other connections since.
                #expect(round == 1 || compressed.count < 30)
                #expect(try decompress(compressed, by: pair.inflater) == message)
            }
        }
        #expect(memory.deflaters.streamCount == 64)
        #expect(memory.inflaters.streamCount == 256)
        #expect(memory.releaseIdle())
        #expect(!memory.releaseIdle())
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
        #expect(memory.deflaters.streamCount == 64)
    }

    @Test("connections that end or become idle in any order leave the others their streams and histories")
    func turnover() throws {
        let memory = DeflateMemory()
        var random = SeededRandom(seed: 1)
        var pairs = (0..<400).map { _ in memory.makePair() }
        for _ in 0..<4000 {
            let index = Int.random(in: pairs.indices, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: pairs[index] = memory.makePair()
            case 1: pairs[index].deflater.forgetHistory()
            default:
                let message = words(UInt64(index % 7), byteCount: Int.random(in: 300..<2000, using: &random))
                try exchange(message, pairs[index].deflater, pairs[index].inflater)
            }
            if Int.random(in: 0..<300, using: &random) == 0 { _ = memory.releaseIdle() }
        }
        #expect(memory.deflaters.streamCount <= 68)
        pairs.removeAll()
        #expect(!memory.releaseIdle())
    }

    @Test("more connections than histories fit compress without history, and decompress correctly")
    func manyHistories() throws {
        let memory = DeflateMemory()
        let message = words(1, byteCount: 200)
        let deflaters = (0..<17_000).map { _ in MessageDeflater((15, true), memory: memory) }
        let first = try deflaters.map { try #require(compress(message, by: $0)) }
        let second = try deflaters.map { try #require(compress(message, by: $0)) }
        // 16,384 histories fit, and 64 connections keep their streams.
        let tinyCount = second.count { $0.count < 30 }
        #expect((16_000...16_500).contains(tinyCount))
        for index in stride(from: 0, to: deflaters.count, by: 500) {
            let inflater = MessageInflater((15, true), memory: memory)
            #expect(try decompress(first[index], by: inflater) == message)
            #expect(try decompress(second[index], by: inflater) == message)
        }
    }

    @Test("without context takeover, all connections use the same stream")
    func alone() throws {
        let memory = DeflateMemory()
        let pairs = (0..<10).map { _ in memory.makePair(keepsContext: false) }
        for pair in pairs { try exchange(words(1, byteCount: 500), pair.deflater, pair.inflater) }
        #expect(memory.deflaters.streamCount == 1)
        #expect(memory.inflaters.streamCount == 1)
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
        let others = (0..<300).map { _ in memory.makePair() }
        for other in others { try exchange(words(2, byteCount: 200), other.deflater, other.inflater) }
        _ = memory.releaseIdle()
        _ = memory.releaseIdle()
        try inflater.decompress(
            compressed.span.bytes.extracting(half..<compressed.count), isMessageEnd: true, into: &message,
            limitBytes: 5000)
        #expect(contents(of: message) == text)
    }

    @Test("streams of ended connections are reused")
    func ended() throws {
        let memory = DeflateMemory()
        for seed in 1...10 as ClosedRange<UInt64> {
            let (deflater, inflater) = memory.makePair()
            try exchange(words(seed, byteCount: 300), deflater, inflater)
        }
        #expect(memory.deflaters.streamCount == 1)
        #expect(memory.inflaters.streamCount == 1)
    }

    private func savedHistory(of inflater: MessageInflater) -> [UInt8]? {
        inflater.history?.withBytes { Array($0) }
    }

    private func exchange(_ message: [UInt8], _ deflater: MessageDeflater, _ inflater: MessageInflater) throws {
        let compressed = try #require(compress(message, by: deflater))
        #expect(try decompress(compressed, by: inflater) == message)
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
