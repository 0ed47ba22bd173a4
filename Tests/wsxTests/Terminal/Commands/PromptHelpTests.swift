import Testing

@testable import Connect
@testable import Listen
@testable import UserInterface

@Suite struct PromptHelpTests {
    private static let all =
        SharedCommands.all.map(\.description) + ConnectCommands.descriptions + ListenCommands.descriptions
        + ListenCommands.descriptionsOfRelays

    @Test("The help lists all commands within 80 columns, and how to send a text that looks like one")
    func list() {
        let text = PromptHelp.text(of: Self.all)
        let lines = text.split(separator: "\n")
        #expect(lines.count == Self.all.count)
        for (line, command) in zip(lines, Self.all) {
            #expect(line.hasPrefix("\(command.usage)  ") && line.hasSuffix(command.summary))
        }
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test("In a narrow window, lines break at words with a hanging indent", arguments: [29, 39, 59, 79])
    func narrow(columns: Int) {
        let text = PromptHelp.text(of: Self.all, columns: columns)
        // A usage is never broken.
        let usages = Set(Self.all.map(\.usage))
        func fits(_ line: Substring) -> Bool { line.count <= columns || usages.contains(String(line)) }
        #expect(text.split(separator: "\n").allSatisfy(fits))
        let words = Self.all.map { "\($0.usage) \($0.summary)" }.joined(separator: " ").split(separator: " ")
        #expect(text.split { " \n".contains($0) } == words)
        for command in Self.all {
            let explanation = PromptHelp.text(about: command.name, among: Self.all, columns: columns) ?? ""
            #expect(explanation.split(separator: "\n").allSatisfy(fits), "\(command.name)")
        }
    }

    @Test("A command is explained by its name, with or without the slash", arguments: ["close", "/close"])
    func topic(name: String) {
        #expect(
            PromptHelp.text(about: name, among: Self.all) == """
                /close [CODE [REASON]]
                  Close the connection. CODE defaults to 1000. REASON can have up to 123 bytes.

                """)
        #expect(PromptHelp.text(about: "closes", among: Self.all) == nil)
    }

    @Test("/help with an unknown command does not offer to send it")
    func unknownTopic() {
        #expect(
            PromptHelp.unknownTopic("bogus", among: Self.all)
                == "/help: there is no command '/bogus'; /help lists the commands")
        #expect(
            PromptHelp.unknownTopic("/clos", among: Self.all)
                == "/help: there is no command '/clos'; did you mean '/help close'?")
    }

    @Test("Names are unique, and explanations are complete sentences within 80 columns")
    func explanations() {
        #expect(Set(Self.all.map(\.name)).count == Self.all.count)
        for command in Self.all {
            let lines = (PromptHelp.text(about: command.name, among: Self.all) ?? "").split(separator: "\n")
            #expect(
                lines.count > 1 && lines.allSatisfy { $0.count <= 80 } && lines.last?.last == ".", "\(command.name)")
            #expect(!command.summary.hasSuffix("."))
        }
    }
}
