import TestSupport
import Testing
import WSCore

@Suite struct FrameHeaderDecodingTests {
    @Test("RFC 6455 §5.2: a header is decoded as soon as it is complete and not before")
    func complete() throws {
        let key: [UInt8] = exampleKey
        let vectors: [(role: Role, bytes: [UInt8], header: FrameHeader)] = [
            (.client, [0x81, 0x00], FrameHeader(opcode: .text, payloadBytes: 0)),
            (.client, [0x01, 0x7D], FrameHeader(isFinal: false, opcode: .text, payloadBytes: 125)),
            (.client, [0x82, 0x7E, 0x00, 0x7E], FrameHeader(opcode: .binary, payloadBytes: 126)),
            (
                .client, [0x00, 0x7E, 0xFF, 0xFF],
                FrameHeader(isFinal: false, opcode: .continuation, payloadBytes: 65535)
            ),
            (
                .client, [0x80, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0],
                FrameHeader(opcode: .continuation, payloadBytes: 65536)
            ),
            (
                .client, [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                FrameHeader(opcode: .binary, payloadBytes: Int.max)
            ),
            (.client, [0x88, 0x02], FrameHeader(opcode: .close, payloadBytes: 2)),
            (.client, [0x89, 0x7D], FrameHeader(opcode: .ping, payloadBytes: 125)),
            (.client, [0x8A, 0x00], FrameHeader(opcode: .pong, payloadBytes: 0)),
            (.server, [0x81, 0x80] + key, maskedHeader(.text, 0)),
            (.server, [0x82, 0xFE, 0x01, 0x00] + key, maskedHeader(.binary, 256)),
            (.server, [0x82, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0] + key, maskedHeader(.binary, 1 << 32)),
            (.server, [0x89, 0xFD] + key, maskedHeader(.ping, 125)),
        ]
        for (role, bytes, header) in vectors {
            expectEqual(header.encodedBytes, bytes.count)
            for count in 0..<bytes.count {
                try expectNil(decode(bytes[..<count], role))
            }
            try expectEqual(decode(bytes, role), header)
            try expectEqual(decode(bytes + [1, 2, 3], role), header)
        }
    }

    @Test(
        "RFC 6455 §5.2: reserved bits are rejected at the first byte", arguments: UInt8(1)...7,
        Role.allCases)
    func reservedBits(bits: UInt8, role: Role) {
        for opcode: UInt8 in [0x0, 0x1, 0x2, 0x8, 0x9, 0xA, 0x3] {
            expectThrows(.reservedBits(bits), [0x80 | bits << 4 | opcode], role)
        }
    }

    @Test("RFC 6455 §5.2: a reserved opcode is rejected at the first byte", arguments: Role.allCases)
    func reservedOpcode(role: Role) {
        for opcode: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
            expectThrows(.reservedOpcode(opcode), [0x80 | opcode], role)
            expectThrows(.reservedOpcode(opcode), [opcode], role)
        }
    }

    @Test(
        "RFC 6455 §5.5: a control frame without FIN is rejected at the first byte", arguments: Role.allCases)
    func fragmentedControl(role: Role) {
        expectThrows(.fragmentedControlFrame(.close), [0x08], role)
        expectThrows(.fragmentedControlFrame(.ping), [0x09], role)
        expectThrows(.fragmentedControlFrame(.pong), [0x0A], role)
    }

    @Test("RFC 6455 §5.1: clients reject masked frames and servers reject unmasked frames at the second byte")
    func maskBit() {
        expectThrows(.maskedServerFrame, [0x81, 0x80], .client)
        expectThrows(.maskedServerFrame, [0x8A, 0xFD], .client)
        expectThrows(.unmaskedClientFrame, [0x81, 0x00], .server)
        expectThrows(.unmaskedClientFrame, [0x82, 0x7F], .server)
    }

    @Test("RFC 6455 §5.5: a control frame of more than 125 bytes is rejected at the second byte")
    func longControl() {
        for (first, opcode): (UInt8, Opcode) in [(0x88, .close), (0x89, .ping), (0x8A, .pong)] {
            expectThrows(.controlFrameTooLong(opcode), [first, 126], .client)
            expectThrows(.controlFrameTooLong(opcode), [first, 127], .client)
            expectThrows(.controlFrameTooLong(opcode), [first, 0xFE], .server)
            expectThrows(.controlFrameTooLong(opcode), [first, 0xFF], .server)
        }
    }

    @Test("RFC 6455 §5.2: a length that is not minimally encoded is rejected")
    func lengthNotMinimal() {
        for length: UInt8 in [0, 1, 125] {
            expectThrows(.lengthNotMinimal, [0x82, 0x7E, 0, length], .client)
            expectThrows(.lengthNotMinimal, [0x82, 0xFE, 0, length], .server)
        }
        for length: [UInt8] in [[0, 0], [0, 125], [0, 126], [0xFF, 0xFF]] {
            expectThrows(.lengthNotMinimal, [0x82, 0x7F, 0, 0, 0, 0, 0, 0] + length, .client)
            expectThrows(.lengthNotMinimal, [0x82, 0xFF, 0, 0, 0, 0, 0, 0] + length, .server)
        }
    }

    @Test("RFC 6455 §5.2: a length with its most significant bit set is rejected")
    func lengthTooLarge() {
        for second: UInt8 in [0x7F, 0xFF] {
            let role: Role = second == 0x7F ? .client : .server
            expectThrows(.lengthTooLarge, [0x82, second, 0x80, 0, 0, 0, 0, 0, 0, 0], role)
            expectThrows(.lengthTooLarge, [0x82, second] + [UInt8](repeating: 0xFF, count: 8), role)
        }
    }

    private func maskedHeader(_ opcode: Opcode, _ payloadBytes: Int) -> FrameHeader {
        FrameHeader(opcode: opcode, maskingKey: maskingKey(exampleKey), payloadBytes: payloadBytes)
    }

    private func decode(_ bytes: some Sequence<UInt8>, _ role: Role) throws(ProtocolError) -> FrameHeader? {
        let bytes = Array(bytes)
        return try FrameHeader.decode(bytes.span.bytes, receivedBy: role)
    }

    private func expectThrows(
        _ error: ProtocolError, _ bytes: [UInt8], _ role: Role, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, sourceLocation: sourceLocation) {
            try decode(bytes, role)
        }
    }
}
