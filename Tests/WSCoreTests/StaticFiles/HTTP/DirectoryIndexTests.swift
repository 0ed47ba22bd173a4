import TestSupport
import Testing

@testable import WSCore

@Suite struct DirectoryIndexTests {
    private static func page(_ path: String, _ entries: [DirectoryIndex.Entry], isCut: Bool = false) throws -> String {
        DirectoryIndex(path: try RequestPath(parsing: path), entries: entries, isCut: isCut).html
    }

    private static func file(_ name: String) -> DirectoryIndex.Entry { .init(name: name, size: 5, modifiedSeconds: 0) }
    private static func directory(_ name: String) -> DirectoryIndex.Entry {
        .init(name: name, size: nil, modifiedSeconds: 0)
    }

    @Test("directories come first, and each group is sorted")
    func order() throws {
        let page = try Self.page("/", [Self.file("b"), Self.file("a"), Self.directory("z"), Self.directory("y")])
        let links = page.split(separator: "\n").filter { $0.hasPrefix("<tr>") }.compactMap {
            $0.split(separator: "\"").dropFirst().first
        }
        expectEqual(links, ["y/", "z/", "a", "b"])
        #expect(page.contains("<td>5</td><td>Thu, 01 Jan 1970 00:00:00 GMT</td>"))
    }

    @Test("a directory except the root links to its parent, and a truncated list says so")
    func parts() throws {
        #expect(try Self.page("/a/", []).contains("href=\"../\""))
        try expectFalse(Self.page("/", []).contains("../"))
        #expect(try Self.page("/", [], isCut: true).contains("has more entries"))
        try expectFalse(Self.page("/", []).contains("has more entries"))
    }

    @Test(
        "a name is never parsed as HTML or as another URL, and is always visible",
        arguments: [
            ("<script>", "%3Cscript%3E", "&lt;script&gt;"), ("\"'&", "%22%27%26", "&quot;&#39;&amp;"),
            ("a\nb", "a%0Ab", "a\\u{A}b"), ("\u{202E}x", "%E2%80%AEx", "\\u{202E}x"),
            ("javascript:alert(1)", "javascript%3Aalert%281%29", "javascript:alert(1)"),
            ("a?b#c", "a%3Fb%23c", "a?b#c"),
            ("%2e", "%252e", "%2e"),
        ])
    func names(name: String, link: String, text: String) throws {
        let page = try Self.page("/", [Self.file(name)])
        #expect(page.contains("<a href=\"\(link)\">\(text)</a>"))
        let title = try Self.page("/\(RequestPath.encode(name))/", [])
        #expect(title.contains("<h1>/\(text)/</h1>"))
        #expect(title.contains("<title>/\(text)/</title>"))
    }
}
