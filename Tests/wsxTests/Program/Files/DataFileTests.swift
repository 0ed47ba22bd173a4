import Conversation
import Testing
import WSCore

@testable import UserInterface

@Suite struct DataFileTests {
    private static let users = Array("user,token\nAda,1\nBo,2\nCy,3\n".utf8)

    private static func value(_ row: DataRow?, _ column: Int = 0) -> String? {
        row?.withValue(column) { text, _ in text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    @Test(
        "Each connection gets the row with its number, whatever their order",
        arguments: [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    func rows(order: [UInt64]) throws {
        try withFile(Self.users) { path in
            let file = try DataFile(path)
            #expect(file.columns.names == ["user", "token"])
            #expect(Self.value(file.firstRow) == "Ada")
            for number in order { #expect(Self.value(file.takeRow(number)) == ["Ada", "Bo", "Cy"][Int(number)]) }
            #expect(file.failure == nil)
        }
    }

    @Test("Rows are not used twice: the failure says that they are used up")
    func exhaustion() throws {
        try withFile(Self.users) { path in
            let file = try DataFile(path)
            #expect(file.takeRow(3) == nil)
            #expect(file.failure?.message?.contains("the test has used all 3 rows") == true)
            #expect(Self.value(file.takeRow(2)) == "Cy", "earlier connections still have their rows")
        }
    }

    @Test("Missing rows are found before the load")
    func tooFew() throws {
        try withFile(Self.users) { path in
            try DataFile(path).load(3)
            expectMessage(
                "--data \(path): the file has only 3 rows for 4 connections; add rows, or open fewer connections"
            ) { () throws(Failure) in try DataFile(path).load(4) }
        }
    }

    @Test("The error of an unusable row names its line")
    func unusable() throws {
        try withFile(Self.users) { path in
            expectMessage("--data \(path), line 3: --header: no") { () throws(Failure) in
                try DataFile(path).load(3) { (number, row) throws(Failure) in
                    if number == 1 { throw .badArgument(what: "--header", why: "no") }
                }
            }
        }
    }

    @Test("Errors of the file name the line and the column")
    func invalid() throws {
        try withFile(Array("a,b\n1,2\n3\n".utf8)) { path in
            expectMessage(
                "--data \(path), line 3, column 2: the row has 1 value for 2 columns; separate values with commas"
            ) { () throws(Failure) in try DataFile(path).load(2) }
        }
        try withFile([]) { path in
            expectMessage(
                "--data \(path), line 1, column 1: no columns; begin with a row of column names, or a JSON object with "
                    + "members"
            ) { () throws(Failure) in _ = try DataFile(path) }
        }
        try withFile(Array("a\n".utf8)) { path in
            expectMessage("--data \(path): the file has no rows; add one for each connection") {
                () throws(Failure) in _ = try DataFile(path)
            }
        }
        expectMessage("--data /nonexistent: no such file or directory; check the path") { () throws(Failure) in
            _ = try DataFile("/nonexistent")
        }
    }

    @Test("One row is chosen by its number")
    func chosenRow() throws {
        try withFile(Array("{\"user\":\"Ada\"}\n{\"user\":\"Bo\"}\n".utf8)) { path in
            var arguments = DataArguments()
            var chosen = try ChosenRow(arguments)
            #expect(chosen.row == nil)
            arguments.path = path
            chosen = try ChosenRow(arguments)
            #expect(Self.value(chosen.row) == "Ada")
            arguments.row = 2
            chosen = try ChosenRow(arguments)
            #expect(Self.value(chosen.row) == "Bo")
            arguments.row = 3
            expectMessage("--row 3: \(path) has only 2 rows; choose a row from 1 to 2") {
                () throws(Failure) in _ = try ChosenRow(arguments)
            }
        }
    }
}
