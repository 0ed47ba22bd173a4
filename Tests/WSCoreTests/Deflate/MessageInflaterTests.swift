import TestSupport
import Testing

@testable import WSCore

@Suite struct MessageInflaterTests {
    private let hello = Array("Hello".utf8)

    @Test("RFC 7692 §7.2.3.1: a message in one block, however it is split")
    func oneBlock() throws {
        let compressed: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        for cut in 0...compressed.count {
            try expectEqual(decompress(Array(compressed[..<cut]), Array(compressed[cut...]), by: inflater()), hello)
        }
    }

    @Test("RFC 7692 §7.2.3.2: with context takeover, a message may refer to the previous one")
    func takeover() throws {
        let inflater = inflater()
        try expectEqual(decompress([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], by: inflater), hello)
        try expectEqual(decompress([0xF2, 0x00, 0x11, 0x00, 0x00], by: inflater), hello)
        let forgetting = MessageInflater((15, false), memory: DeflateMemory())
        try expectEqual(decompress([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], by: forgetting), hello)
        expectInvalid([0xF2, 0x00, 0x11, 0x00, 0x00], by: forgetting)
    }

    @Test("RFC 7692 §7.2.3.3: a stored block")
    func storedBlock() throws {
        let compressed: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
        try expectEqual(decompress(compressed, by: inflater()), hello)
    }

    @Test("RFC 7692 §7.2.3.4: a block marked as final, and later messages that refer to data before it")
    func finalBlock() throws {
        let inflater = inflater()
        try expectEqual(decompress([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], by: inflater), hello)
        try expectEqual(decompress([0xF2, 0x00, 0x11, 0x00, 0x00], by: inflater), hello)
        // Without the last octet, as some encoders end their stream.
        try expectEqual(decompress([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], by: inflater), hello)
        try expectEqual(decompress([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [], by: inflater), hello)
        try expectEqual(decompress([0xF2, 0x00, 0x11, 0x00, 0x00], by: inflater), hello)
    }

    @Test("RFC 7692 §7.2.3.5: a message in two blocks")
    func twoBlocks() throws {
        let compressed: [UInt8] = [
            0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00,
        ]
        try expectEqual(decompress(compressed, by: inflater()), hello)
    }

    @Test("RFC 7692 §7.2.3.6: an empty message is one octet, and zero octets are invalid")
    func empty() throws {
        try expectEqual(decompress([0x00], by: inflater()), [])
        expectInvalid([], by: inflater())
    }

    @Test(
        "invalid and incomplete DEFLATE data is rejected",
        arguments: [
            [0x07], [0xFF, 0xFF], [0xF2, 0x48, 0xCD], [0x00, 0x05, 0x00, 0x00, 0x00], [0x00, 0x05],
            [0xF2, 0x00, 0x11, 0x00, 0x00],
        ] as [[UInt8]])
    func invalid(compressed: [UInt8]) {
        expectInvalid(compressed, by: inflater())
    }

    @Test("a message with a last block that ends within the flush marker is rejected, since bits would be left over")
    func endWithinMarker() {
        // A dynamic block with an end-of-block code of fourteen ones, some of which come from the marker.
        let beginning: [UInt8] = [
            0x04, 0xE0, 0x01, 0x90, 0x24, 0x49, 0x92, 0x24, 0x49, 0x22, 0xB1, 0xA8, 0x79, 0x64, 0xF5, 0xEC, 0x01,
        ]
        expectInvalid(beginning + [UInt8](repeating: 0, count: 120) + [0x1C, 0x02], by: inflater())
    }

    @Test("RFC 7692 §7.1.2: a reference beyond the negotiated window is rejected")
    func window() throws {
        let deflater = MessageDeflater((15, true), memory: DeflateMemory())
        let narrow = MessageInflater((9, true), memory: DeflateMemory())
        let message = words(1, byteCount: 2000)
        let first = try #require(compress(message, by: deflater))
        #expect(throws: Never.self) { _ = try decompress(first, by: narrow) }
        let second = try #require(compress(message, by: deflater))
        expectInvalid(second, by: narrow)
    }

    @Test("the size limit is exact for messages of every kind")
    func limit() throws {
        let memory = DeflateMemory()
        for (byteCount, seed) in [(64, 1), (1000, 2), (4096, 3), (70_000, 4), (1 << 20, 5)] as [(Int, UInt64)] {
            let message = words(seed, byteCount: byteCount / 2) + words(seed, byteCount: byteCount / 2)
            let deflater = MessageDeflater((15, false), memory: memory)
            let compressed = try #require(compress(message, by: deflater))
            let inflater = MessageInflater((15, false), memory: memory)
            try expectEqual(decompress(compressed, by: inflater, limitBytes: byteCount), message)
            #expect(throws: ProtocolError.messageTooBig(limit: byteCount - 1)) {
                try decompress(compressed, by: inflater, limitBytes: byteCount - 1)
            }
        }
        try expectEqual(decompress([0x00], by: inflater(), limitBytes: 0), [])
    }

    @Test("a decompression bomb takes no more storage than the limit and a quarter")
    func bomb() throws {
        let deflater = MessageDeflater((15, true), memory: DeflateMemory())
        let bomb = try #require(compress([UInt8](repeating: 0, count: 64 << 20), by: deflater))
        let limitBytes = 3_000_000
        var message = ByteBuffer()
        #expect(throws: ProtocolError.messageTooBig(limit: limitBytes)) {
            try inflater().decompress(bomb.span.bytes, isMessageEnd: true, into: &message, limitBytes: limitBytes)
        }
        expectEqual(message.count, limitBytes)
        // Recycled storage may be larger by a quarter.
        #expect(message.storageBytes <= limitBytes * 5 / 4)
    }

    @Test("messages of all sizes decompress correctly, in sequence and split anywhere")
    func pieces() throws {
        let memory = DeflateMemory()
        let deflater = MessageDeflater((12, true), memory: memory)
        let inflater = MessageInflater((12, true), memory: memory)
        var random = SeededRandom(seed: 7)
        for seed in 1...30 as ClosedRange<UInt64> {
            let message = words(seed, byteCount: Int.random(in: 64...200_000, using: &random))
            let compressed = try #require(compress(message, by: deflater))
            let cut = Int.random(in: 0...compressed.count, using: &random)
            try expectEqual(decompress(Array(compressed[..<cut]), Array(compressed[cut...]), by: inflater), message)
        }
    }

    private func inflater() -> MessageInflater { MessageInflater((15, true), memory: DeflateMemory()) }

    private func expectInvalid(
        _ compressed: [UInt8], by inflater: MessageInflater, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: ProtocolError.invalidCompressedData, sourceLocation: sourceLocation) {
            try decompress(compressed, by: inflater)
        }
    }
}
