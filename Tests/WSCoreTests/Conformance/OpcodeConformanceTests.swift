import Testing
import WSCore

@Suite struct OpcodeConformanceTests {
    @Test(
        "RFC 6455 §5.2, Autobahn 4: a reserved opcode fails the connection, and later frames are not answered",
        arguments: cases, Role.allCases)
    func opcodes(of testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    /// Reserved data opcodes, then reserved control opcodes.
    static let cases = cases("4.1", firstOpcode: 3) + cases("4.2", firstOpcode: 11)

    private static func cases(_ group: String, firstOpcode: UInt8) -> [ConformanceCase] {
        let hello = frame(0x81, "Hello, world!")
        let payloads = ["", "reserved opcode payload", "", "Hello, world!", "Hello, world!"]
        return payloads.enumerated().map { index, payload in
            let opcode = firstOpcode + UInt8(index)
            let reserved = frame(0x80 | opcode, payload)
            let isAfterMessage = index >= 2
            return ConformanceCase(
                "\(group).\(index + 1)", isAfterMessage ? [hello, reserved, frame(0x89)] : [reserved],
                answers: isAfterMessage ? [hello] : [], .violation(.reservedOpcode(opcode), 1002),
                chopBytes: index == 4 ? 1 : nil)
        }
    }
}
