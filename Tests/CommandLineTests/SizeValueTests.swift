import TestSupport
import Testing

@testable import CommandLine

@Suite struct SizeValueTests {
    static let validCases: [(String, Int)] = [
        ("1", 1), ("512", 512), ("64k", 65_536), ("64K", 65_536), ("16M", 16_777_216), ("16m", 16_777_216),
        ("1G", 1_073_741_824), ("1024G", SizeValue.largestBytes), ("0001", 1),
    ]

    @Test("Sizes use powers of 1024, with letters of either case", arguments: Self.validCases)
    func valid(text: String, bytes: Int) throws {
        try expectEqual(SizeValue.parse(text), bytes)
    }

    static let malformedCases: [String] = ["", "k", "1kk", "1.5k", "-1", "+1", "1 k", "1KiB", "64kb", "0x10", "١"]

    @Test("Other texts are not sizes", arguments: Self.malformedCases)
    func malformed(text: String) {
        #expect(throws: ValueProblem.notASize) { try SizeValue.parse(text) }
    }

    @Test(
        "Zero, more than 1 TiB, and numbers that overflow are out of range",
        arguments: [
            "0", "0k", "1025G", "1099511627777", "9223372036854775807", "9223372036854775808",
            "99999999999999999999999G",
        ])
    func outOfRange(text: String) {
        #expect(throws: ValueProblem.outOfRange(1...SizeValue.largestBytes)) { try SizeValue.parse(text) }
    }
}
