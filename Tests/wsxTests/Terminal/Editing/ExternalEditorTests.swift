import Testing

@testable import UserInterface

@Suite struct ExternalEditorTests {
    @Test("VISUAL precedes EDITOR, and both precede vi; blank values are ignored")
    func command() {
        func command(_ variables: [String: String]) -> String { ExternalEditor.command { variables[$0] } }
        #expect(command(["VISUAL": "a", "EDITOR": "b"]) == "a")
        #expect(command(["VISUAL": " ", "EDITOR": "b -w"]) == "b -w")
        #expect(command([:]) == "vi")
    }

    @Test("The shell splits the command, and is replaced by a simple command")
    func script() {
        #expect(ExternalEditor.script(for: "code --wait") == "exec code --wait \"$@\"")
        #expect(ExternalEditor.script(for: "A=1 vi") == "A=1 vi \"$@\"")
    }

    @Test("The final newline added by editors is not part of the text")
    func text() {
        #expect(ExternalEditor.text(in: Array("a\n\n".utf8)) == .saved(Array("a\n".utf8)))
        #expect(ExternalEditor.text(in: Array("a".utf8)) == .saved(Array("a".utf8)))
        #expect(ExternalEditor.text(in: []) == .saved([]))
        #expect(ExternalEditor.text(in: [0x61, 0]) == .failed("the saved text contains a NUL byte"))
        let long = [UInt8](repeating: 0x61, count: ExternalEditor.maximumBytes + 1)
        #expect(ExternalEditor.text(in: long) == .failed("the saved text is longer than 1 MiB"))
    }
}
