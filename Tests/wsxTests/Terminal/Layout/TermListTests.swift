import Testing

@testable import UserInterface

@Suite struct TermListTests {
    private static let rows = [("URL", "ws://h/"), ("sent", "one message of 5 bytes"), ("TLS", "one\ntwo")]

    @Test("Meanings are aligned, and their further lines have a hanging indent")
    func aligned() {
        #expect(
            TermList.text(of: Self.rows, columns: nil)
                == "URL   ws://h/\nsent  one message of 5 bytes\nTLS   one\n      two\n")
        #expect(
            TermList.text(of: Self.rows, columns: 26) { "<\($0)>" }
                == "<URL   >ws://h/\n<sent  >one message of 5\n      bytes\n<TLS   >one\n      two\n")
    }

    @Test("In a narrow window, long meanings are below their terms")
    func narrow() {
        #expect(
            TermList.text(of: Self.rows, columns: 20)
                == "URL  ws://h/\nsent\n  one message of 5\n  bytes\nTLS\n  one\n  two\n")
        #expect(
            TermList.text(of: [("a", "b c")], columns: 5, indentation: 2, gap: 3) == "  a\n    b\n    c\n")
    }
}
