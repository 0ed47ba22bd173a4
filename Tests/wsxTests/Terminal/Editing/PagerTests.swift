import Testing

@testable import UserInterface

@Suite struct PagerTests {
    @Test("PAGER precedes less; an empty one and cat mean that there is none")
    func command() {
        #expect(Pager.command { _ in "more -s" } == "more -s")
        #expect(Pager.command { _ in nil }?.hasSuffix("exec less") ?? false)
        for pager in ["", " ", "cat"] { #expect(Pager.command { _ in pager } == nil) }
    }

    @Test("A simple command replaces the shell, so it receives the signals that end it")
    func script() {
        #expect(Pager.script(for: "less -R").hasSuffix("; exec less -R"))
        #expect(Pager.script(for: "less | cat").hasSuffix("; less | cat"))
    }

    @Test("A pager that does not exist or cannot be executed shows nothing")
    func missing() {
        for (status, existed) in [(0, true), (1, true), (126, false), (127, false)] {
            #expect(Pager.existed(.exited(.status(status), path: "/tmp/f")) == existed)
        }
        #expect(Pager.existed(.exited(.signal(15), path: "/tmp/f")))
        #expect(!Pager.existed(.failed(.noTerminal)))
    }
}
