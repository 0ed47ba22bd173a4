import TestSupport
import Testing

@testable import WSCore

@Suite struct RequestPathTests {
    @Test(
        "a path is split into names, each decoded once",
        arguments: [
            ("/", [], true), ("/a", ["a"], false), ("/a/", ["a"], true), ("/a/b.txt", ["a", "b.txt"], false),
            ("/a%20b", ["a b"], false), ("/%61", ["a"], false), ("/%2561", ["%61"], false),
            ("/%E6%B0%B4/", ["水"], true), ("/a...", ["a..."], false), ("/a%0Ab", ["a\nb"], false),
            ("/.well-known/x", [".well-known", "x"], false), ("/~", ["~"], false), ("/a+b;c", ["a+b;c"], false),
        ] as [(String, [String], Bool)])
    func names(path: String, names: [String], endsWithSlash: Bool) throws {
        let parsed = try RequestPath(parsing: path)
        expectEqual(parsed.names, names)
        expectEqual(parsed.endsWithSlash, endsWithSlash)
    }

    static let malformedCases: [String] = [
        "", "a", "/.", "/..", "/../a", "/a/../b", "/a/..", "/a/.", "/%2e", "/%2e%2E/a", "/.%2e/a", "/a/%2e./",
        "/a%2fb", "/%2f", "/..%2f", "/..%5ca", "/..\\a", "/\\", "/a%00", "/%00", "/%", "/%2", "/%zz", "/%c0%ae",
        "/%c0%af", "/%ff", "/%ed%a0%80", "/%e6%b0",
    ]

    @Test("a path that no well-meaning client sends is malformed (RFC 3986 §5.2.4)", arguments: Self.malformedCases)
    func malformed(path: String) {
        #expect(throws: RequestPathError.malformed) { try RequestPath(parsing: path) }
    }

    static let notServedCases: [String] = [
        "//", "//a", "/a//b", "/a//", "///", "/.git/config", "/a/.env", "/.well-known2", "/.Well-Known", "/...",
    ]

    @Test("hidden files and empty names are not served", arguments: Self.notServedCases)
    func notServed(path: String) {
        #expect(throws: RequestPathError.notServed) { try RequestPath(parsing: path) }
    }

    @Test("a directory's path cannot be mistaken for a URL with a host")
    func directoryText() throws {
        try expectEqual(RequestPath(parsing: "/").directoryText, "/")
        try expectEqual(RequestPath(parsing: "/a%20b/%E6%B0%B4").directoryText, "/a%20b/%E6%B0%B4/")
        try expectEqual(RequestPath(parsing: "/a%3f%23%0d%0ax").directoryText, "/a%3F%23%0D%0Ax/")
        expectEqual(RequestPath.encode("javascript:1"), "javascript%3A1")
    }
}
