import CommandLine
import Testing

@testable import wsx

@Suite struct ManualPageTests {
    @Test("Each option of a command is in its manual page", arguments: TestProgram.pages)
    func options(command: Command) {
        let page = TestProgram.page(of: command)
        for option in TestProgram.options(of: command) {
            #expect(
                page.contains(#"\fB\-\-"# + option.long.split(separator: "-").joined(separator: #"\-"#) + #"\fR"#),
                "--\(option.long)")
        }
    }

    @Test("Each kind of error events is in the manual pages", arguments: [Command.connect, .listen])
    func errorKinds(command: Command) {
        let page = TestProgram.page(of: command)
        for kind in FailureKind.allCases where kind != .interrupted {
            #expect(page.contains("\n\(kind.rawValue)\t"), "\(kind)")
        }
    }

    @Test("No line begins with an unknown roff request", arguments: TestProgram.pages)
    func requests(command: Command) {
        let known = [
            ".TH", ".SH", ".SS", ".TP", ".IP", ".PP", ".RS", ".RE", ".EX", ".EE", ".TS", ".TE", ".br", ".\\\"", "'\\\"",
        ]
        for line in TestProgram.page(of: command).split(separator: "\n") where line.first == "." || line.first == "'" {
            #expect(known.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
