import Testing

@testable import wsx

@Suite struct ReplHelpTests {
    @Test("the help lists every command in 80 columns, and how to send what looks like one")
    func list() {
        let text = ReplHelp.text(of: ReplCommand.all)
        let lines = text.split(separator: "\n")
        #expect(lines.count == ReplCommand.all.count + 1)
        for (line, command) in zip(lines, ReplCommand.all) {
            #expect(line.hasPrefix("\(command.usage)  ") && line.hasSuffix(command.summary))
        }
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(text.hasSuffix("//TEXT sends /TEXT.\n"))
    }

    @Test("a command is explained by its name, with or without its slash", arguments: ["close", "/close"])
    func topic(name: String) {
        #expect(
            ReplHelp.text(about: name, among: ReplCommand.all) == """
                /close [CODE [REASON]]
                  Begin the closing handshake. CODE is 1000 unless it is given, REASON at most
                  123 bytes.

                """)
        #expect(ReplHelp.text(about: "closes", among: ReplCommand.all) == nil)
    }

    @Test("names are told apart, and every explanation is whole sentences in 80 columns")
    func explanations() {
        #expect(Set(ReplCommand.all.map(\.name)).count == ReplCommand.all.count)
        for command in ReplCommand.all {
            let lines = (ReplHelp.text(about: command.name, among: ReplCommand.all) ?? "").split(separator: "\n")
            #expect(
                lines.count > 1 && lines.allSatisfy { $0.count <= 80 } && lines.last?.last == ".", "\(command.name)")
            #expect(!command.summary.hasSuffix("."))
        }
    }
}
