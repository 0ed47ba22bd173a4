import TestSupport
import Testing

@testable import WSCore

/// Short, repetitive messages, which zlib does not compress.
@Suite struct ShortDeflaterTests {
    @Test("RFC 7692 §7.2.1: messages of all kinds in one stream decompress correctly", arguments: 8...15)
    func mixture(windowBits: Int) throws {
        let memory = DeflateMemory()
        let deflater = MessageDeflater((windowBits, true), memory: memory)
        let inflater = MessageInflater((windowBits, true), memory: memory)
        var random = SeededRandom(seed: UInt64(windowBits))
        var shortCount = 0
        for _ in 0..<150 {
            let kind = Int.random(in: 0..<12, using: &random)
            for _ in 0..<(kind < 8 ? 20 : Int.random(in: 1...2, using: &random)) {
                let message = Self.message(of: kind, &random)
                guard let compressed = compress(message, by: deflater) else { continue }
                shortCount += deflater.historyIndex == nil ? 0 : 1
                try expectEqual(decompress(compressed, by: inflater), message)
            }
            if kind == 0 { _ = memory.releaseIdle() }
        }
        // With a window of 512 bytes, other messages are rarely repetitive enough.
        #expect(shortCount > 500)
    }

    @Test("RFC 7692 §7.1.2: short messages refer to nothing beyond the window", arguments: [8, 9, 10, 12])
    func distances(windowBits: Int) throws {
        let deflater = MessageDeflater((windowBits, true), memory: DeflateMemory())
        let inflater = ReferenceInflater(windowBits: windowBits, keepsContext: true)
        var shortCount = 0
        for byteCount in [100, 124, 125, 249, 250, 251, 400, 762, 763, 1000] {
            for number in 0..<40 {
                var message = words(UInt64(byteCount), byteCount: byteCount / 2)
                message += [UInt8(number)] + message
                let compressed = try #require(compress(message, by: deflater))
                shortCount += deflater.historyIndex == nil ? 0 : 1
                try expectEqual(decompress(compressed, by: inflater), message)
            }
        }
        #expect(shortCount > 50)
    }

    @Test("zlib's stream is given back while messages are short and repetitive, and borrowed again for others")
    func handover() throws {
        let memory = DeflateMemory()
        let deflater = MessageDeflater((15, true), memory: memory)
        let inflater = MessageInflater((15, true), memory: memory)
        var random = SeededRandom(seed: 1)
        for other in [noise(1, byteCount: 500), words(1, byteCount: 500), Self.message(of: 9, &random)] {
            for _ in 0..<MessageDeflater.minimumSuccesses { try exchange(Self.message(of: 0, &random)) }
            expectNil(deflater.historyIndex)
            // The first message of the stream repeats nothing.
            for _ in 0..<2 { try exchange(Self.message(of: 0, &random)) }
            expectNotNil(deflater.historyIndex)
            // One that would be too large with fixed codes.
            try exchange(other)
            expectNil(deflater.historyIndex)
        }

        func exchange(_ message: [UInt8]) throws {
            guard let compressed = compress(message, by: deflater) else { return }
            try expectEqual(decompress(compressed, by: inflater), message)
        }
    }

    @Test("short messages take less than a quarter more bytes than with zlib")
    func size() throws {
        let short = MessageDeflater((15, true), memory: DeflateMemory())
        let other = DeflateStream(windowBits: 14)
        var random = SeededRandom(seed: 1)
        var (shortBytes, otherBytes) = (0, 0)
        for _ in 0..<1000 {
            let message = Self.message(of: 0, &random)
            shortBytes += try #require(compress(message, by: short)).count
            var output = ByteBuffer()
            _ = other.compress(message.span.bytes, into: &output)
            otherBytes += output.count - flushMarker.count
        }
        expectNotNil(short.historyIndex)
        #expect(shortBytes < otherBytes * 5 / 4)
    }

    /// A message: JSON for the kinds 0 to 7, and words, much, large, or incompressible data for others.
    private static func message(of kind: Int, _ random: inout SeededRandom) -> [UInt8] {
        let number = UInt64.random(in: 0..<10_000, using: &random)
        switch kind {
        case 8: return noise(number, byteCount: 300)
        case 9: return words(number % 3, byteCount: 5000)
        case 10: return words(number, byteCount: 400)
        case 11: return [UInt8](repeating: UInt8(number % 256), count: 1024)
        default:
            let user = #"{"kind":\#(kind),"user":"user\#(number % 10)","price":\#(number),"tags":["alpha","beta"]"#
            return Array("\(user),\"note\":\"\(String(repeating: "some words ", count: kind * 11 + 5))\"}".utf8)
        }
    }
}
