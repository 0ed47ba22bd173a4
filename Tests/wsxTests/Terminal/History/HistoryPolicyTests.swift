import Conversation
import Testing
import WSCore

@testable import UserInterface

@Suite struct HistoryPolicyTests {
    @Test(
        "Lines without credentials are kept",
        arguments: [
            "hello", "{\"id\":7,\"method\":\"get\"}", "/ping hello", "//path", "me@example.org", "a:b@c",
            "https://example.org/@user", "https://example.org/?mail=me@example.org", "eyJhbGciOiJIUzI1NiJ9",
            "eyJ.eyJ", "several\nlines", "zwölf 水", "https://example.org/?room=1&page=2", "{\"author\":\"me\"}",
            "bypass the compass", "{\"partition_key\":1}", "/connect ws://localhost:8080/?room=1",
        ])
    func kept(line: String) {
        #expect(HistoryPolicy(secrets: SecretRecord()).allows(Array(line.utf8)))
    }

    @Test(
        "Lines that may contain credentials are not kept",
        arguments: [
            " hello", "my PASSWORD is", "Passwd", "pass-word: x", "passphrase", "{\"Secret\":1}", "csrf_token",
            "Authorization: Basic x", "BEARER x", "api_key", "apikey", "X-API-Key: 1", "credentials", "Set-Cookie: a=b",
            "private_key", "one\ntwo token", "wss://me:hush@host/", "{\"url\":\"ws://me@host\"}",
            "see https://example.org/ and http://u:p@h", "/connect me:hush@host:80/",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_", "{\"jwt\":\"eyJhbGciOiJub25lIn0.eyJ9.\"}",
            "{\"accessKey\":\"x\"}", "{\"signature\":1}", "{\"session\":\"x\"}", "{\"jwt\":\"x\"}", "auth x", "PASS x",
            "{\"pwd\":\"x\"}", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN EC PARAMETERS-----",
            "wsx -H X-Login:x ws://h", "CB-ACCESS-SIGN: x", "DPoP: x", "X-App-Key: x", "X-CSRF: x", "{\"userPass\":1}",
            "/connect ws://h/?t=xyz1", "see ws://h/?a=1&k=xyz1", "ws://h/?x=eyJhbGciOiJIUzI1NiJ9", "{\"key2\":\"x\"}",
        ])
    func leftOut(line: String) {
        #expect(!HistoryPolicy(secrets: SecretRecord()).allows(Array(line.utf8)))
    }

    @Test("A web token is found after any amount of text that only begins like one")
    func beginnings() {
        let beginnings = String(repeating: "eyJ", count: 300_000)
        #expect(HistoryPolicy(secrets: SecretRecord()).allows(Array(beginnings.utf8)))
        for end in [".x.", " eyJ.x.", "..eyJ.x."] {
            #expect(!HistoryPolicy(secrets: SecretRecord()).allows(Array((beginnings + end).utf8)))
        }
        #expect(!HistoryPolicy(secrets: SecretRecord()).allows(Array("eyJ.eyJ eyJ.eyJ.".utf8)))
    }

    @Test("A line with a secret is not kept; a short secret counts only as a separate word")
    func secrets() {
        let record = SecretRecord()
        for secret in ["hunter2", "abc", ""] { record.add(inserted: secret) }
        let policy = HistoryPolicy(secrets: record)
        #expect(!policy.allows(Array("hunter2".utf8)))
        #expect(!policy.allows(Array("xxhunter2xx".utf8)))
        #expect(!policy.allows(Array("abc".utf8)))
        #expect(!policy.allows(Array("it is {\"abc\"}".utf8)))
        #expect(!policy.allows(Array("abcd abc".utf8)))
        #expect(policy.allows(Array("abcd".utf8)))
        #expect(policy.allows(Array("hunter".utf8)))
    }
}
