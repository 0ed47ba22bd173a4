import Formats
import TestSupport
import Testing

@testable import Conversation

@Suite struct ObjectLineReaderTests {
    @Test("Strings become text, and other values stay JSON")
    func values() throws {
        let contents = try DataContents(
            #"{"s":"a\"é\u00e9","n":-1.50,"o":{"x": [1, "a b"]},"t":true,"e":""}"# + "\n"
                + #"{"e":"x","t":null,"o":[],"n":"1","s":{}}"#)
        expectEqual(contents.columns, ["s", "n", "o", "t", "e"])
        expectEqual(
            contents.rows, [["a\"éé", "-1.50", #"{"x":[1,"a b"]}"#, "true", ""], ["{}", "1", "[]", "null", "x"]])
    }

    @Test("Further members and empty lines are ignored, and the last of equal names counts")
    func further() throws {
        let contents = try DataContents("{\"a\":1,\"\\u0061\":2}\r\n\n \t\n{\"b\":{\"a\":3},\"a\":4}\n")
        expectEqual(contents.columns, ["a"])
        expectEqual(contents.rows, [["2"], ["4"]])
        expectEqual(contents.lines, [1, 4])
    }

    @Test(
        "A mistake is reported with its line and column",
        arguments: [
            (" {\"a\":1}\n x", .notJSON(.unexpected(offset: 1)), 2, 2),
            (" {é}", .notJSON(.unexpected(offset: 1)), 1, 3),
            ("{\"a\":1} {}", .notJSON(.unexpected(offset: 8)), 1, 9),
            ("{\"é\":[}", .notJSON(.unexpected(offset: 7)), 1, 7),
            ("{\"a\":1}\n\n{\"a\":1", .notJSON(.truncated), 3, 7), ("{\"a\":1}\n7", .notAnObject, 2, 1),
            ("{\"a\":1}\n{\"A\":1}", .missingMember("a"), 2, 1), ("{}", .noColumns, 1, 1),
            ("{\"a\":1,\"time\":1}", .columnName(.placeholder("time")), 1, 8),
            ("{\"a\":1,\"\":1}", .columnName(.empty), 1, 8),
        ] as [(String, DataError.Reason, Int, Int)])
    func mistakes(file: String, reason: DataError.Reason, line: Int, column: Int) {
        for blocks in [[Array(file.utf8)], file.utf8.map { [$0] }] {
            #expect(throws: DataError(reason, at: TextPosition(line: line, column: column))) {
                try DataContents(blocks)
            }
        }
    }

    @Test("Invalid UTF-8 is reported with its line")
    func invalidText() {
        let file = Array("{\"a\":1}\n{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(throws: DataError(.notUTF8, at: TextPosition(line: 2))) { try DataContents([file]) }
    }

    @Test("A line may have the maximum size, but no more")
    func limit() throws {
        let file = "{\"a\":1}\n{\"a\":10}"
        try expectEqual(DataContents([Array(file.utf8)], maximumRowBytes: 8).rows, [["1"], ["10"]])
        for blocks in [[Array(file.utf8)], file.utf8.map { [$0] }] {
            #expect(throws: DataError(.rowTooLong(maximumBytes: 7), at: TextPosition(line: 2))) {
                try DataContents(blocks, maximumRowBytes: 7)
            }
        }
    }

    @Test("An object may have many members")
    func manyMembers() throws {
        let members = (0..<20_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let contents = try DataContents("{\(members)}\n{\(members)}")
        expectEqual(contents.rows.count, 2)
        expectEqual(contents.rows.last?.last, "19999")
    }
}
