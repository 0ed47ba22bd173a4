import TestSupport
import Testing
import WSCore

@Suite struct FrameHeaderEncodingTests {
    @Test("RFC 6455 §5.2: a length is encoded in the minimal number of bytes")
    func lengths() {
        let vectors: [(Int, [UInt8])] = [
            (0, [0x82, 0]), (1, [0x82, 1]), (125, [0x82, 125]),
            (126, [0x82, 126, 0, 126]), (127, [0x82, 126, 0, 127]), (128, [0x82, 126, 0, 128]),
            (65535, [0x82, 126, 0xFF, 0xFF]),
            (65536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
            (Int.max, [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ]
        for (length, bytes) in vectors {
            expectEqual(encode(FrameHeader(opcode: .binary, payloadBytes: length)), bytes)
            let key = maskingKey(exampleKey)
            let masked = FrameHeader(opcode: .binary, maskingKey: key, payloadBytes: length)
            expectEqual(encode(masked), [0x82, bytes[1] | 0x80] + bytes[2...] + exampleKey)
        }
    }

    @Test("RFC 6455 §5.2: the first byte contains FIN and the opcode", arguments: Opcode.allCases)
    func firstByte(opcode: Opcode) {
        expectEqual(encode(FrameHeader(opcode: opcode, payloadBytes: 0)), [0x80 | opcode.rawValue, 0])
        expectEqual(encode(FrameHeader(isFinal: false, opcode: opcode, payloadBytes: 0)), [opcode.rawValue, 0])
    }

    @Test("RFC 6455 §5.2: an encoded header decodes to itself")
    func roundTrip() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<2000 {
            let role = Bool.random(using: &random) ? Role.client : .server
            let opcode = try #require(Opcode.allCases.randomElement(using: &random))
            let bits = Int.random(in: 0...62, using: &random)
            // A close frame cannot have a one-byte payload.
            let controlBytes = Int.random(in: 2...125, using: &random)
            let header = FrameHeader(
                isFinal: opcode.isControl || Bool.random(using: &random), opcode: opcode,
                maskingKey: role == .server ? MaskingKey(word: .random(in: 0 ... .max, using: &random)) : nil,
                payloadBytes: opcode.isControl ? controlBytes : Int.random(in: 0...(1 << bits), using: &random))
            let bytes = encode(header)
            expectEqual(bytes.count, header.encodedBytes)
            let decoded = try FrameHeader.decode(bytes.span.bytes, receivedBy: role)
            expectEqual(decoded, header)
        }
    }

    private func encode(_ header: FrameHeader) -> [UInt8] {
        var buffer = ByteBuffer()
        header.encode(into: &buffer)
        return contents(of: buffer)
    }
}
