import TestSupport
import Testing

@testable import WSCore

@Suite struct ProxyTests {
    static let formsCases: [(String, Proxy.Kind, String, UInt16)] = [
        ("http://proxy.example:3128", Proxy.Kind.http, "proxy.example", UInt16(3128)),
        ("HTTP://Proxy.Example:3128/", .http, "proxy.example", 3128), ("http://proxy", .http, "proxy", 1080),
        ("https://proxy", .https, "proxy", 443), ("https://proxy:8443/", .https, "proxy", 8443),
        ("socks5://127.0.0.1", .socks5, "127.0.0.1", 1080), ("socks5h://proxy:9050", .socks5h, "proxy", 9050),
        ("Socks5H://proxy", .socks5h, "proxy", 1080), ("proxy:3128", .http, "proxy", 3128),
        ("proxy", .http, "proxy", 1080), ("proxy/", .http, "proxy", 1080),
        ("10.0.0.1:80", .http, "10.0.0.1", 80), ("[::1]:3128", .http, "::1", 3128),
        ("http://[2001:DB8::1]", .http, "2001:db8::1", 1080),
        ("socks5://[fe80::1%25eth0]:1", .socks5, "fe80::1%eth0", 1), ("http:3128", .http, "http", 3128),
    ]

    @Test("each form of a proxy URL is parsed with curl's default ports", arguments: Self.formsCases)
    func forms(text: String, kind: Proxy.Kind, host: String, port: UInt16) throws {
        let proxy = try Proxy(parsing: text)
        #expect(proxy.kind == kind && proxy.host == host && proxy.port == port && proxy.credentials == nil)
        #expect(proxy.isSecure == (kind == .https) && proxy.needsTargetAddress == (kind == .socks5))
        try expectEqual(Proxy(parsing: proxy.description), proxy)
    }

    @Test(
        "user name and password are percent-decoded (RFC 3986 §3.2.1)",
        arguments: [
            ("http://user:password@proxy", "user", "password"), ("user:password@proxy:3128", "user", "password"),
            ("http://a%40b:c%3Ad%2Fe@proxy", "a@b", "c:d/e"), ("https://user@proxy", "user", ""),
            ("http://:token@proxy", "", "token"), ("socks5h://u:p%C3%A9@proxy", "u", "pé"),
            ("socks4:pw@proxy", "socks4", "pw"),
        ])
    func credentials(text: String, user: String, password: String) throws {
        try expectEqual(Proxy(parsing: text).credentials, Credentials(user: user, password: password))
    }

    @Test("an empty user name with an empty password means no credentials")
    func emptyCredentials() throws {
        try expectNil(Proxy(parsing: "socks5://@proxy").credentials)
    }

    @Test(
        "the description contains neither user name nor password",
        arguments: [
            ("user:secret@proxy:3128", "http://proxy:3128"), ("https://user:secret@[::1]", "https://[::1]:443"),
            ("socks5h://user:secret@[fe80::1%eth0]/", "socks5h://[fe80::1%25eth0]:1080"),
        ])
    func description(text: String, description: String) throws {
        let proxy = try Proxy(parsing: text)
        expectEqual(proxy.description, description)
        expectEqual("\(Optional(proxy) as Any)", "Optional(\(description))")
    }

    static let refusedCases: [(String, ProxyURLError)] = [
        ("", ProxyURLError.empty), (" proxy", .spaceOrControlCharacter),
        ("http://proxy\n", .spaceOrControlCharacter),
        ("http://pro\u{85}xy", .spaceOrControlCharacter),
        ("socks://proxy", .unsupportedScheme("socks")), ("socks4://proxy", .unsupportedScheme("socks4")),
        ("SOCKS4A://proxy", .unsupportedScheme("socks4a")), ("ws://proxy", .unsupportedScheme("ws")),
        ("http:proxy:3128", .missingSlashes(scheme: "http")), ("socks5:/proxy", .missingSlashes(scheme: "socks5")),
        ("https:user:secret@proxy", .missingSlashes(scheme: "https")), ("http:", .missingSlashes(scheme: "http")),
        ("http://proxy/path", .path), ("http://proxy//", .path), ("http://proxy?", .path), ("proxy#x", .path),
        ("http://", .emptyHost), ("http://:3128", .emptyHost), ("http://user:secret@", .emptyHost),
        ("/", .emptyHost),
        ("http://user:se/cret@proxy", .unescapedCredentials), ("http://user:se?cret@proxy", .unescapedCredentials),
        ("http://user:se#cret@proxy", .unescapedCredentials), ("http://user:s@cret@proxy", .unescapedCredentials),
        ("http://user:secret%@proxy", .unescapedCredentials),
        ("http://user:secret%FF@proxy", .unescapedCredentials),
        ("http://us%3Aer:secret@proxy", .invalidCredentials(.colonInUser)),
        ("http://user:secret%0D@proxy", .invalidCredentials(.controlCharacterInPassword)),
        ("http://proxy:0", .invalidHostOrPort(.invalidPort("0"))),
        ("http://proxy:65536", .invalidHostOrPort(.invalidPort("65536"))),
        ("http://::1", .invalidHostOrPort(.unbracketedIPv6Address)),
        ("http://[::1", .invalidHostOrPort(.invalidIPv6Address("[::1"))),
        ("http://prö xy", .spaceOrControlCharacter),
    ]

    @Test("invalid proxy URLs are rejected with their cause", arguments: Self.refusedCases)
    func refused(text: String, error: ProxyURLError) {
        #expect(throws: error) { try Proxy(parsing: text) }
        expectFalse(error.description.contains("cret"))
        #expect(error.description == escapingControls(error.description) && !error.description.isEmpty)
    }

    @Test("SOCKS accepts user names and passwords of 1 to 255 bytes (RFC 1929 §2)")
    func socksCredentials() throws {
        let (longest, longer) = (String(repeating: "x", count: 255), String(repeating: "x", count: 256))
        for kind in ["socks5", "socks5h"] {
            for pair in ["user", "user:", ":password", "\(longer):p", "u:\(longer)"] {
                #expect(throws: ProxyURLError.credentialsLength) { try Proxy(parsing: "\(kind)://\(pair)@proxy") }
            }
            let proxy = try Proxy(parsing: "\(kind)://\(longest):\(longest)@proxy")
            try expectEqual(proxy.credentials, Credentials(user: longest, password: longest))
        }
        try expectNotNil(Proxy(parsing: "http://\(longer):\(longer)@proxy").credentials)
    }

    @Test("the message for other kinds of SOCKS names the supported ones")
    func socksWords() {
        #expect(ProxyURLError.unsupportedScheme("socks4").description.contains("socks5h://"))
        #expect(ProxyURLError.unsupportedScheme("socks").description.contains("socks5://"))
    }
}
