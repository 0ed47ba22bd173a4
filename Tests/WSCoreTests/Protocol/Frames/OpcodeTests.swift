import TestSupport
import Testing
import WSCore

@Suite struct OpcodeTests {
    @Test("RFC 6455 §5.2: opcodes are 0 to 2 for data and 8 to 10 for control frames")
    func values() {
        expectEqual(Opcode.allCases.map(\.rawValue), [0, 1, 2, 8, 9, 10])
        expectEqual(Opcode.allCases.filter(\.isControl), [.close, .ping, .pong])
        for reserved: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] { expectNil(Opcode(rawValue: reserved)) }
    }

    @Test("RFC 6455 §5.6: the first frame of a message has the opcode of its type")
    func kinds() {
        expectEqual(MessageKind.text.opcode, .text)
        expectEqual(MessageKind.binary.opcode, .binary)
    }
}
