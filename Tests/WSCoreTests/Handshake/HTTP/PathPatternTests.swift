import Testing

@testable import WSCore

@Suite struct PathPatternTests {
    @Test(
        "An asterisk stands for text within a segment, and two for any text",
        arguments: [
            ("/chat", ["/chat"], ["/chat/", "/Chat", "/cha", "/"]),
            ("/chat/*", ["/chat/a", "/chat/"], ["/chat", "/chat/a/b", "/x/chat/a"]),
            ("/*/b", ["/a/b", "//b"], ["/a/c/b", "/b"]), ("/a*b", ["/ab", "/a-b", "/abb"], ["/a/b", "/abc"]),
            ("/chat/**", ["/chat/", "/chat/a/b"], ["/chat", "/chats/"]),
            ("/**/b", ["/a/c/b", "//b"], ["/b", "/a/bc"]),
            ("**", ["/", "/a/b"], []), ("**.json", ["/a/b.json", "/.json"], ["/a.jsonl"]),
            ("/**a*b", ["/x/aab", "/a/ab", "/ab"], ["/a/b", "/abc"]), ("/***", ["/", "/a/b"], []),
            ("/%61%2f", ["/a%2F"], ["/a/", "/a%2f"]),
        ] as [(String, [String], [String])])
    func matches(pattern: String, paths: [String], others: [String]) throws {
        let parsed = try #require(PathPattern(pattern))
        #expect(paths.filter { !parsed.matches($0) } == [])
        #expect(others.filter { parsed.matches($0) } == [])
    }

    @Test(
        "A pattern that no path can match is none", arguments: ["", "chat", "*", "/a b", "/a?b", "/#", "/%4", "/\u{1}"])
    func invalid(text: String) { #expect(PathPattern(text) == nil) }

    @Test("A long path is compared in time proportional to the lengths")
    func length() throws {
        let pattern = try #require(PathPattern("/**" + String(repeating: "a*", count: 50) + "b"))
        #expect(!pattern.matches("/" + String(repeating: "a", count: 5000)))
    }
}
