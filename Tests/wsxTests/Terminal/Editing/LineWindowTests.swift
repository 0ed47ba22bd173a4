import Testing

@testable import wsx

@Suite struct LineWindowTests {
    private static let text = (0..<100).map { "line \($0)" }.joined(separator: "\n")

    @Test("what fits needs no window")
    func fits() {
        #expect(LineWindow(of: Array("a\nb".utf8), cursor: 0, rows: 24, columns: 80) == nil)
        #expect(
            LineWindow(of: Array(String(repeating: "x", count: 9999).utf8), cursor: 0, rows: 24, columns: 80) == nil)
        #expect(LineWindow(of: [], cursor: 0, rows: 24, columns: 80) == nil)
    }

    @Test("the lines around the cursor are shown, and the cursor is where it was", arguments: [0, 7, 300, 500, 789])
    func around(cursor: Int) throws {
        let bytes = Array(Self.text.utf8)
        let window = try #require(LineWindow(of: bytes, cursor: cursor, rows: 10, columns: 80))
        let shown = String(decoding: window.text, as: UTF8.self)
        #expect(shown.split(separator: "\n").count <= 9)
        #expect(window.cursor <= window.text.count)
        if cursor < bytes.count { #expect(window.text[window.cursor] == bytes[cursor]) }
    }

    @Test("how much is not shown is said")
    func notes() throws {
        let end = try #require(
            LineWindow(of: Array(Self.text.utf8), cursor: Self.text.utf8.count, rows: 10, columns: 80))
        #expect(String(decoding: end.text, as: UTF8.self).hasPrefix("… 93 lines above\nline 93\n"))
        let start = try #require(LineWindow(of: Array(Self.text.utf8), cursor: 0, rows: 10, columns: 80))
        #expect(String(decoding: start.text, as: UTF8.self).hasSuffix("line 6\n… 93 lines below"))
    }
}
