import TestSupport
import Testing

@testable import WSCore

@Suite struct ByteRangeTests {
    static let partCases: [(String, Range<Int>)] = [
        ("bytes=0-0", 0..<1), ("bytes=2-4", 2..<5), ("bytes=9-", 9..<10), ("bytes=0-", 0..<10),
        ("bytes=5-99", 5..<10),
        ("bytes=-3", 7..<10), ("bytes=-99", 0..<10), ("Bytes=1-2", 1..<3), ("bytes= 1-2 ", 1..<3),
        ("bytes=,1-2,", 1..<3), ("bytes=1-99999999999999999999999", 1..<10),
        ("bytes=-99999999999999999999999", 0..<10), ("bytes=001-002", 1..<3),
        ("bytes=9-9223372036854775807", 9..<10),
    ]

    @Test("a single range selects a part of the file (RFC 9110 §14.1.1, §14.1.3)", arguments: Self.partCases)
    func part(value: String, range: Range<Int>) {
        expectEqual(ByteRange(parsing: [value], size: 10), .part(range))
    }

    @Test(
        "a range after the end, or an empty suffix, is unsatisfiable (RFC 9110 §14.1.2)",
        arguments: ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"])
    func unsatisfiable(value: String) {
        expectEqual(ByteRange(parsing: [value], size: 10), .unsatisfiable)
    }

    static let wholeCases: [String] = [
        "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "bytes=4-2", "bytes=1-2,4-5", "bytes=1-2-3",
        "bytes=+1-2", "bytes=1--2", "bytes =1-2", "lines=1-2", "bytes=1 -2", "bytes=0x1-2", "1-2",
    ]

    @Test("a malformed range, or several ranges, are ignored (RFC 9110 §14.2)", arguments: Self.wholeCases)
    func whole(value: String) {
        expectEqual(ByteRange(parsing: [value], size: 10), .whole)
    }

    @Test("a missing or repeated field is ignored, and an empty file is only served whole")
    func edges() {
        expectEqual(ByteRange(parsing: [], size: 10), .whole)
        expectEqual(ByteRange(parsing: ["bytes=1-2", "bytes=1-2"], size: 10), .whole)
        expectEqual(ByteRange(parsing: ["bytes=0-"], size: 0), .unsatisfiable)
        expectEqual(ByteRange(parsing: ["bytes=-1"], size: 0), .whole)
    }
}
