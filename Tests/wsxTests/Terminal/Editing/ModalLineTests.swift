import Testing

@testable import UserInterface

@Suite struct PromptKeyReaderTests {
    @Test(
        "Keys are recognized in the bytes of a terminal",
        arguments: [
            ("a", [.text("a")]), ("é€😀", [.text("é"), .text("€"), .text("😀")]), ("\r\n", [.enter, .enter]),
            ("\u{7F}\u{8}", [.backspace, .backspace]), ("\u{6}\u{0}", [.control("F"), .control("@")]),
            ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}[1;5Ax", [.other, .text("x")]), ("\u{1B}f", [.other]),
            ("\u{1B}[200~a\u{1B}\u{1B}[201~\r", [.pasted("a"), .enter]),
            ("\u{1B}[200~a\u{1B}[\u{1B}[201~\r", [.pasted("a"), .enter]),
            ("\u{1B}[200~a\u{6}\r\u{1B}[Ab\u{1B}[201~\r", [.pasted("a"), .pasted("b"), .enter]),
        ] as [(String, [PromptKey])])
    func keys(bytes: String, keys: [PromptKey]) {
        var reader = PromptKeyReader()
        #expect(bytes.utf8.compactMap { reader.receive($0) } == keys)
        #expect(!reader.mayBeEscape)
    }

    @Test(
        "Bytes that are not UTF-8 are ignored",
        arguments: [[0xFF], [0xC3, 0x28], [0x80], [0xF8, 0x80], [0xE2, 0x82]])
    func invalid(bytes: [UInt8]) {
        var reader = PromptKeyReader()
        let keys = (bytes + Array("a".utf8)).compactMap { reader.receive($0) }
        #expect(keys.last == .text("a") && keys.count <= 2)
    }

    @Test("Only a lone escape character may be the Escape key")
    func escape() {
        var reader = PromptKeyReader()
        #expect(reader.receive(0x1B) == nil && reader.mayBeEscape)
        #expect(reader.escape() == .escape && !reader.mayBeEscape)
        #expect(reader.receive(UInt8(ascii: "[")) == .text("["))
        #expect(reader.receive(0x1B) == nil && reader.receive(UInt8(ascii: "[")) == nil && !reader.mayBeEscape)
    }

    @Test("An escape sequence without an end is given up")
    func endless() {
        var reader = PromptKeyReader()
        let keys = "\u{1B}[\(String(repeating: "1", count: 100))".utf8.compactMap { reader.receive($0) }
        #expect(keys.first == .other)
    }
}
