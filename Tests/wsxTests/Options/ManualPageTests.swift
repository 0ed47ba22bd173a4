import CommandLine
import Testing

@testable import UserInterface

@Suite struct ManualPageTests {
    @Test("Each option of a command is in its manual page", arguments: TestProgram.pages)
    func options(command: Command) {
        let page = TestProgram.page(of: command)
        for option in TestProgram.options(of: command) {
            let name = #"\-\-"# + option.long.split(separator: "-").joined(separator: #"\-"#)
            #expect(page.contains(name + #"\fR"#) || page.contains(name + ","), "--\(option.long)")
        }
    }

    @Test("Each option of a command is explained on one page: that of the command, or one about a topic")
    func explanations() {
        let description = TestProgram.description
        let topics = description.pages.map { ($0, ManualPage.page(about: $0, description)) }
        for command in TestProgram.pages {
            let page = TestProgram.page(of: command)
            for option in TestProgram.options(of: command) {
                let name = option.short.map { "\\-\($0)" } ?? "\\-\\-" + option.long.replacing("-", with: "\\-")
                let isExplained = { (source: String) in source.contains(".TP\n\\fB\(name)\\fR") }
                let owners = topics.filter { topic, _ in
                    topic.options.contains { $0.heading == option.heading && $0.commands.contains(command.rawValue) }
                }
                #expect(owners.count <= 1 && owners.allSatisfy { isExplained($0.1) }, "\(command) \(option.long)")
                #expect(isExplained(page) == owners.isEmpty, "\(command) \(option.long)")
            }
        }
    }

    @Test("No manual page is longer than 800 lines of source", arguments: TestProgram.manualPages)
    func length(path: String, contents: String) {
        #expect(contents.count { $0 == "\n" } <= 800, "\(path)")
    }

    @Test("Each kind of error events is in the manual")
    func errorKinds() {
        let page = TestProgram.manualPages.first { $0.path == "man/wsx-formats.7" }?.contents ?? ""
        for kind in FailureKind.allCases where kind != .interrupted {
            #expect(page.contains("\n\(kind.rawValue)\t"), "\(kind)")
        }
    }

    @Test("No line begins with an unknown roff request", arguments: TestProgram.manualPages)
    func requests(path: String, contents: String) {
        let known = [
            ".TH", ".SH", ".SS", ".TP", ".IP", ".PP", ".RS", ".RE", ".EX", ".EE", ".TS", ".TE", ".br", ".\\\"", "'\\\"",
        ]
        for line in contents.split(separator: "\n") where line.first == "." || line.first == "'" {
            #expect(known.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
