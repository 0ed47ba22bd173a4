import Testing
import WSCore

@Suite struct ReservedBitsConformanceTests {
    @Test(
        "RFC 6455 §5.2, Autobahn 3: a reserved bit fails the connection, and later frames are not answered",
        arguments: cases, Role.allCases)
    func reservedBits(of testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    private static let bytes: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]

    static let cases: [ConformanceCase] = [
        ConformanceCase("3.1", [frame(0x91, "Hello, world!")], .violation(.reservedBits(1), 1002)),
        afterMessage("3.2", bits: 2),
        afterMessage("3.3", bits: 3),
        afterMessage("3.4", bits: 4, chopBytes: 1),
        ConformanceCase("3.5", [frame(0xD2, bytes)], .violation(.reservedBits(5), 1002)),
        ConformanceCase("3.6", [frame(0xE2, "Hello, world!")], .violation(.reservedBits(6), 1002)),
        ConformanceCase("3.7", [frame(0xF8)], .violation(.reservedBits(7), 1002)),
    ]

    /// Sets bits on the second of two messages. The first is echoed, and the ping after them is not answered.
    private static func afterMessage(_ number: String, bits: UInt8, chopBytes: Int? = nil) -> ConformanceCase {
        let hello = frame(0x81, "Hello, world!")
        return ConformanceCase(
            number, [hello, frame(0x81 | bits << 4, "Hello, world!"), frame(0x89)], answers: [hello],
            .violation(.reservedBits(bits), 1002), chopBytes: chopBytes)
    }
}
