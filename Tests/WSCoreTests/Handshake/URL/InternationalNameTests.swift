import TestSupport
import Testing

@testable import WSCore

@Suite struct InternationalNameTests {
    static let goodCases: [(String, String)] = [
        ("ws://münchen.example/", "xn--mnchen-3ya.example"), ("ws://MÜNCHEN.Example", "xn--mnchen-3ya.example"),
        ("ws://mu\u{308}nchen.example", "xn--mnchen-3ya.example"),
        ("ws://m%C3%BCnchen.example", "xn--mnchen-3ya.example"),
        ("ws://m%c3%bcnchen.ex%41mple", "xn--mnchen-3ya.example"),
        ("ws://faß.de", "xn--fa-hia.de"), ("ws://例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("ws://bücher.example.", "xn--bcher-kva.example."), ("ws://１２７.０.０.１", "127.0.0.1"),
        ("ws://xn--mnchen-3ya.ü", "xn--mnchen-3ya.xn--tda"), ("ws://e\u{AD}xample.com", "example.com"),
        ("ws://\u{212A}elvin", "kelvin"),
    ]

    @Test(
        "an internationalized host name is converted with the nontransitional mappings of UTS #46",
        arguments: Self.goodCases)
    func good(text: String, host: String) throws {
        let url = try WebSocketURL(parsing: text)
        expectEqual(url.endpoint, .tcp(host: host, port: 80))
        expectEqual(url.hostField, host)
        expectEqual(url.description, "ws://\(host)/")
    }

    static let badCases: [(String, InternationalNameError)] = [
        ("a／ü", InternationalNameError.disallowedCharacter), ("ü％b", .disallowedCharacter),
        ("ü＠b", .disallowedCharacter), ("ü：80", .disallowedCharacter), ("ü_a", .disallowedCharacter),
        ("a_b.ü", .disallowedCharacter), ("a\u{37E}", .disallowedCharacter), ("☃.net", .disallowedCharacter),
        ("\u{FFFD}", .disallowedCharacter), ("ü%20b", .disallowedCharacter), ("ü%2Fb", .disallowedCharacter),
        ("-ü", .misplacedHyphen), ("ü-", .misplacedHyphen), ("ab--ü", .misplacedHyphen),
        ("\u{301}a", .misplacedMark), ("ü\u{200D}", .misplacedMark), ("אa.b", .mixedDirections),
        ("xn--ü", .malformedPunycode), ("xn--a.ü", .malformedPunycode),
        ("ü..b", .emptyLabel), (".ü", .emptyLabel), ("\u{AD}", .emptyLabel), ("。ü", .emptyLabel),
        (String(repeating: "ü", count: 64), .tooLong), (String(repeating: "ü.", count: 100), .tooLong),
    ]

    @Test("a name without an ASCII form is rejected with the reason", arguments: Self.badCases)
    func bad(host: String, reason: InternationalNameError) throws {
        let name = try PercentEncoding.decode(host)
        #expect(throws: URLError.invalidInternationalName(name, reason)) {
            try WebSocketURL(parsing: "ws://\(host)/")
        }
        let words = URLError.invalidInternationalName(name, reason).description
        #expect(!words.unicodeScalars.contains { $0.isInvisible } && words.contains("; "))
    }

    @Test("Host and Origin must be in ASCII, and are not converted to permitted names")
    func headerFields() throws {
        #expect(throws: URLError.invalidHost("１２７.０.０.１")) { try HostAndPort(parsing: "１２７.０.０.１") }
        expectFalse(OriginPolicy.allowsHost("１２７.０.０.１", allowed: []))
        expectFalse(OriginPolicy.allowsOrigin("http://ｌocalhost", host: "h", allowed: []))
    }

    @Test("a name with a NUL is rejected, and an overlong name is not converted")
    func edges() {
        #expect(throws: URLError.invalidHost("ü\0b")) { try WebSocketURL(parsing: "ws://ü%00b/") }
        let long = String(repeating: "ü", count: 513)
        #expect(throws: URLError.hostTooLong(byteCount: 1026)) { try WebSocketURL(parsing: "ws://\(long)/") }
        expectEqual(InternationalNameError(-100), .other(code: -100))
        #expect(InternationalNameError(-100).description.contains("libidn2 error -100"))
    }
}
