import Testing
import WSCore

@testable import UserInterface

@Suite struct HeaderFilesTests {
    @Test("Headers keep their order, and those of a file take its place")
    func order() throws {
        try withFile(Array("B: 2\r\nC: 3\n\nD: 4".utf8)) { path in
            let fields = try HeaderFiles.fields(["A: 1", "@\(path)", "E:5"])
            #expect(fields.map { "\($0.name)=\($0.value)" } == ["A=1", "B=2", "C=3", "D=4", "E=5"])
        }
    }

    @Test("An empty file has no headers")
    func empty() throws {
        try withFile([]) { path in
            let fields = try HeaderFiles.fields(["@\(path)"])
            #expect(fields == [])
        }
    }

    @Test("The error for an invalid header line names the file and the line")
    func badLine() throws {
        try withFile(Array("Good: 1\r\n\r\nbad\r\n".utf8)) { path in
            expectMessage("--header @\(path), line 3: there is no colon; write 'Name: value'") {
                () throws(Failure) in _ = try HeaderFiles.fields(["@\(path)"])
            }
        }
    }

    @Test("A file with invalid UTF-8 is rejected rather than changed")
    func invalidText() throws {
        try withFile([0x41, 0x3A, 0xE9]) { path in
            expectMessage("--header @\(path), line 1: it is not UTF-8 text; convert the file to UTF-8") {
                () throws(Failure) in _ = try HeaderFiles.fields(["@\(path)"])
            }
        }
    }

    @Test("The error for a missing file or an invalid header names the option")
    func failures() {
        expectMessage("--header @/no/file: no such file or directory; check the path") {
            () throws(Failure) in _ = try HeaderFiles.fields(["@/no/file"])
        }
        expectMessage("--header: there is no colon; write 'Name: value'") {
            () throws(Failure) in _ = try HeaderFiles.fields(["bad"])
        }
        expectMessage("--file /tmp: it is a directory; name a file") {
            () throws(Failure) in _ = try HeaderFiles.contents(of: "/tmp", for: "--file")
        }
    }
}

/// Expects that `body` fails with this message of ``Failure/badArgument(what:why:)`` or
/// ``Failure/badInput(what:why:)``.
func expectMessage(
    _ message: String, at location: SourceLocation = #_sourceLocation, _ body: () throws(Failure) -> Void
) {
    do throws(Failure) {
        try body()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch {
        #expect(error.message == message, sourceLocation: location)
        #expect(error.kind == .usage, sourceLocation: location)
        #expect(error.status == .usage, sourceLocation: location)
    }
}
