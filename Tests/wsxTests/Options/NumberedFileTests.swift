import TestSupport
import Testing

@testable import Bench

@Suite struct NumberedFileTests {
    @Test(
        "What follows the last colon is a number, unless the whole is the name of a file",
        arguments: [
            ("a.json:70", "a.json", "70"), ("a.json:0.5", "a.json", "0.5"), ("a:1:2", "a:1", "2"),
            ("a.json", "a.json", nil),
            ("a:b", "a:b", nil), ("a:", "a:", nil), (":5", ":5", nil), ("a:-1", "a:-1", nil), ("file:3", "file:3", nil),
        ] as [(String, String, String?)])
    func splitting(value: String, path: String, number: String?) {
        let file = NumberedFile(value) { $0 == "file:3" }
        expectEqual(file.path, path)
        expectEqual(file.number, number)
    }
}
