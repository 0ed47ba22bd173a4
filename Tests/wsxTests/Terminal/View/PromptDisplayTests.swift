import Testing

@testable import UserInterface

@Suite struct PromptDisplayTests {
    @Test("Without limits, the prompt has the filters and the state of the connection")
    func unlimited() {
        #expect(PromptDisplay.prompt(tags: [], words: nil, columns: nil) == "> ")
        #expect(
            PromptDisplay.prompt(tags: [PromptTag(name: "/a/", note: " 2 hidden")], words: "disconnected", columns: nil)
                == "[/a/ 2 hidden] (disconnected) > ")
    }

    @Test("The prompt fits the window, and a label leaves room for the line", arguments: [1, 20, 30, 60, 80])
    func narrow(columns: Int) {
        let tags = [
            PromptTag(name: "/a-quite-long-pattern/", note: " 1,234 hidden"),
            PromptTag(name: "pick .user.name", note: " 2 hidden"), PromptTag(name: "paused", note: ", 12 new"),
        ]
        for words in [nil, "disconnected", "receiving 12.3 MiB of 64.0 MiB", "WebSocket handshake, 100 s"] {
            let prompt = PromptDisplay.prompt(tags: tags, words: words, columns: columns)
            #expect(prompt.count < max(columns, 7))
            if words == nil { #expect(prompt.count <= columns / 3 * 2 + 3) }
            if columns >= 60, let words { #expect(prompt.hasSuffix("(\(words)) > ")) }
        }
    }

    @Test("At 30 columns, the state is complete, or cut at the end")
    func state() {
        #expect(
            PromptDisplay.prompt(tags: [], words: "reconnecting in 3 s", columns: 30) == "(reconnecting in 3 s) > ")
        #expect(
            PromptDisplay.prompt(tags: [], words: "WebSocket handshake, 3 s", columns: 30)
                == "(WebSocket handshake, 3 s) > ")
    }

    @Test(
        "A narrow line omits the counts of its tags first, then cuts names within the brackets",
        arguments: [
            (90, "[/error/ 214 hidden] [where .price>50] [paused, 2 new] > "),
            (70, "[/error/] [where .price>50] [paused] > "), (42, "[/erro…] [where…] [paused] > "),
            (30, "[/er…] [whe…] [pau…] > "), (12, "[/erro…] > "), (8, "> "),
        ])
    func shortTags(columns: Int, prompt: String) {
        let tags = [
            PromptTag(name: "/error/", note: " 214 hidden"), PromptTag(name: "where .price>50", note: ""),
            PromptTag(name: "paused", note: ", 2 new"),
        ]
        #expect(PromptDisplay.prompt(tags: tags, words: nil, columns: columns) == prompt)
        #expect(PromptDisplay.prompt(tags: [tags[0]], words: nil, columns: 30) == "[/error/ 214 hidden] > ")
    }
}
