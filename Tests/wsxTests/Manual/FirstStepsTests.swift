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

    @Test("The text has the width of help") func width() {
        #expect(FirstSteps.text.split(separator: "\n").allSatisfy { $0.count <= HelpText.columns })
        #expect(FirstSteps.text.hasSuffix(".\n"))
    }
}
