import Conversation
import Testing
import WSCore

@testable import UserInterface

@Suite struct ConsoleTests {
    @Test("--color always and never override NO_COLOR", arguments: [nil, "", "1"] as [String?])
    func explicit(noColor: String?) {
        #expect(Console(color: .always, isQuiet: false, secrets: SecretRecord()) { _ in noColor }.palette.isEnabled)
        #expect(!Console(color: .never, isQuiet: false, secrets: SecretRecord()) { _ in noColor }.palette.isEnabled)
    }

    @Test("By default, a terminal is colored unless NO_COLOR has a value (no-color.org)")
    func automatic() {
        let isTerminal = StandardDescriptors.isTerminal(StandardDescriptors.error)
        let isOutputTerminal = StandardDescriptors.isTerminal(StandardDescriptors.output)
        func console(_ environment: [String: String]) -> Console {
            Console(color: .auto, isQuiet: false, secrets: SecretRecord()) { environment[$0] }
        }
        for environment in [["TERM": "xterm"], ["TERM": "xterm", "NO_COLOR": ""]] {
            #expect(console(environment).palette.isEnabled == isTerminal)
            #expect(console(environment).colors(on: StandardDescriptors.output).isEnabled == isOutputTerminal)
        }
        #expect(!console(["TERM": "xterm", "NO_COLOR": "1"]).palette.isEnabled)
    }

    @Test(
        "A dumb terminal, and one without TERM, gets no colors by default", arguments: [nil, "", "dumb"] as [String?])
    func dumb(term: String?) {
        #expect(!Console(color: .auto, isQuiet: false, secrets: SecretRecord()) { _ in term }.palette.isEnabled)
    }

    @Test("A status stays on the terminal until the next output replaces it")
    func status() throws {
        let erase = "\r\u{1B}[K"
        let log = try ReadableConsole(isTerminal: true)
        log.console.showStatus("one")
        log.console.showStatus("two")
        #expect(log.takeAll() == erase + "one" + erase + "two")
        log.console.notice("a notice")
        log.console.error("an error")
        log.console.eraseStatus()
        #expect(log.takeAll() == erase + "a notice\nwsx: an error\n")
        log.console.showStatus("three")
        log.console.eraseStatus()
        log.console.eraseStatus()
        #expect(log.takeAll() == erase + "three" + erase)
    }

    @Test("A pipe, a quiet run, a prompt, and a terminal that cannot erase a line show no status")
    func noStatus() throws {
        let editor = FakeEditor()
        for (isQuiet, isTerminal, hasPrompt, term) in [
            (false, false, false, "xterm"), (true, true, false, "xterm"), (false, true, true, "xterm"),
            (false, true, false, "dumb"), (false, true, false, ""),
        ] {
            let log = try ReadableConsole(isQuiet: isQuiet, isTerminal: isTerminal, term: term)
            if hasPrompt { log.console.editor = editor }
            log.console.showStatus("status")
            log.console.eraseStatus()
            #expect(log.takeAll().isEmpty)
        }
        #expect(editor.shown.isEmpty)
    }

    @Test("On a terminal, lines break at words with a hanging indent; in a pipe, they stay whole")
    func wrapping() throws {
        let line = "Connected to wss://example.org/ in 5 ms (permessage-deflate)."
        let terminal = try ReadableConsole(isTerminal: true, columns: 30)
        terminal.console.notice(line)
        terminal.console.error("one two three four five six seven")
        terminal.console.notice("12:34:56 GET /a/path 404 273 B 0.412 ms", indentation: 9)
        #expect(
            terminal.take() == [
                "Connected to", "  wss://example.org/ in 5 ms", "  (permessage-deflate).",
                "wsx: one two three four five", "  six seven", "12:34:56 GET /a/path 404 273", "         B 0.412 ms",
            ])
        terminal.console.notice("a first line\nand a second line that is longer")
        #expect(terminal.take() == ["a first line", "and a second line that is", "  longer"])
        let pipe = try ReadableConsole(columns: 30)
        pipe.console.notice(line)
        #expect(pipe.take() == [line])
    }
}
