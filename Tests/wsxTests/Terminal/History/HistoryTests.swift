import Conversation
import Glibc
import Testing
import WSCore

@testable import UserInterface

@Suite struct HistoryTests {
    @Test("Lines are available in the next session, including multi-line entries")
    func sessions() throws {
        try withFile([]) { path in
            let first = History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
            for line in ["one", "two\nlines", "two\nlines", "#3"] { first.record(Array(line.utf8)) }
            let second = History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
            second.load()
            #expect(second.lines == ["one", "two\nlines", "#3"].map { Array($0.utf8) })
            #expect(second.line(number: 2) == Array("two\nlines".utf8))
            #expect(second.line(number: 0) == nil && second.line(number: 4) == nil && second.line(number: .min) == nil)
        }
    }

    @Test("Concurrent sessions keep each other's lines")
    func concurrent() throws {
        try withFile([]) { path in
            let sessions = [
                History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) },
                History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) },
            ]
            for number in 0..<10 {
                for (index, session) in sessions.enumerated() { session.record(Array("\(index) \(number)".utf8)) }
            }
            let next = History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
            next.load()
            #expect(next.lines.count == 20)
            #expect(Set(next.lines).count == 20)
        }
    }

    @Test("A line rejected by the policy is remembered but not saved")
    func policy() throws {
        try withFile([]) { path in
            let record = SecretRecord()
            record.add(inserted: "hush")
            let history = History(path: path, isOwnFile: false) { HistoryPolicy(secrets: record) }
            #expect(history.record(Array("hush".utf8)))
            #expect(history.lines.count == 1)
            let next = History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
            next.load()
            #expect(next.lines.isEmpty)
        }
    }

    @Test("A long file is truncated to the latest entries at startup, and stays private")
    func bounded() throws {
        let entries = (0..<1300).map { HistoryEntry(time: $0, line: Array("line \($0)".utf8)) }
        try withFile(HistoryFormat.bytes(of: entries)) { path in
            let history = History(path: path, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
            history.load()
            #expect(history.lines.count == History.maximumEntries)
            let contents = try File.read(path)
            #expect(HistoryFormat.entries(in: contents) == Array(entries.suffix(History.maximumEntries)))
            history.record(Array("next".utf8))
            #expect(history.lines.count == History.maximumEntries)
            #expect(history.line(number: history.firstNumber + History.maximumEntries - 1) == Array("next".utf8))
        }
    }

    @Test(
        "The program's own file is made private, and the user's file keeps its permissions",
        arguments: [true, false])
    func owner(isOwnFile: Bool) throws {
        try withFile(Array("one\n".utf8)) { path in
            #expect(chmod(path, 0o644) == 0)
            let history = History(path: path, isOwnFile: isOwnFile) { HistoryPolicy(secrets: SecretRecord()) }
            history.load()
            #expect(history.lines == [Array("one".utf8)])
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == (isOwnFile ? 0o600 : 0o644))
        }
    }

    @Test("A failure is reported once, and lines are still remembered")
    func failing() {
        let history = History(path: "/dev/null/none", isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
        var problems: [String] = []
        history.didFail = { problems.append($0) }
        history.load()
        history.record(Array("one".utf8))
        history.record(Array("two".utf8))
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("the history cannot be saved: /dev/null/none: ") ?? false)
        #expect(history.lines.count == 2)
    }

    @Test("The list numbers the lines and escapes control characters")
    func list() {
        let history = History()
        for line in ["one", "two\n2", "\u{1B}[31m"] { history.record(Array(line.utf8)) }
        #expect(HistoryQuery.text(of: HistoryQuery.latest(2).lines(of: history)) == "2  two\n   2\n3  \\u{1B}[31m\n")
        #expect(HistoryQuery.matching("^o").lines(of: history).map(\.number) == [1])
    }
}
