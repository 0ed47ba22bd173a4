import Conversation
import Testing
import WSCore

@testable import UserInterface

@Suite struct DiagnosticsTests {
    @Test("--color always and never override NO_COLOR", arguments: [nil, "", "1"] as [String?])
    func explicit(noColor: String?) {
        #expect(Diagnostics(color: .always, isQuiet: false, secrets: SecretRecord()) { _ in noColor }.palette.isEnabled)
        #expect(!Diagnostics(color: .never, isQuiet: false, secrets: SecretRecord()) { _ in noColor }.palette.isEnabled)
    }

    @Test("By default, a terminal is colored unless NO_COLOR has a value (no-color.org)")
    func automatic() {
        let isTerminal = StandardDescriptors.isTerminal(StandardDescriptors.error)
        let isOutputTerminal = StandardDescriptors.isTerminal(StandardDescriptors.output)
        func diagnostics(_ environment: [String: String]) -> Diagnostics {
            Diagnostics(color: .auto, isQuiet: false, secrets: SecretRecord()) { environment[$0] }
        }
        for environment in [["TERM": "xterm"], ["TERM": "xterm", "NO_COLOR": ""]] {
            #expect(diagnostics(environment).palette.isEnabled == isTerminal)
            #expect(diagnostics(environment).colors(on: StandardDescriptors.output).isEnabled == isOutputTerminal)
        }
        #expect(!diagnostics(["TERM": "xterm", "NO_COLOR": "1"]).palette.isEnabled)
    }

    @Test(
        "A dumb terminal, and one without TERM, gets no colors by default", arguments: [nil, "", "dumb"] as [String?])
    func dumb(term: String?) {
        #expect(!Diagnostics(color: .auto, isQuiet: false, secrets: SecretRecord()) { _ in term }.palette.isEnabled)
    }

    @Test("A status stays on the terminal until the next output replaces it")
    func status() throws {
        let erase = "\r\u{1B}[K"
        let log = try ReadableDiagnostics(isTerminal: true)
        log.diagnostics.showStatus("one")
        log.diagnostics.showStatus("two")
        #expect(log.takeAll() == erase + "one" + erase + "two")
        log.diagnostics.notice("a notice")
        log.diagnostics.error("an error")
        log.diagnostics.eraseStatus()
        #expect(log.takeAll() == erase + "a notice\nwsx: an error\n")
        log.diagnostics.showStatus("three")
        log.diagnostics.eraseStatus()
        log.diagnostics.eraseStatus()
        #expect(log.takeAll() == erase + "three" + erase)
    }

    @Test("A pipe, a quiet run, a prompt, and a terminal that cannot erase a line show no status")
    func noStatus() throws {
        let editor = FakeEditor()
        for (isQuiet, isTerminal, hasPrompt, term) in [
            (false, false, false, "xterm"), (true, true, false, "xterm"), (false, true, true, "xterm"),
            (false, true, false, "dumb"), (false, true, false, ""),
        ] {
            let log = try ReadableDiagnostics(isQuiet: isQuiet, isTerminal: isTerminal, term: term)
            if hasPrompt { log.diagnostics.editor = editor }
            log.diagnostics.showStatus("status")
            log.diagnostics.eraseStatus()
            #expect(log.takeAll().isEmpty)
        }
        #expect(editor.shown.isEmpty)
    }

    @Test("On a terminal, lines break at words with a hanging indent; in a pipe, they stay whole")
    func wrapping() throws {
        let line = "Connected to wss://example.org/ in 5 ms (permessage-deflate)."
        let terminal = try ReadableDiagnostics(isTerminal: true, columns: 30)
        terminal.diagnostics.notice(line)
        terminal.diagnostics.error("one two three four five six seven")
        terminal.diagnostics.notice("12:34:56 GET /a/path 404 273 B 0.412 ms", indentation: 9)
        #expect(
            terminal.take() == [
                "Connected to", "  wss://example.org/ in 5 ms", "  (permessage-deflate).",
                "wsx: one two three four five", "  six seven", "12:34:56 GET /a/path 404 273", "         B 0.412 ms",
            ])
        terminal.diagnostics.notice("a first line\nand a second line that is longer")
        #expect(terminal.take() == ["a first line", "and a second line that is", "  longer"])
        let pipe = try ReadableDiagnostics(columns: 30)
        pipe.diagnostics.notice(line)
        #expect(pipe.take() == [line])
    }
}
