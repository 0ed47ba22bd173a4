import TestSupport
import Testing

@testable import Bench

@Suite struct NumberedFileTests {
    @Test(
        "What follows the last colon is a number, unless the whole is the name of a file",
        arguments: [
            ("a.json:70", "a.json", "70"), ("a.json:0.5", "a.json", "0.5"), ("a:1:2", "a:1", "2"),
            ("a.json", "a.json", nil),
            ("a:b", "a:b", nil), (":5", ":5", nil), ("file:3", "file:3", nil), ("17:22.csv", "17:22.csv", nil),
            ("a:1/b", "a:1/b", nil), ("a:2026-11-30", "a:2026-11-30", nil),
            ("a:", "a", ""), ("a:-1", "a", "-1"), ("a:1k", "a", "1k"), ("a:1e5", "a", "1e5"),
        ] as [(String, String, String?)])
    func splitting(value: String, path: String, number: String?) {
        let file = NumberedFile(value) { $0 == "file:3" }
        expectEqual(file.path, path)
        expectEqual(file.number, number)
    }

    @Test(
        "A number consists of digits and at most one point",
        arguments: [
            ("a", 1), ("a:70", 70), ("a:0.5", 0.5), ("a:", nil), ("a:-1", nil), ("a:1k", nil), ("a:1e5", nil),
            ("a:1.2.3", nil),
        ] as [(String, Double?)])
    func values(value: String, number: Double?) {
        expectEqual(NumberedFile(value) { _ in false }.value, number)
    }
}
