import TestSupport
import Testing

@testable import WSCore

@Suite struct PercentEncodingTests {
    static let normalizedCases: [(String, String)] = [
        ("/a%2fb", "/a%2Fb"), ("/a%2Fb", "/a%2Fb"), ("/a/b", "/a/b"), ("/%61%5A%7e%2D", "/aZ~-"),
        ("/%2e%2E", "/.."),
        ("/ä", "/%C3%A4"), ("/%c3%a4", "/%C3%A4"), ("/%ff", "/%FF"), ("/%00", "/%00"), ("/%252f", "/%252f"),
        ("/%2541", "/%2541"), ("/a|b", "/a%7Cb"), ("/%21", "/%21"), ("/!", "/!"), ("", ""),
    ]

    @Test("equivalent paths are normalized to the same form (RFC 3986 §6.2.2)", arguments: Self.normalizedCases)
    func normalized(path: String, form: String) throws {
        try expectEqual(PercentEncoding.normalize(path), form)
        try expectEqual(PercentEncoding.normalize(form), form)
    }

    @Test("a malformed escape is rejected", arguments: ["/%", "/%4", "/%zz", "/a%2"])
    func malformed(path: String) {
        #expect(throws: URLError.self) { _ = try PercentEncoding.normalize(path) }
        #expect(throws: URLError.self) { _ = try PercentEncoding.decodeBytes(path) }
    }

    @Test("escapes can encode any bytes")
    func bytes() throws {
        try expectEqual(PercentEncoding.decodeBytes("a%FF%00ä"), [0x61, 0xFF, 0, 0xC3, 0xA4])
        #expect(throws: URLError.invalidUTF8) { _ = try PercentEncoding.decode("%FF") }
    }
}
