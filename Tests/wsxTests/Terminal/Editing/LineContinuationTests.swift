import Testing

@testable import Connect
@testable import UserInterface

@Suite struct LineContinuationTests {
    @Test(
        "Complete text is accepted",
        arguments: [
            "", "hello", "{}", "[1]", "{\"a\":{}}", "{no json", "[hello", "1", "\"open", "/ping {", "/ping \\", "//x",
            "a\\\nb", " {}", "several\nlines", "ends\n",
        ])
    func complete(text: String) {
        #expect(Self.after(text) == .complete(Array(text.utf8)))
    }

    @Test(
        "Open brackets continue the line, also in commands that take JSON",
        arguments: [
            "{", "[", "  [1,", "{\"a\":", "{\"a\":[\n1\n", "{\"a\":\"op", "[tru", "/send-json {", "/send-json [1,\n2",
        ])
    func open(text: String) {
        #expect(Self.after(text) == .continues(removing: 0))
    }

    @Test(
        "A final backslash continues the line, and two are one", arguments: ["a", "", "//x", "/unknown", "a\nb", "{"])
    func backslash(text: String) {
        #expect(Self.after(text + "\\") == .continues(removing: 1))
        #expect(Self.after(text + "\\\\") == .complete(Array((text + "\\").utf8)))
        #expect(Self.after(text + "\\\\\\") == .complete(Array((text + "\\\\").utf8)))
    }

    @Test("Enter on an empty continuation line accepts the text without that line")
    func newLine() {
        #expect(Self.after("{\n", isOnNewLine: true) == .complete(Array("{".utf8)))
        #expect(Self.after("a\\\\\n", isOnNewLine: true) == .complete(Array("a\\\\".utf8)))
        #expect(Self.after("\n\n", isOnNewLine: true) == .complete(Array("\n".utf8)))
    }

    private static func after(_ text: String, isOnNewLine: Bool = false) -> LineContinuation {
        LineContinuation(
            after: Array(text.utf8), isOnNewLine: isOnNewLine, commands: ConnectCommands.all.map(\.description))
    }
}
