import Testing
import WSCore

@testable import wsx

@Suite struct HistoryPolicyTests {
    @Test(
        "Lines without credentials are kept",
        arguments: [
            "hello", "{\"id\":7,\"method\":\"get\"}", "/ping hello", "//path", "me@example.org", "a:b@c",
            "https://example.org/@user", "https://example.org/?mail=me@example.org", "eyJhbGciOiJIUzI1NiJ9",
            "eyJ.eyJ", "several\nlines", "zwölf 水",
        ])
    func kept(line: String) {
        #expect(HistoryPolicy().allows(Array(line.utf8)))
    }

    @Test(
        "Lines that may contain credentials are not kept",
        arguments: [
            " hello", "my PASSWORD is", "Passwd", "pass-word: x", "passphrase", "{\"Secret\":1}", "csrf_token",
            "Authorization: Basic x", "BEARER x", "api_key", "apikey", "X-API-Key: 1", "credentials", "Set-Cookie: a=b",
            "private_key", "one\ntwo token", "wss://me:hush@host/", "{\"url\":\"ws://me@host\"}",
            "see https://example.org/ and http://u:p@h", "/connect me:hush@host:80/",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_", "{\"jwt\":\"eyJhbGciOiJub25lIn0.eyJ9.\"}",
        ])
    func leftOut(line: String) {
        #expect(!HistoryPolicy().allows(Array(line.utf8)))
    }

    @Test("A web token is found after any amount of text that only begins like one")
    func beginnings() {
        let beginnings = String(repeating: "eyJ", count: 300_000)
        #expect(HistoryPolicy().allows(Array(beginnings.utf8)))
        for end in [".x.", " eyJ.x.", "..eyJ.x."] {
            #expect(!HistoryPolicy().allows(Array((beginnings + end).utf8)))
        }
        #expect(!HistoryPolicy().allows(Array("eyJ.eyJ eyJ.eyJ.".utf8)))
    }

    @Test("A line with a secret is not kept; a short secret counts only as a separate word")
    func secrets() {
        let policy = HistoryPolicy(secrets: ["hunter2", "abc", ""])
        #expect(!policy.allows(Array("hunter2".utf8)))
        #expect(!policy.allows(Array("xxhunter2xx".utf8)))
        #expect(!policy.allows(Array("abc".utf8)))
        #expect(!policy.allows(Array("it is {\"abc\"}".utf8)))
        #expect(!policy.allows(Array("abcd abc".utf8)))
        #expect(policy.allows(Array("abcd".utf8)))
        #expect(policy.allows(Array("hunter".utf8)))
    }

    @Test("The secrets of a run are the values of its options and their parts")
    func record() throws {
        let record = SecretRecord()
        record.add("me:hush-hush", of: "--auth")
        record.add("sid=xyz", of: "--cookie")
        record.add("http://u:proxypass@proxy:8080", of: "--proxy")
        record.add(try Credentials(user: "url", password: "urlpass"))
        let fields = [
            try HeaderField(parsing: "Authorization: Custom opaque"),
            try HeaderField(parsing: "Cookie: a=first; b=second"),
            try HeaderField(parsing: "X-API-Key: of-the-service"),
            try HeaderField(parsing: "X-Plain: shown"),
        ]
        record.add(try ClientRequest(url: try WebSocketURL(parsing: "ws://host/"), extraFields: fields))
        let expected = [
            "me:hush-hush", "hush-hush", "sid=xyz", "xyz", "proxypass", "urlpass", "url:urlpass", "opaque", "first",
            "second", "of-the-service",
        ]
        for text in expected { #expect(record.texts.contains(text), "\(text)") }
        #expect(!record.texts.contains("me") && !record.texts.contains("shown"))
    }
}
