import Testing

@testable import wsx

@Suite struct PromptDisplayTests {
    @Test("Without limits, the prompt has the filters and the state of the connection")
    func unlimited() {
        #expect(PromptDisplay.prompt(label: nil, words: nil, columns: nil) == "> ")
        #expect(
            PromptDisplay.prompt(label: "[/a/ 2 hidden]", words: "disconnected", columns: nil)
                == "[/a/ 2 hidden] (disconnected) > ")
    }

    @Test("The prompt fits the window, and a label leaves room for the line", arguments: [1, 20, 30, 60, 80])
    func narrow(columns: Int) {
        let label = "[/a-quite-long-pattern/ 1,234 hidden] [.user.name 2 hidden] [paused, 12 new]"
        for words in [nil, "disconnected", "receiving 12.3 MiB of 64.0 MiB", "WebSocket handshake, 100 s"] {
            let prompt = PromptDisplay.prompt(label: label, words: words, columns: columns)
            #expect(prompt.count < max(columns, 7))
            if words == nil { #expect(prompt.count <= columns / 3 * 2 + 3) }
            if columns >= 60, let words { #expect(prompt.hasSuffix("(\(words)) > ")) }
        }
    }

    @Test("At 30 columns, the state is complete, or cut at the end")
    func state() {
        #expect(
            PromptDisplay.prompt(label: nil, words: "reconnecting in 3 s", columns: 30) == "(reconnecting in 3 s) > ")
        #expect(
            PromptDisplay.prompt(label: nil, words: "WebSocket handshake, 3 s", columns: 30)
                == "(WebSocket handshake, 3 s) > ")
        #expect(
            PromptDisplay.prompt(label: "[/error/ 214 hidden]", words: nil, columns: 30) == "[/error/ 214 hidden] > ")
    }
}
