import TestSupport
import Testing

@testable import Conversation

@Suite struct CSVReaderTests {
    static let valuesCases: [(String, [[String]])] = [
        ("a,b\n1,2\n", [["1", "2"]]), ("a,b\r\n1,2\r\n", [["1", "2"]]), ("a,b\n1,2", [["1", "2"]]),
        ("a,b\n1,2\r", [["1", "2"]]), ("a,b\n,\n", [["", ""]]), ("a,b\n\"\",\"\"", [["", ""]]),
        ("a,b\n\"1\",\"2,3\"", [["1", "2,3"]]), ("a,b\n\"x \"\"y\"\"\",z", [["x \"y\"", "z"]]),
        ("a,b\n\"1\n2\",\"3\r\n4\"", [["1\n2", "3\r\n4"]]), ("a,b\n\"a\rb\",c", [["a\rb", "c"]]),
        ("a,b\n 1 , 2 ", [[" 1 ", " 2 "]]), ("a,b\n\"\"\"\",é", [["\"", "é"]]),
        ("\"a\",\" b \"\n1,2", [["1", "2"]]), ("a,b\n1,", [["1", ""]]), ("a,b\n1,\"\"", [["1", ""]]),
        ("a,b\n\u{0},\t", [["\u{0}", "\t"]]),
    ]

    @Test("RFC 4180: rows have values with and without quotes", arguments: Self.valuesCases)
    func values(file: String, rows: [[String]]) throws {
        let contents = try DataContents(file)
        expectEqual(contents.columns, ["a", "b"])
        expectEqual(contents.rows, rows)
    }

    @Test("Empty lines are skipped, and quotes make a row with an empty value")
    func emptyLines() throws {
        let contents = try DataContents("\n\na\n\n1\r\n\r\n\"\"\n\n\n")
        expectEqual(contents.rows, [["1"], [""]])
        expectEqual(contents.lines, [5, 7])
    }

    @Test("Blanks around the names of columns are ignored")
    func blanks() throws {
        try expectEqual(DataContents("user , token id,\tc\n1,2,3").columns, ["user", "token id", "c"])
    }

    @Test("A row knows the line in which it begins, after values of several lines, too")
    func lines() throws {
        let contents = try DataContents("a,b\n\"1\n2\",3\n4,\"5\n\n6\"\n7,8\n")
        expectEqual(contents.lines, [2, 4, 7])
    }

    @Test(
        "A mistake is reported with its line and column",
        arguments: [
            ("a,b\n1", .tooFewValues(1, columnCount: 2), 2, 2), ("a,b\n1\n2,3", .tooFewValues(1, columnCount: 2), 2, 2),
            ("a,b\né,2,3", .tooManyValues(3, columnCount: 2), 2, 5),
            ("a\n1\n2,", .tooManyValues(2, columnCount: 1), 3, 3),
            ("a,b,a", .repeatedColumn("a"), 1, 5), ("\n a ,a", .repeatedColumn("a"), 2, 5),
            ("a,", .columnName(.empty), 1, 3), (",a", .columnName(.empty), 1, 1), ("\"\"", .columnName(.empty), 1, 1),
            ("a,seq", .columnName(.placeholder("seq")), 1, 3), ("a{", .columnName(.unusable("a{")), 1, 1),
            ("a\nb\"c", .quoteInValue, 2, 2), ("a\n \"b\"", .quoteInValue, 2, 2),
            ("a\n\"b\"c", .textAfterQuote, 2, 4), ("a\n\"b\" ", .textAfterQuote, 2, 4),
            ("a\n\"b", .quoteNotClosed, 2, 1), ("a,b\n1,\"2\n\n3\"\"\n", .quoteNotClosed, 2, 3),
            ("a\rb", .carriageReturn, 1, 3), ("a\n1\r\r\n", .carriageReturn, 2, 3),
        ] as [(String, DataError.Reason, Int, Int)])
    func mistakes(file: String, reason: DataError.Reason, line: Int, column: Int) {
        for blocks in [[Array(file.utf8)], file.utf8.map { [$0] }] {
            #expect(throws: DataError(reason, at: TextPosition(line: line, column: column))) {
                try DataContents(blocks)
            }
        }
    }

    @Test("Invalid UTF-8 is reported with the position of the value", arguments: [[0xFF], [0xC3], [0xC3, 0x2C, 0xA9]])
    func invalidText(value: [UInt8]) {
        let file = Array("a,b\n1,2\n3,".utf8) + value
        #expect(throws: DataError(.notUTF8, at: TextPosition(line: 3, column: 3))) { try DataContents([file]) }
    }

    @Test("A row may have the maximum size, but no more")
    func limit() throws {
        let value = String(repeating: "x", count: 98)
        try expectEqual(DataContents(Self.blocks("a,b\n\(value),\n"), maximumRowBytes: 99).rows, [[value, ""]])
        #expect(throws: DataError(.rowTooLong(maximumBytes: 98), at: TextPosition(line: 2))) {
            try DataContents(Self.blocks("a,b\n\(value),\n"), maximumRowBytes: 98)
        }
        // A missing quotation mark makes the rest of the file one value.
        let rest = String(repeating: "1,2\n", count: 1000)
        #expect(throws: DataError(.rowTooLong(maximumBytes: 500), at: TextPosition(line: 3))) {
            try DataContents(Self.blocks("a,b\n1,2\n3,\"4\n" + rest), maximumRowBytes: 500)
        }
        expectEqual("\(DataError.Reason.rowTooLong(maximumBytes: 1 << 20))", "the row is longer than 1,048,576 bytes")
    }

    private static func blocks(_ file: String) -> [[UInt8]] {
        file.utf8.map { [$0] }
    }
}
