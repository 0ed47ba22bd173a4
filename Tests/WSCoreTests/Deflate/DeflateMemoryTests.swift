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

    @Test("many busy connections share a bounded number of streams without losing messages")
    func sharing() throws {
        let memory = DeflateMemory()
        let pairs = (0..<300).map { _ in memory.makePair() }
        for round in 0..<3 as Range<UInt64> {
            for (index, pair) in pairs.enumerated() {
                try exchange(words(UInt64(index) + round % 2, byteCount: 300), pair.deflater, pair.inflater)
            }
        }
        #expect(memory.deflaters.streamCount == 64)
        #expect(memory.inflaters.streamCount == 256)
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
    fileprivate func makePair() -> (deflater: MessageDeflater, inflater: MessageInflater) {
        (MessageDeflater((15, true), memory: self), MessageInflater((15, true), memory: self))
    }
}
