import Testing
import WSCore

@testable import wsx

@Suite struct ConsoleTests {
    @Test("--color always and never override NO_COLOR", arguments: [nil, "", "1"] as [String?])
    func explicit(noColor: String?) {
        #expect(Console(color: .always, isQuiet: false) { _ in noColor }.palette.isEnabled)
        #expect(!Console(color: .never, isQuiet: false) { _ in noColor }.palette.isEnabled)
    }

    @Test("By default, a terminal is colored unless NO_COLOR has a value (no-color.org)")
    func automatic() {
        let isTerminal = StandardDescriptors.isTerminal(StandardDescriptors.error)
        let isOutputTerminal = StandardDescriptors.isTerminal(StandardDescriptors.output)
        var asked: Set<String> = []
        let console = Console(color: .auto, isQuiet: false) { name in
            asked.insert(name)
            return nil
        }
        #expect(console.palette.isEnabled == isTerminal)
        #expect(console.colors(on: StandardDescriptors.output).isEnabled == isOutputTerminal)
        #expect(asked == ["NO_COLOR"])
        #expect(Console(color: .auto, isQuiet: false) { _ in "" }.palette.isEnabled == isTerminal)
        #expect(!Console(color: .auto, isQuiet: false) { _ in "1" }.palette.isEnabled)
    }
}
