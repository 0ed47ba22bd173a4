import Conversation
import Testing
import WSCore

@testable import UserInterface

@Suite struct DataFileTests {
    private static let users = Array("user,token\nAda,1\nBo,2\nCy,3\n".utf8)

    private static func value(_ row: DataRow?, _ column: Int = 0) -> String? {
        row?.withValue(column) { text, _ in text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    private static var secrets: Secrets { Secrets(environment: { $0 == "KEY" ? "k" : nil }) }

    private static func variables(_ parameters: [String]) -> ProtocolArguments {
        var arguments = ProtocolArguments()
        for text in parameters {
            if let parameter = try? ProtocolParameterValue.parse(text) { arguments.parameters.append(parameter) }
        }
        return arguments
    }

    private static func file(_ path: String?, _ parameters: String...) throws(Failure) -> DataFile {
        guard let file = try DataFile(path, variables(parameters), secrets: secrets) else {
            throw .badArgument(what: "test", why: "no variables")
        }
        return file
    }

    private static func chosen(
        _ arguments: DataArguments, _ parameters: String..., sets: [String] = []
    ) throws(Failure) -> ChosenRow {
        try ChosenRow(
            arguments, variables(parameters), sets: sets.compactMap { try? SetVariableValue.parse($0) },
            secrets: secrets)
    }

    @Test(
        "Each connection gets the row with its number, whatever their order",
        arguments: [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    func rows(order: [UInt64]) throws {
        try withFile(Self.users) { path in
            let file = try Self.file(path)
            #expect(file.columns.names == ["user", "token"])
            #expect(Self.value(file.firstRow) == "Ada")
            for number in order { #expect(Self.value(file.takeRow(number)) == ["Ada", "Bo", "Cy"][Int(number)]) }
            #expect(file.failure == nil)
        }
    }

    @Test("Rows are not used twice: the failure says that they are used up")
    func exhaustion() throws {
        try withFile(Self.users) { path in
            let file = try Self.file(path)
            #expect(file.takeRow(3) == nil)
            #expect(file.failure?.message?.contains("the test has used all 3 rows") == true)
            #expect(Self.value(file.takeRow(2)) == "Cy", "earlier connections still have their rows")
        }
    }

    @Test("Missing rows are found before the load")
    func tooFew() throws {
        try withFile(Self.users) { path in
            try Self.file(path).load(3)
            expectMessage(
                "--data \(path): the file has only 3 rows for 4 connections; add rows, or open fewer connections"
            ) { () throws(Failure) in try Self.file(path).load(4) }
        }
    }

    @Test("The error of an unusable row names its line")
    func unusable() throws {
        try withFile(Self.users) { path in
            expectMessage("--data \(path), line 3: --header: no") { () throws(Failure) in
                try Self.file(path).load(3) { (number, row) throws(Failure) in
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
            ) { () throws(Failure) in try Self.file(path).load(2) }
        }
        try withFile([]) { path in
            expectMessage(
                "--data \(path), line 1, column 1: no columns; begin with a row of column names, or a JSON object with "
                    + "members"
            ) { () throws(Failure) in _ = try Self.file(path) }
        }
        try withFile(Array("a\n".utf8)) { path in
            expectMessage("--data \(path): the file has no rows; add one for each connection") {
                () throws(Failure) in _ = try Self.file(path)
            }
        }
        expectMessage("--data /nonexistent: no such file or directory; check the path") { () throws(Failure) in
            _ = try Self.file("/nonexistent")
        }
    }

    @Test("One row is chosen by its number")
    func chosenRow() throws {
        try withFile(Array("{\"user\":\"Ada\"}\n{\"user\":\"Bo\"}\n".utf8)) { path in
            var arguments = DataArguments()
            var chosen = try Self.chosen(arguments)
            #expect(chosen.row == nil)
            arguments.path = path
            chosen = try Self.chosen(arguments)
            #expect(Self.value(chosen.row) == "Ada")
            arguments.row = 2
            chosen = try Self.chosen(arguments)
            #expect(Self.value(chosen.row) == "Bo")
            arguments.row = 3
            expectMessage("--row 3: \(path) has only 2 rows; choose a row from 1 to 2") {
                () throws(Failure) in _ = try Self.chosen(arguments)
            }
        }
    }

    @Test("Variables follow the columns, and are the same in each row")
    func variables() throws {
        try withFile(Self.users) { path in
            let file = try Self.file(path, "a=x", "b=env:KEY", "a=y")
            #expect(file.columns.names == ["user", "token", "b", "a"] && file.columns.secretSlots == [1, 2])
            for number in [1, 0] as [UInt64] {
                let row = file.takeRow(number)
                #expect(Self.value(row, 2) == "k" && Self.value(row, 3) == "y" && row?.count == 4)
            }
            expectMessage("--param user: there is another variable \"user\"; choose another name") {
                () throws(Failure) in _ = try Self.file(path, "user=x")
            }
        }
        let file = try Self.file(nil, "a=x")
        for number in [7, 7, 0] as [UInt64] { #expect(Self.value(file.takeRow(number)) == "x") }
        try file.load(3)
        #expect(throws: Failure.self) { try Self.file(nil) }
        let chosen = try Self.chosen(DataArguments(), "a=x", sets: ["s=.s", "t=.t"])
        #expect(chosen.columns.names == ["a", "s", "t"] && chosen.extractions.map(\.slot) == [1, 2])
        #expect(Self.value(chosen.row) == "x")
        expectMessage("--set a: there is another variable \"a\"; choose another name") {
            () throws(Failure) in _ = try Self.chosen(DataArguments(), "a=x", sets: ["a=.s"])
        }
    }
}
