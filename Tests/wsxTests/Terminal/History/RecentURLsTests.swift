import Conversation
import Glibc
import Testing
import WSCore

@testable import UserInterface

@Suite struct RecentURLsTests {
    private func recorded(
        _ urls: [String], secrets: [String] = [], _ body: (RecentURLs) throws -> Void = { _ in }
    ) throws -> [String] {
        var recorded: [String] = []
        // The name of a temporary file is a unique name for a directory.
        try withFile([]) { path in
            defer {
                unlink(path + ".d/wsx/urls")
                for directory in ["/wsx", ""] { rmdir(path + ".d" + directory) }
            }
            let recent = RecentURLs(environment: { $0 == "XDG_STATE_HOME" ? path + ".d" : nil })
            let record = SecretRecord()
            for secret in secrets { record.add(inserted: secret) }
            let policy = HistoryPolicy(secrets: record)
            for url in urls { try recent.record(try WebSocketURL(parsing: url), policy: policy) }
            try body(recent)
            recorded = recent.urls
        }
        return recorded
    }

    @Test("URLs are listed without repetition, newest first") func order() throws {
        #expect(try recorded(["ws://a/", "ws://b/x", "ws://a/", "ws://a/"]) == ["ws://a/", "ws://b/x"])
        #expect(try recorded([]) == [])
    }

    @Test("The number of URLs is limited") func limit() throws {
        let urls = (0..<60).map { "ws://h\($0)/" }
        #expect(try recorded(urls) == urls.suffix(RecentURLs.maximumCount).reversed())
    }

    @Test("URLs that may contain a secret are left out, and passwords are removed") func secrets() throws {
        let urls = [
            "ws://me:hidden@h/", "ws://h/?token=x", "ws://h/geheim", "echo:", "ws+unix:/run/s", "ws://h/?sig=x",
            "ws://h/?key=x", "ws://h/?a=1&t=xyz1", "ws://h/?a=x;k=xyz1", "ws://h/?s%69g=x",
        ]
        #expect(try recorded(urls, secrets: ["geheim"]) == ["ws+unix:/run/s:/", "ws://h/"])
    }

    @Test("Lines that could control a terminal, and secrets that an earlier version kept, are not listed")
    func controls() throws {
        let urls = try recorded(["ws://a/"]) { recent in
            try File.append(Array("ws://b/\u{1B}[2J\nws://c/\nws://d/?t=xyz1\n".utf8), to: try #require(recent.path))
        }
        #expect(urls == ["ws://c/", "ws://a/"])
    }
}
