import Testing
import WSCore

@Suite struct FramingConformanceTests {
    @Test(
        "RFC 6455 §5.2, Autobahn 1: messages of every length encoding are echoed",
        arguments: cases, Role.allCases)
    func framing(of testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    /// The lengths around the boundaries between length encodings.
    private static let lengths = [0, 125, 126, 127, 128, 65_535, 65_536]

    static let cases: [ConformanceCase] =
        cases("1.1", frame: 0x81, byte: UInt8(ascii: "*")) + cases("1.2", frame: 0x82, byte: 0xFE)

    private static func cases(_ group: String, frame first: UInt8, byte: UInt8) -> [ConformanceCase] {
        let inOneWrite = lengths.enumerated().map { index, length in
            ConformanceCase("\(group).\(index + 1)", echoing: [frame(first, [UInt8](repeating: byte, count: length))])
        }
        let chopped = [frame(first, [UInt8](repeating: byte, count: 65_536))]
        return inOneWrite + [ConformanceCase("\(group).8", echoing: chopped, chopBytes: 997)]
    }
}
