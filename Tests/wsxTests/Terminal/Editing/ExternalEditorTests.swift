import Testing

@testable import wsx

@Suite struct ExternalEditorTests {
    @Test("VISUAL goes before EDITOR, and both before vi; blank ones count as none")
    func command() {
        func command(_ variables: [String: String]) -> String { ExternalEditor.command { variables[$0] } }
        #expect(command(["VISUAL": "a", "EDITOR": "b"]) == "a")
        #expect(command(["VISUAL": " ", "EDITOR": "b -w"]) == "b -w")
        #expect(command([:]) == "vi")
    }

    @Test("the shell splits the command, and gives way to one that is but words")
    func script() {
        #expect(ExternalEditor.script(for: "code --wait") == "exec code --wait \"$@\"")
        #expect(ExternalEditor.script(for: "A=1 vi") == "A=1 vi \"$@\"")
    }

    @Test("the newline that editors end a file with is not part of the text")
    func text() {
        #expect(ExternalEditor.text(in: Array("a\n\n".utf8)) == .saved(Array("a\n".utf8)))
        #expect(ExternalEditor.text(in: Array("a".utf8)) == .saved(Array("a".utf8)))
        #expect(ExternalEditor.text(in: []) == .saved([]))
        #expect(ExternalEditor.text(in: [0x61, 0]) == .failed("what was saved has a null byte in it"))
        let long = [UInt8](repeating: 0x61, count: ExternalEditor.maximumBytes + 1)
        #expect(ExternalEditor.text(in: long) == .failed("what was saved is longer than 1 MiB"))
    }
}
