import CommandLine
import Testing

@testable import wsx

@Suite struct FirstStepsTests {
    @Test("Each command is valid, and needs neither a server nor the network", arguments: FirstSteps.commands)
    func commands(command: String, purpose: String) throws {
        let words = command.split(separator: " ").map(String.init)
        #expect(words.first == "wsx")
        #expect(words.contains("echo:") || words.contains("listen"))
        _ = try Invocation.program.parse(Array(words.dropFirst()))
    }

    @Test("The text has the width of help")
    func width() {
        let text = FirstSteps.text(columns: nil)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= HelpText.columns })
        #expect(text.hasSuffix(".\n"))
    }

    @Test("In a narrow window, lines break at words", arguments: [29, 39, 59, 79])
    func narrow(columns: Int) {
        let text = FirstSteps.text(columns: columns)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns })
        for (command, purpose) in FirstSteps.commands {
            let words = "\(command) \(purpose)".split(separator: " ").joined(separator: " ")
            #expect(text.split { " \n".contains($0) }.joined(separator: " ").contains(words))
        }
    }
}
