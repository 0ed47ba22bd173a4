import TestSupport
import Testing

@testable import CommandLine

@Suite struct CountValueTests {
    @Test(
        "Counts use powers of 1000",
        arguments: [
            ("1", 1), ("5", 5), ("50k", 50_000), ("1M", 1_000_000), ("1G", 1_000_000_000),
            ("1000G", CountValue.largest),
        ])
    func valid(text: String, count: Int) throws {
        try expectEqual(CountValue.parse(text), count)
    }

    @Test("Other texts are not counts", arguments: ["", "k", "1.5k", "-1", "five", "1_000", "1,000"])
    func malformed(text: String) {
        #expect(throws: ValueProblem.notACount) { try CountValue.parse(text) }
    }

    @Test(
        "Zero and numbers that are too large are out of range",
        arguments: ["0", "1001G", "18446744073709551616", "9999999999999G"])
    func outOfRange(text: String) {
        #expect(throws: ValueProblem.outOfRange(1...CountValue.largest)) { try CountValue.parse(text) }
    }
}
