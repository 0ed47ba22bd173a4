import TestSupport
import Testing

@testable import WSCore

@Suite struct HeaderFieldTests {
    @Test("a line in the form of -H is split at its first colon and trimmed")
    func parsing() throws {
        let field = try HeaderField(parsing: "X-A: \t b: c \t")
        #expect(field.name == "X-A" && field.value == "b: c")
        try expectEqual(HeaderField(parsing: "Empty:").value, "")
        try expectEqual(HeaderField(parsing: "Tab: a\tb").value, "a\tb")
        try expectEqual(HeaderField(parsing: "U: ü").value, "ü")
    }

    static let refusedCases: [(String, HeaderFieldError)] = [
        ("no colon", HeaderFieldError.missingColon), (": x", .invalidName("")),
        ("A : x", .invalidName("A ")),
        ("A\u{301}: x", .invalidName("A\u{301}")), ("A: x\r\nB: y", .controlCharacterInValue(name: "A")),
        ("A: x\0", .controlCharacterInValue(name: "A")), ("A: x\n", .controlCharacterInValue(name: "A")),
        ("A\r\nB: y", .invalidName("A\r\nB")), ("A: \u{1B}[0m", .controlCharacterInValue(name: "A")),
    ]

    @Test("fields that would corrupt a head are rejected (RFC 9110 §5.1, §5.5)", arguments: Self.refusedCases)
    func refused(line: String, error: HeaderFieldError) {
        #expect(throws: error) { try HeaderField(parsing: line) }
    }

    @Test(
        "the error for a rejected line does not contain possible secrets",
        arguments: [
            ("Authorization Bearer geheim", "there is no colon"), ("Authorization geheim:geheim", "\"Authorization \""),
            ("Authorization: geheim\u{1}", "\"Authorization\""),
        ])
    func refusedSecrets(line: String, words: String) throws {
        let error = #expect(throws: HeaderFieldError.self) { try HeaderField(parsing: line) }
        let description = try #require(error).description
        #expect(description.contains(words) && !description.contains("geheim"))
    }

    @Test("field names are case-insensitive, and lists are joined across fields (RFC 9110 §5.6.1)")
    func fields() throws {
        var fields = HTTPFields()
        fields.append(try HeaderField(parsing: "Connection: keep-alive ,, \tUpgrade,"))
        fields.append(try HeaderField(parsing: "X: 1"))
        fields.append(try HeaderField(parsing: "CONNECTION: Close"))
        expectEqual(fields.count, 3)
        expectEqual(fields.first(named: "x"), "1")
        expectNil(fields.first(named: "y"))
        expectEqual(fields.all(named: "connection"), ["keep-alive ,, \tUpgrade,", "Close"])
        expectEqual(fields.tokens(named: "connection"), ["keep-alive", "upgrade", "close"])
        expectEqual(fields.elements(named: "connection"), ["keep-alive", "Upgrade", "Close"])
        #expect(fields.contains(token: "UPGRADE", named: "connection"))
        #expect(fields.contains(token: "close", named: "connection"))
        #expect(!fields.contains(token: "keep", named: "connection") && !fields.contains(token: "1", named: "y"))
        expectEqual(fields.map(\.name), ["Connection", "X", "CONNECTION"])
    }

    @Test("fields can be removed and replaced, and are equal wherever their bytes are")
    func changes() throws {
        var fields = HTTPFields(try ["A: 1", "B: 2", "a: 3", "C: 4"].map { try HeaderField(parsing: $0) })
        fields.remove(named: "A")
        fields.replaceFirst(with: try HeaderField(parsing: "c: 5"))
        fields.replaceFirst(with: try HeaderField(parsing: "D: 6"))
        expectEqual(fields, HTTPFields(try ["B: 2", "c: 5"].map { try HeaderField(parsing: $0) }))
        var lines: [UInt8] = []
        fields.appendLines(to: &lines)
        expectEqual(lines, Array("B: 2\r\nc: 5\r\n".utf8))
    }

    static let secretsCases: [(String, Bool)] = [
        ("Authorization", true), ("PROXY-authorization", true), ("cookie", true), ("Set-Cookie", true),
        ("X-API-Key", true), ("apikey", true), ("x_api_key", true), ("X-Auth-Token", true), ("X-Auth", true),
        ("PRIVATE-TOKEN", true), ("X-Amz-Security-Token", true), ("X-Hub-Signature-256", true),
        ("X-Session-ID", true), ("Client-Secret", true), ("Ocp-Apim-Subscription-Key", true),
        ("X-User-Password", true), ("X-Credentials", true), ("X-Login", true), ("CB-ACCESS-SIGN", true),
        ("CB-ACCESS-KEY", true), ("DPoP", true), ("X-App-Key", true), ("X-CSRF", true), ("X-Pwd", true),
        ("X-Author", false), ("X-Authorized-User", true), ("X-Cache-Key", false), ("Keep-Alive", false),
        ("Sec-WebSocket-Key", false), ("Sec-WebSocket-Protocol", false), ("WWW-Authenticate", false),
        ("Access-Control-Allow-Credentials", false),
        ("Proxy-Authenticate", false), ("X-Authority", false), ("Accept", false), ("Origin", false),
        ("User-Agent", false), ("X-Request-ID", false), ("X-Cookie", false), ("Idempotency-Key", false),
    ]

    @Test("a field with a possible secret is recognized by its name", arguments: Self.secretsCases)
    func secrets(name: String, isSecret: Bool) throws {
        try expectEqual(HeaderField(name: name, value: "x").isSecret, isSecret)
        expectEqual(HeaderField.isSecret(name: name), isSecret)
    }

    @Test("only ASCII letters are compared case-insensitively: KELVIN SIGN is not k")
    func kelvin() throws {
        expectFalse(ASCII.areEqualIgnoringCase("websoc\u{212A}et", "websocket"))
        let fields = HTTPFields([try HeaderField(name: "Upgrade", value: "websoc\u{212A}et")])
        expectNotEqual(fields.tokens(named: "Upgrade"), ["websocket"])
        expectFalse(fields.contains(token: "websocket", named: "Upgrade"))
    }

    @Test("credentials are encoded by the rules of RFC 7617 §2")
    func credentials() throws {
        try expectEqual(
            Credentials(user: "Aladdin", password: "open sesame").basicAuthorization,
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        try expectEqual(Credentials(user: "test", password: "123\u{A3}").basicAuthorization, "Basic dGVzdDoxMjPCow==")
        expectEqual("\(try Credentials(user: "u", password: "secret"))", "u:***")
        #expect(throws: CredentialsError.colonInUser) { try Credentials(user: "a:b", password: "") }
        #expect(throws: CredentialsError.controlCharacterInUser) { try Credentials(user: "a\n", password: "") }
        #expect(throws: CredentialsError.controlCharacterInPassword) { try Credentials(user: "a", password: "\u{7F}") }
    }
}
