import SessionSupport
import TestSupport
import Testing

@testable import WSCore

/// Compressed messages as a session receives and sends them.
@Suite struct CompressedMessageTests {
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    @Test(
        "RFC 7692 §6.1: RSV1 anywhere but on the first frame of a message fails the connection",
        arguments: Role.allCases)
    func misplacedBits(role: Role) {
        let hello = Self.hello
        let cases: [([[UInt8]], ProtocolError)] = [
            ([frame(0x41, Array(hello[..<3])), frame(0xC0, Array(hello[3...]))], .misplacedCompression(.continuation)),
            ([frame(0x01, "x"), frame(0xC0, hello)], .misplacedCompression(.continuation)),
            ([frame(0xC0, hello)], .misplacedCompression(.continuation)),
            ([frame(0xC9, hello)], .misplacedCompression(.ping)),
            ([frame(0xCA)], .misplacedCompression(.pong)),
            ([frame(0xC8, [0x03, 0xE8])], .misplacedCompression(.close)),
            ([frame(0xC3, hello)], .reservedOpcode(3)),
            ([frame(0xE1, hello)], .reservedBits(2)),
            ([frame(0xA1, "x")], .reservedBits(2)),
            ([frame(0x91, "x")], .reservedBits(1)),
            ([frame(0x99, "x")], .reservedBits(1)),
            ([frame(0x41, hello), frame(0xC1, hello)], .expectedContinuation(.text)),
        ]
        for (frames, error) in cases {
            let outcome = Self.outcome(of: [frame(0xC1, hello)] + frames, receivedBy: role)
            #expect(outcome.events == [.text("Hello")] && outcome.error == error, "\(frames)")
            expectEqual(error.closeCode, .protocolError)
        }
    }

    @Test("RFC 7692 §7.2.2: invalid data fails the connection with 1007", arguments: Role.allCases)
    func invalidData(role: Role) {
        let hello = Self.hello
        let invalid: [[UInt8]] = [
            [], [0x02], [0x07], [UInt8](repeating: 0xFF, count: 50),
            [0x00, 0x05, 0x00, 0x00, 0x00] + Array("Hello".utf8),
            noise(1, byteCount: 200), hello + Array("Hello".utf8), hello + [0xFF], [UInt8](repeating: 0, count: 5000),
            // A distance without preceding data.
            [0xF2, 0x00, 0x11, 0x00, 0x00],
        ]
        for data in invalid + (1..<hello.count).map({ Array(hello[..<$0]) }) {
            for opcode: UInt8 in [0xC1, 0xC2] {
                let outcome = Self.outcome(of: [frame(opcode, data)], receivedBy: role)
                #expect(outcome.events == [] && outcome.error == .invalidCompressedData, "\(data.prefix(16))")
            }
        }
        expectEqual(ProtocolError.invalidCompressedData.closeCode, .invalidPayload)
    }

    @Test(
        "RFC 6455 §8.1: decompressed text that is not UTF-8 fails the connection, in one frame and in several",
        arguments: Role.allCases)
    func invalidText(role: Role) {
        let vectors = UTF8Vectors.invalid.map(\.bytes) + UTF8Vectors.truncated
        for text in vectors + [[UInt8](repeating: 0x78, count: 70_000) + [0xFF]] {
            let data = ReferenceDeflater(windowBits: 15, keepsContext: false).deflate(text)
            let half = data.count / 2
            for frames in [
                [frame(0xC1, data)], [frame(0x41, Array(data[..<half])), frame(0x80, Array(data[half...]))],
            ] {
                let outcome = Self.outcome(of: frames, receivedBy: role)
                #expect(outcome.events == [] && outcome.error == .invalidText, "\(text.prefix(16))")
            }
            let binary = Self.outcome(of: [frame(0xC2, data)], receivedBy: role)
            expectEqual(binary.events, [.binary(text)])
        }
    }

    // No distance exceeds the largest window, so 15 bits are not tested.
    @Test(
        "RFC 7692 §7.1.2: a reference may reach back as far as the negotiated window, and no further",
        arguments: 8...14, Role.allCases)
    func farthestReference(windowBits: Int, role: Role) {
        let windowBytes = 1 << windowBits
        let deflater = ReferenceDeflater(windowBits: 15, keepsContext: true)
        let message = noise(1, byteCount: windowBytes)
        let messages = [message, Array(message[..<3]), Array(message[2..<5])]
        let parameters = DeflateParameters(serverMaxWindowBits: windowBits, clientMaxWindowBits: windowBits)
        let outcome = Self.outcome(
            of: messages.map { frame(0xC2, deflater.deflate($0)) }, receivedBy: role, parameters)
        expectEqual(outcome.events, messages[..<2].map { .binary($0) })
        expectEqual(outcome.error, .invalidCompressedData)
    }

    @Test(
        "RFC 7692 §7.2.1: what is sent refers to nothing beyond the negotiated window",
        arguments: 8...15, [true, false])
    func sentReferences(windowBits: Int, keepsContext: Bool) throws {
        let deflater = MessageDeflater((windowBits, keepsContext), memory: DeflateMemory())
        let inflater = ReferenceInflater(windowBits: windowBits, keepsContext: keepsContext)
        // Repetitions within and across messages, at distances around the sizes of small windows.
        let periods = [1, 63, 249, 250, 251, 255, 256, 257, 258, 262, 263, 300, 505, 512, 513, 770, 1000, 1024, 1025]
        var messages = periods.map { period in
            let part = noise(UInt64(period), byteCount: period)
            return (0..<3000 / period + 2).flatMap { _ in part }
        }
        let repeated = noise(1, byteCount: 240)
        for gap in [0, 1, 10, 15, 16, 17, 100, 262, 271, 272, 273, 500] {
            messages.append(repeated + [UInt8](repeating: 0x2D, count: 300) + noise(2, byteCount: gap))
            messages.append(repeated + noise(3, byteCount: gap) + repeated)
        }
        messages += [words(1, byteCount: 100_000), [UInt8](repeating: 0x61, count: 100_000)]
        var compressedCount = 0
        for message in messages {
            guard let compressed = compress(message, by: deflater) else { continue }
            compressedCount += 1
            try expectEqual(decompress(compressed, by: inflater), message)
        }
        #expect(compressedCount > messages.count / 2)
    }

    /// Feeds frames to a session with compression, whole and in single bytes.
    private static func outcome(
        of frames: [[UInt8]], receivedBy role: Role, _ parameters: DeflateParameters = DeflateParameters(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome {
        let bytes = wire(frames, receivedBy: role)
        let outcomes = [bytes.count, 1].map { chunkBytes in
            let codec = DeflateMemory().makeCodec(for: parameters, role: role)
            var session = Session(
                role: role, limits: .client, maskingKeys: countingKeys(), compressor: codec.compressor,
                decompressor: codec.decompressor)
            var handler = RecordingHandler()
            var outcome = Outcome()
            for chunk in chops(of: bytes, chunkBytes) {
                do throws(ProtocolError) {
                    try session.receive(chunk, handler: &handler)
                } catch {
                    outcome.error = error
                }
            }
            outcome.events = handler.events
            return outcome
        }
        expectEqual(outcomes[0], outcomes[1], sourceLocation: sourceLocation)
        return outcomes[0]
    }
}
