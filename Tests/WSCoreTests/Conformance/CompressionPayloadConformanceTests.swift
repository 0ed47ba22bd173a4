import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct CompressionPayloadConformanceTests {
    /// Messages of one size with one kind of data.
    struct Case: Sendable, CustomTestStringConvertible {
        let number: String
        let data: SampleData
        let size: CompressedSize

        var testDescription: String { number }
    }

    static let cases = SampleData.allCases.enumerated().flatMap { index, data in
        CompressedSize.all.map { Case(number: "12.\(index + 1).\($0.index)", data: data, size: $0) }
    }

    @Test("RFC 7692 §7.2, Autobahn 12: messages of all kinds and sizes are echoed", arguments: cases, Role.allCases)
    func echoed(_ testCase: Case, role: Role) throws {
        try expectCompressedEcho(
            of: testCase.data, testCase.size, with: parameters(for: role), role: role, peer: .session)
    }

    @Test(
        "RFC 7692 §7.2, Autobahn 12: messages of all kinds are exchanged with the reference implementation",
        arguments: cases.filter { $0.size.byteCount <= 8192 }, Role.allCases)
    func exchangedWithReference(_ testCase: Case, role: Role) throws {
        try expectCompressedEcho(
            of: testCase.data, testCase.size, with: parameters(for: role), role: role, peer: .reference)
    }

    /// The parameters negotiated with the suite, which as a client offers `client_no_context_takeover`.
    private func parameters(for role: Role) -> DeflateParameters {
        DeflateParameters(clientNoContextTakeover: role == .server)
    }

    @Test("RFC 7692 §7.2.3: the examples are decompressed, however the bytes arrive", arguments: Role.allCases)
    func examples(role: Role) {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let examples: [(frames: [[UInt8]], helloCount: Int)] = [
            // §7.2.3.1: one frame, and two frames.
            ([frame(0xC1, hello)], 1),
            ([frame(0x41, Array(hello[..<3])), frame(0x80, Array(hello[3...]))], 1),
            // §7.2.3.2: the second message refers to the first, or does not.
            ([frame(0xC1, hello), frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00])], 2),
            ([frame(0xC1, hello), frame(0xC1, hello)], 2),
            // §7.2.3.3: a stored block.
            ([frame(0xC1, [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00])], 1),
            // §7.2.3.4: a block marked as final.
            ([frame(0xC1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00])], 1),
            // §7.2.3.5: two blocks.
            (
                [frame(0xC1, [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00])], 1
            ),
        ]
        for example in examples {
            for chunks in feedings(of: wire(example.frames, receivedBy: role)) {
                let events = events(of: chunks, role: role)
                expectEqual(events, Array(repeating: .text("Hello"), count: example.helloCount))
            }
        }
    }

    private func events(of chunks: [ArraySlice<UInt8>], role: Role) -> [Event] {
        let codec = DeflateMemory().makeCodec(for: DeflateParameters(), role: role)
        var session = Session(
            role: role, limits: .client, maskingKeys: countingKeys(), compressor: codec.compressor,
            decompressor: codec.decompressor)
        var handler = RecordingHandler()
        for chunk in chunks {
            do throws(ProtocolError) {
                try session.receive(chunk, handler: &handler)
            } catch {
                Issue.record("\(error)")
            }
        }
        return handler.events
    }

    @Test("RFC 7692 §7.2.3: the reference implementation agrees with the examples")
    func referenceAgrees() throws {
        let deflater = ReferenceDeflater(windowBits: 15, keepsContext: false)
        expectEqual(deflater.deflate(Array("Hello".utf8)), [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        let inflater = ReferenceInflater(windowBits: 15, keepsContext: true)
        let marker: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
        for message: [UInt8] in [
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ] {
            try expectEqual(inflater.inflate(message + marker), Array("Hello".utf8))
        }
    }
}
