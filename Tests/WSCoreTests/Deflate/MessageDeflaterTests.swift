import TestSupport
import Testing

@testable import WSCore

@Suite struct MessageDeflaterTests {
    @Test("RFC 7692 §7.2.1: a compressed message is shorter and decompresses to the original", arguments: 8...15)
    func roundTrip(windowBits: Int) throws {
        let memory = DeflateMemory()
        let deflater = MessageDeflater((windowBits, true), memory: memory)
        let inflater = MessageInflater((windowBits, true), memory: memory)
        for seed in 1...40 {
            let message = words(UInt64(seed), byteCount: seed * seed * 40)
            guard let compressed = compress(message, by: deflater) else {
                #expect(message.count < MessageDeflater.smallestBytes)
                continue
            }
            #expect(compressed.count < message.count)
            try expectEqual(decompress(compressed, by: inflater), message)
        }
    }

    @Test("messages under 64 bytes and messages that would not shrink are not compressed")
    func uncompressed() {
        let deflater = MessageDeflater((15, true), memory: DeflateMemory())
        expectNil(compress([], by: deflater))
        expectNil(compress([UInt8](repeating: 0x61, count: 63), by: deflater))
        expectNotNil(compress([UInt8](repeating: 0x61, count: 64), by: deflater))
        expectNil(compress(noise(1, byteCount: 5000), by: deflater))
    }

    @Test("messages after an uncompressed one decompress correctly", arguments: [9, 15], [true, false])
    func mixture(windowBits: Int, keepsContext: Bool) throws {
        let memory = DeflateMemory()
        let deflater = MessageDeflater((windowBits, keepsContext), memory: memory)
        let inflater = MessageInflater((windowBits, keepsContext), memory: memory)
        var compressedCount = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            let isNoise = seed % 3 == 0
            let byteCount = Int(seed % 7) * 9000 + 100
            let message = isNoise ? noise(seed, byteCount: byteCount) : words(seed % 5, byteCount: byteCount)
            guard let compressed = compress(message, by: deflater) else {
                expectTrue(isNoise)
                continue
            }
            compressedCount += 1
            try expectEqual(decompress(compressed, by: inflater), message)
        }
        expectEqual(compressedCount, 40)
    }

    @Test(
        "with context takeover, a repeated message is tiny, even after a message that was taken back"
    )
    func context() throws {
        let message = words(3, byteCount: 600)
        let keeping = MessageDeflater((15, true), memory: DeflateMemory())
        let first = try #require(compress(message, by: keeping))
        let second = try #require(compress(message, by: keeping))
        #expect(second.count < first.count / 10)
        expectNil(compress(noise(1, byteCount: 600), by: keeping))
        let third = try #require(compress(message, by: keeping))
        #expect(third.count < first.count / 10)
        // RFC 7692 §7.1.1: without context takeover, equal messages compress to equal bytes.
        let forgetting = MessageDeflater((15, false), memory: DeflateMemory())
        expectEqual(compress(message, by: forgetting), first)
        expectEqual(compress(message, by: forgetting), first)
    }

    @Test("incompressible data is tried less and less often, but compression resumes when it helps")
    func maximumFailures() {
        let deflater = MessageDeflater((15, true), memory: DeflateMemory())
        for seed in 1...UInt64(MessageDeflater.maximumFailures) {
            expectNil(compress(noise(seed, byteCount: 200), by: deflater))
        }
        let message = words(1, byteCount: 200)
        for _ in 1..<MessageDeflater.trialInterval { expectNil(compress(message, by: deflater)) }
        expectNotNil(compress(message, by: deflater))
        expectNotNil(compress(message, by: deflater))
    }

    @Test("compression of a large message stops if its beginning does not shrink")
    func largeNoise() throws {
        let memory = DeflateMemory()
        let deflater = MessageDeflater((15, true), memory: memory)
        expectNil(compress(noise(1, byteCount: 300_000) + words(1, byteCount: 2_000_000), by: deflater))
        let message = words(1, byteCount: 2_000_000)
        let compressed = try #require(compress(message, by: deflater))
        let inflater = MessageInflater((15, true), memory: memory)
        try expectEqual(decompress(compressed, by: inflater), message)
    }
}

/// Compresses a message. Returns nil if it should be sent uncompressed.
func compress(_ message: [UInt8], by compressor: any MessageCompressor) -> [UInt8]? {
    var compressed: [UInt8]?
    let isCompressed = compressor.compress(message.span.bytes) { compressed = bytes(of: $0) }
    precondition(isCompressed == (compressed != nil))
    return compressed
}

/// Decompresses a message that arrives in these pieces.
func decompress(
    _ pieces: [UInt8]..., by decompressor: any MessageDecompressor, limitBytes: Int = 1 << 24
) throws(ProtocolError) -> [UInt8] {
    var message = ByteBuffer()
    for (index, piece) in pieces.enumerated() {
        try decompressor.decompress(
            piece.span.bytes, isMessageEnd: index == pieces.count - 1, into: &message, limitBytes: limitBytes)
    }
    let whole = contents(of: message)
    decompressor.recycle(&message)
    return whole
}

/// Returns text that compresses well.
func words(_ seed: UInt64, byteCount: Int) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    let vocabulary = (0..<200).map { _ in String(UInt32.random(in: .min ... .max, using: &random), radix: 36) }
    var text: [UInt8] = []
    while text.count < byteCount { text += Array((vocabulary.randomElement(using: &random) ?? "").utf8) + [0x20] }
    return Array(text.prefix(byteCount))
}

/// Returns bytes that do not compress.
func noise(_ seed: UInt64, byteCount: Int) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
}
