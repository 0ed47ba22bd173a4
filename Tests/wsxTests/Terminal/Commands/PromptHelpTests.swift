import Testing

@testable import wsx

@Suite struct PromptHelpTests {
    private static let all = PromptCommandTable.all.map(\.description)

    @Test("The help lists all commands within 80 columns, and how to send a text that looks like one")
    func list() {
        let text = PromptHelp.text(of: Self.all)
        let lines = text.split(separator: "\n")
        #expect(lines.count == Self.all.count + 1)
        for (line, command) in zip(lines, Self.all) {
            #expect(line.hasPrefix("\(command.usage)  ") && line.hasSuffix(command.summary))
        }
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(text.hasSuffix("//TEXT sends /TEXT.\n"))
    }

    @Test("A command is explained by its name, with or without the slash", arguments: ["close", "/close"])
    func topic(name: String) {
        #expect(
            PromptHelp.text(about: name, among: Self.all) == """
                /close [CODE [REASON]]
                  Begin the closing handshake. CODE is 1000 unless it is given, REASON at most
                  123 bytes.

                """)
        #expect(PromptHelp.text(about: "closes", among: Self.all) == nil)
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
