import Formats
import TestSupport
import Testing

@testable import Conversation

@Suite struct DataReaderTests {
    @Test(
        "The first character that is not blank tells CSV from JSON",
        arguments: [
            ("user\nAda\n", ["user"], [["Ada"]]), (#"{"user":"Ada"}"#, ["user"], [["Ada"]]),
            ("\u{FEFF}user\nAda", ["user"], [["Ada"]]), ("\u{FEFF}{\"user\":\"Ada\"}\n", ["user"], [["Ada"]]),
            (" \n\t\r\n {\"user\":\"Ada\"}", ["user"], [["Ada"]]), ("\n\r\n user\nAda", ["user"], [["Ada"]]),
            ("[a\nb", ["[a"], [["b"]]), ("user", ["user"], []),
        ] as [(String, [String], [[String]])])
    func detection(file: String, columns: [String], rows: [[String]]) throws {
        let contents = try DataContents(file)
        expectEqual(contents.columns, columns)
        expectEqual(contents.rows, rows)
    }

    @Test(
        "Cut at every offset, a file has the same rows",
        arguments: [
            "\u{FEFF}user,token\r\nAda,\"a \"\"b\"\", é\r\nc\"\r\n\r\nBo,\n\"\",\"x\"",
            "\u{FEFF}\n{\"a\":\"é\",\"b\":[1, 2]}\r\n\n{\"b\":null,\"a\":\"\\u00e9\",\"c\":1}",
        ])
    func cuts(file: String) throws {
        let whole = try DataContents(file)
        #expect(whole.rows.count > 1)
        let bytes = Array(file.utf8)
        try expectEqual(DataContents(bytes.map { [$0] }), whole)
        for offset in bytes.indices {
            try expectEqual(DataContents([Array(bytes[..<offset]), Array(bytes[offset...])]), whole)
        }
    }

    @Test("An empty file has no columns", arguments: ["", "\n \r\n", "\u{FEFF}"])
    func empty(file: String) {
        #expect(throws: DataError.self) { try DataContents(file) }
        do throws(DataError) {
            _ = try DataContents(file)
        } catch {
            expectEqual(error.reason, .noColumns)
        }
    }

    @Test("Rows are read on demand, and the reader keeps at most a block and a row")
    func demand() throws {
        var reader = DataReader(maximumRowBytes: 100)
        reader.receive("id,name\n")
        let columns = try reader.readColumns()
        expectEqual(columns?.names, ["id", "name"])
        var values = try reader.values()
        expectNil(values)
        expectFalse(reader.isAtEnd)
        var count = 0
        for block in 0..<1000 {
            reader.receive((0..<20).map { "\(block * 20 + $0),\"name \($0)\"\n" }.joined())
            while let row = try reader.nextRow() {
                expectEqual(row.line, count + 2)
                expectEqual(row.texts[0], "\(count)")
                count += 1
            }
            expectEqual(reader.bufferedByteCount, 0)
        }
        expectEqual(count, 20_000)
        reader.finish()
        for _ in 0..<2 {
            values = try reader.values()
            expectNil(values)
            expectTrue(reader.isAtEnd)
        }
    }

    @Test("Reading the columns keeps the first row", arguments: ["a\n1\n2", "{\"a\":1}\n{\"a\":2}"])
    func columnsFirst(file: String) throws {
        var reader = DataReader()
        var columns = try reader.readColumns()
        expectNil(columns)
        reader.receive(file)
        reader.finish()
        for _ in 0..<2 {
            columns = try reader.readColumns()
            expectEqual(columns?.names, ["a"])
        }
        for expected in ["1", "2"] {
            expectFalse(reader.isAtEnd)
            let values = try reader.values()
            expectEqual(values, [expected])
        }
        let values = try reader.values()
        expectNil(values)
        expectTrue(reader.isAtEnd)
    }

    @Test("The reader is not at its end before it has returned a single row")
    func singleRow() throws {
        var reader = DataReader()
        reader.receive("a\n1")
        reader.finish()
        _ = try reader.readColumns()
        expectFalse(reader.isAtEnd)
        let values = try reader.values()
        expectEqual(values, ["1"])
        expectTrue(reader.isAtEnd)
    }

    @Test("A row sets the first variables")
    func variables() throws {
        var names = try VariableNames(["user", "id"])
        let sid = try names.add("sid")
        var variables = TemplateVariables(names)
        variables.set(sid, to: "s")
        var reader = DataReader()
        reader.receive(#"{"user":"Ada \"L\"","id":7}"#)
        reader.finish()
        let row = try reader.nextRow()
        if let row { variables.set(row) }
        let template = try Template("{{json:user}} {{json:id}} {{id}} {{sid}}", variables: names)
        try expectEqual(template.text(.first, variables), #""Ada \"L\"" 7 7 s"#)
    }

    static let wordsCases: [(String, String)] = [
        (
            "a,b\n1,2,3",
            "line 2, column 5: the row has 3 values for 2 columns; quote values that contain commas"
        ),
        ("a\n1,2", "line 2, column 3: the row has 2 values for 1 column; quote values that contain commas"),
        ("a,b\n1", "line 2, column 2: the row has 1 value for 2 columns; separate values with commas"),
        ("a,a", "line 1, column 3: two columns are named \"a\"; rename one"),
        ("a,,b", "line 1, column 3: a column has no name; name it, or remove it"),
        ("a,time", "line 1, column 3: \"time\" is a placeholder with its own meaning; choose another name"),
        ("a\n\"b", "line 2, column 1: the closing '\"' of the value is missing"),
        ("{\"a\":1}\n{\"b\":1}", "line 2, column 1: the object has no \"a\", which the first one has"),
        ("{\"a\":1}\n{\"a\":x}", "line 2, column 6: the line is not JSON: unexpected character"),
        ("{\"a\":1}\n{\"a\"", "line 2, column 5: the line is not JSON: the text is incomplete"),
        ("{\"a\":1}\n[]", "line 2, column 1: expected a JSON object, as in the first line"),
        ("{}", "line 1, column 1: no columns; begin with a row of column names, or a JSON object with members"),
    ]

    @Test("An error is one line with the position, the mistake, and the remedy", arguments: Self.wordsCases)
    func words(file: String, text: String) {
        do throws(DataError) {
            _ = try DataContents(file)
            Issue.record("accepted")
        } catch {
            expectEqual("\(error)", text)
        }
    }
}

extension DataReader {
    fileprivate mutating func receive(_ block: String) {
        let bytes = Array(block.utf8)
        receive(bytes.span.bytes)
    }

    /// The values of the next row.
    fileprivate mutating func values() throws(DataError) -> [String]? {
        try nextRow()?.texts
    }
}
