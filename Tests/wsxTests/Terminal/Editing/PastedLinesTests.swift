import Testing

@testable import Connect
@testable import UserInterface

@Suite struct PastedLinesTests {
    @Test(
        "Each complete line is a message or a command",
        arguments: [
            ("a\nb", ["a", "b"]), ("{\"a\":1}\n[2]\nthree", ["{\"a\":1}", "[2]", "three"]),
            ("/ping\nx\n/close 1000", ["/ping", "x", "/close 1000"]), ("\n\na\n\n\nb\n", ["a", "b"]),
            ("{\"a\":\n1}\n[\n\n2\n]\nc", ["{\"a\":\n1}", "[\n\n2\n]", "c"]),
            ("/send-json {\n\"a\":[]}\nb", ["/send-json {\n\"a\":[]}", "b"]),
            ("[info] a\n[info] b", ["[info] a", "[info] b"]),
            ("{\"a\":\"]\"}\nb", ["{\"a\":\"]\"}", "b"]), ("/find {\nb", ["/find {", "b"]),
        ])
    func messages(text: String, lines: [String]) {
        #expect(Self.lines(text)?.map(\.submitted) == lines.map { Array($0.utf8) })
    }

    @Test(
        "Other texts are one message",
        arguments: [
            "", "a", "a\n", "\n", "{\n\"a\":1\n}", "[1,\n2]\n", "a\\\nb", "a\n{", "a\nb\\", "query {\n  a\n}\nb",
            "a\n[1,\n2", "a\n/pipe touch x\nb", "/ping\n/show 1 | sh", "a\n/quit", "a\n/file x", "a\n/connect :1",
            "{\"a\":\nx}\nb",
        ])
    func one(text: String) {
        #expect(Self.lines(text) == nil)
    }

    @Test("A backslash joins lines, and the history gets what was typed")
    func backslash() {
        #expect(
            Self.lines("a\\\nb\nc\\\\") == [
                .init(typed: Array("a\nb".utf8), submitted: Array("a\nb".utf8)),
                .init(typed: Array("c\\\\".utf8), submitted: Array("c\\".utf8)),
            ])
    }

    @Test("A large JSON value is read once")
    func large() {
        let value = "[\n" + String(repeating: "{\n\"a\": 1\n},\n", count: 5000) + "0\n]"
        #expect(Self.lines(value) == nil)
        #expect(Self.lines(value + "\n" + value)?.count == 2)
    }

    @Test("The question fits into any window, and only its keys answer it")
    func question() {
        var answers: [PasteQuestion.Answer] = []
        let question = PasteQuestion(about: 3) { answers.append($0) }
        for columns in 1...100 {
            let (text, cursor) = question.line(columns: columns)
            #expect(text.columns <= columns && cursor <= columns)
            if columns >= 39 {
                #expect(text.text.hasPrefix(columns < 66 ? "3 messages: [l]" : "Paste of 3 messages: [l]"))
            }
        }
        for key in [.text("x"), .pasted("l"), .up, .other, .control("F"), .backspace] as [PromptKey] {
            #expect(question.press(key))
        }
        for key in [.text("l"), .text("o"), .enter, .control("C")] as [PromptKey] { #expect(!question.press(key)) }
        #expect(answers == [.lines, .one, .edit, .discard])
    }

    private static func lines(_ text: String) -> [PastedLines.Line]? {
        PastedLines(Array(text.utf8), commands: ConnectCommands.all.map(\.description))?.lines
    }
}
