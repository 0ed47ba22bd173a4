import TestSupport
import Testing

@testable import WSCore

@Suite struct WebSocketURLTests {
    struct Good: Sendable {
        let text: String
        let canonical: String
        let hostField: String
        let target: String

        init(_ text: String, _ canonical: String, _ hostField: String, _ target: String) {
            self.text = text
            self.canonical = canonical
            self.hostField = hostField
            self.target = target
        }
    }

    @Test("a query parameter is percent-encoded and follows others")
    func queryParameters() throws {
        let url = try WebSocketURL(parsing: "ws://u:p@h/a")
        expectEqual(url.adding(query: "id", "a&b=c/+").requestTarget, "/a?id=a%26b%3Dc%2F%2B")
        try expectEqual(url.changingTarget { _ in "/a?b=c" }.adding(query: "d", "é").requestTarget, "/a?b=c&d=%C3%A9")
        try expectEqual(url.changingTarget { _ in "x y" }.requestTarget, "/x%20y")
        try expectEqual(url.changingTarget { _ in "/" }.userInfo, url.userInfo)
    }

    static let goodCases: [Good] = [
        Good("ws://example.com", "ws://example.com/", "example.com", "/"),
        Good("WS://EXAMPLE.com:80/Chat", "ws://example.com/Chat", "example.com", "/Chat"),
        Good("wss://example.com:443/", "wss://example.com/", "example.com", "/"),
        Good("wss://example.com:80/", "wss://example.com:80/", "example.com:80", "/"),
        Good("http://h:81/a?b=c", "ws://h:81/a?b=c", "h:81", "/a?b=c"),
        Good("https://h?q", "wss://h/?q", "h", "/?q"),
        Good("ws://h:/x", "ws://h/x", "h", "/x"),
        Good("example.com", "ws://example.com/", "example.com", "/"),
        Good("example.com/x?y", "ws://example.com/x?y", "example.com", "/x?y"),
        Good("localhost:8080/x", "ws://localhost:8080/x", "localhost:8080", "/x"),
        Good("localhost:", "ws://localhost/", "localhost", "/"),
        Good("localhost:8080?x", "ws://localhost:8080/?x", "localhost:8080", "/?x"),
        Good("127.0.0.1:1", "ws://127.0.0.1:1/", "127.0.0.1:1", "/"),
        Good(":8080", "ws://localhost:8080/", "localhost:8080", "/"),
        Good(":65535/path", "ws://localhost:65535/path", "localhost:65535", "/path"),
        Good("[::1]:9000/a", "ws://[::1]:9000/a", "[::1]:9000", "/a"),
        Good("ws://[2001:DB8::A]/", "ws://[2001:db8::a]/", "[2001:db8::a]", "/"),
        Good("ws://[::ffff:192.0.2.1]", "ws://[::ffff:192.0.2.1]/", "[::ffff:192.0.2.1]", "/"),
        Good("ws://[fe80::1%25eth0]:81/", "ws://[fe80::1%25eth0]:81/", "[fe80::1]:81", "/"),
        Good("ws://[fe80::1%eth0]/", "ws://[fe80::1%25eth0]/", "[fe80::1]", "/"),
        Good("echo:", "echo:", "localhost", "/"),
        Good("ECHO:", "echo:", "localhost", "/"),
        Good("echo:8080", "ws://echo:8080/", "echo:8080", "/"),
        Good("ws+unix:/run/a.sock", "ws+unix:/run/a.sock:/", "localhost", "/"),
        Good("ws+unix:/run/a.sock:", "ws+unix:/run/a.sock:/", "localhost", "/"),
        Good(
            "WS+unix:/run/a:b.sock:/x?u=http://y", "ws+unix:/run/a%3Ab.sock:/x?u=http://y", "localhost",
            "/x?u=http://y"),
        Good("ws+unix:///run/a%20b:/x", "ws+unix:/run/a%20b:/x", "localhost", "/x"),
        Good("ws+unix:a.sock:/", "ws+unix:a.sock:/", "localhost", "/"),
        Good("ws://h/ü?é=世", "ws://h/%C3%BC?%C3%A9=%E4%B8%96", "h", "/%C3%BC?%C3%A9=%E4%B8%96"),
        Good("ws://h/%2f%2F", "ws://h/%2f%2F", "h", "/%2f%2F"),
        Good("ws://h/?q={\"a\":[1]}", "ws://h/?q=%7B%22a%22:%5B1%5D%7D", "h", "/?q=%7B%22a%22:%5B1%5D%7D"),
        Good("ws://ex%41mple/", "ws://example/", "example", "/"),
        Good("ws://user:pa%20ss@h/", "ws://h/", "h", "/"),
        Good("user:pass@h/", "ws://h/", "h", "/"),
        Good("ws://h//a/../b", "ws://h//a/../b", "h", "//a/../b"),
        Good("ws://under_score.example/", "ws://under_score.example/", "under_score.example", "/"),
    ]

    @Test("each form is parsed as RFC 6455 §3 and the manual describe it", arguments: Self.goodCases)
    func good(form: Good) throws {
        let url = try WebSocketURL(parsing: form.text)
        expectEqual(url.description, form.canonical)
        expectEqual(url.hostField, form.hostField)
        expectEqual(url.requestTarget, form.target)
        let again = try WebSocketURL(parsing: url.description)
        #expect(again.endpoint == url.endpoint && again.requestTarget == url.requestTarget)
    }

    static let badCases: [(String, URLError)] = [
        ("", URLError.empty),
        ("ws://h/a b", .space), (" ws://h", .surroundingSpace),
        ("ws://h/\r\nX: y", .controlCharacter), ("ws://h/\0", .controlCharacter),
        ("ws://h/\u{85}", .controlCharacter),
        ("ws://h\t", .surroundingSpace),
        ("ws://h/#x", .fragment), ("ws://h/?a#", .fragment), ("ws://u:p#w@h/", .fragment),
        ("ftp://h/", .unknownScheme("ftp")), ("WSX://h", .unknownScheme("wsx")),
        ("mailto:someone", .unknownScheme("mailto")),
        ("wss+unix:/x", .unknownScheme("wss+unix")),
        ("ws:/h", .missingSlashes(scheme: "ws")), ("wss:", .missingSlashes(scheme: "wss")),
        ("ws://", .emptyHost), ("ws:///x", .emptyHost), ("ws://:80/", .emptyHost), ("/x", .emptyHost),
        (":/x", .emptyHost), (":", .emptyHost), ("ws://u@/", .emptyHost),
        ("ws://a\\b/", .invalidHost("a\\b")), ("ws://a^b/", .invalidHost("a^b")),
        ("ws://[::1]x/", .invalidHost("[::1]x")),
        ("ws://a%2Fb/", .invalidHost("a/b")), ("ws://a%00b/", .invalidHost("a\0b")),
        ("ws://\(String(repeating: "a", count: 256))/", .hostTooLong(byteCount: 256)),
        ("ws://[::1", .invalidIPv6Address("[::1")), ("ws://[]/", .invalidIPv6Address("")),
        ("ws://[1::2::3]/", .invalidIPv6Address("1::2::3")), ("ws://[v1.x]/", .invalidIPv6Address("v1.x")),
        ("ws://[fe80::1%]/", .invalidIPv6Address("fe80::1%")),
        ("ws://[fe80::1%a/b]/", .invalidIPv6Address("[fe80::1%a")),
        ("ws://::1/", .unbracketedIPv6Address), ("::1", .unbracketedIPv6Address),
        ("ws://h:0/", .invalidPort("0")), ("ws://h:65536/", .invalidPort("65536")),
        ("ws://h:+80/", .invalidPort("+80")),
        ("ws://h:99999999999999999999/", .invalidPort("99999999999999999999")), ("h:8x/", .invalidPort("8x")),
        ("example.com:abc", .invalidPort("abc")), (":http", .invalidPort("http")),
        ("ws://h/%", .malformedPercentEscape("%")), ("ws://h/%4", .malformedPercentEscape("%4")),
        ("ws://h/?%zz", .malformedPercentEscape("%zz")), ("ws://%f/", .malformedPercentEscape("%f")),
        ("ws://u%ff@h/", .invalidUTF8), ("ws://%ff/", .invalidUTF8),
        ("ws://a@b@h/", .unescapedAtSign), ("ws://a:b/c@h/", .unescapedSlash), ("a:b?c@h", .unknownScheme("a")),
        ("ws://a%3Ab:c@h/", .invalidCredentials(.colonInUser)),
        ("ws://a:%0A@h/", .invalidCredentials(.controlCharacterInPassword)),
        ("ws+unix:", .emptySocketPath), ("ws+unix::/x", .emptySocketPath),
        ("ws+unix:/a%00b", .controlCharacterInSocketPath), ("ws+unix:/a%", .malformedPercentEscape("%")),
        ("echo:/x", .echoWithAddress), ("echo://h", .echoWithAddress),
    ]

    @Test("an invalid URL is rejected with the reason", arguments: Self.badCases)
    func bad(text: String, error: URLError) {
        #expect(throws: error) { try WebSocketURL(parsing: text) }
        expectFalse(error.description.isEmpty)
    }

    static let withoutUserInfoCases: [(String, String)] = [
        ("ws://u:p@h/x", "ws://•••@h/x"), ("WSS://u:p@h", "wss://•••@h"), ("u:p@h:1/", "•••@h:1/"),
        ("ws://u:p/q@h/", "ws://•••@h/"), ("u:p//q@h/", "•••@h/"), ("ws://u:p@q@h/", "ws://•••@h/"),
        ("ws:u:p@h/", "•••@h/"), ("//u:p@h/", "//•••@h/"), ("ws://u:p#q@h", "ws://•••@h"), ("@h", "•••@h"),
        ("ws://h/x", "ws://h/x"), ("", ""),
    ]

    @Test(
        "redacting a text hides every possible password, even in an invalid URL", arguments: Self.withoutUserInfoCases)
    func withoutUserInfo(text: String, shown: String) {
        expectEqual(WebSocketURL.withoutUserInfo(text), shown)
    }

    @Test("user name and password are percent-decoded and never shown")
    func userInfo() throws {
        let url = try WebSocketURL(parsing: "wss://us%65r:pa%20s:s%40@h/x")
        try expectEqual(url.userInfo, Credentials(user: "user", password: "pa s:s@"))
        expectEqual(url.description, "wss://h/x")
        try expectNil(WebSocketURL(parsing: "ws://@h/").userInfo)
        try expectEqual(WebSocketURL(parsing: "ws://:t@h/").userInfo, Credentials(user: "", password: "t"))
    }

    @Test("the endpoint has the zone, the decoded socket path, and the port")
    func endpoints() throws {
        try expectEqual(WebSocketURL(parsing: "ws://[FE80::1%25eth0]").endpoint, .tcp(host: "fe80::1%eth0", port: 80))
        try expectEqual(WebSocketURL(parsing: "wss://H").endpoint, .tcp(host: "h", port: 443))
        try expectTrue(WebSocketURL(parsing: "wss://H").isSecure)
        try expectEqual(WebSocketURL(parsing: "ws+unix:/a%20b%3A/c").endpoint, .unix(path: "/a b:/c"))
        try expectEqual(WebSocketURL(parsing: "echo:").endpoint, .embeddedEcho)
    }

    @Test("the displayed URL of a socket path with leading slashes leads to the same socket")
    func socketPathOfSlashes() throws {
        for typed in ["ws+unix://x", "ws+unix://////x", "ws+unix:///////x"] {
            let url = try WebSocketURL(parsing: typed)
            try expectEqual(WebSocketURL(parsing: url.description).endpoint, url.endpoint, "\(url)")
        }
    }

    static let redirectsCases: [(String, String)] = [
        ("/x", "ws://u/x"), ("y?z", "ws://u/a/b/y?z"), ("?z", "ws://u/a/b/c?z"), ("", "ws://u/a/b/c?q"),
        ("..", "ws://u/a/"), ("../../../x", "ws://u/x"), ("./", "ws://u/a/b/"), ("//v:81/x", "ws://v:81/x"),
        ("wss://w/#frag", "wss://w/"), ("HTTPS://w/x", "wss://w/x"), ("/ü", "ws://u/%C3%BC"),
    ]

    @Test("a Location is resolved by the rules of RFC 3986 §5.4", arguments: Self.redirectsCases)
    func redirects(location: String, expected: String) throws {
        let base = try WebSocketURL(parsing: "ws://me:pw@u/a/b/c?q")
        let url = try base.resolving(location: location)
        expectEqual(url.description, expected)
        expectEqual((url.userInfo != nil), (url.isSameOrigin(as: base)))
    }

    @Test(
        "a server cannot redirect to a Unix domain socket, to this process, or to another scheme",
        arguments: [
            ("ws+unix:/run/docker.sock:/", URLError.forbiddenRedirect(scheme: "ws+unix")),
            ("echo:", .forbiddenRedirect(scheme: "echo")), ("file:///etc/passwd", .forbiddenRedirect(scheme: "file")),
            ("/a b", .space), ("/%", .malformedPercentEscape("%")), ("/\r\n", .surroundingSpace),
            ("/\rx", .controlCharacter),
        ])
    func forbiddenRedirects(location: String, error: URLError) throws {
        let base = try WebSocketURL(parsing: "ws://u/")
        #expect(throws: error) { try base.resolving(location: location) }
    }

    static let ipv6Cases: [(String, Bool)] = [
        ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:1.2.3.4", true),
        ("1::8", true), ("::2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true),
        ("", false), (":", false), (":::", false), ("1", false), ("1:2:3:4:5:6:7", false),
        ("1:2:3:4:5:6:7:8:9", false),
        ("1::2:3:4:5:6:7:8", false), (":1::2", false), ("1::2:", false), ("12345::", false), ("::g", false),
        ("::1.2.3", false), ("::1.2.3.256", false), ("1.2.3.4::", false), ("::01.2.3.4", false),
    ]

    @Test("IP addresses are parsed strictly (RFC 4291 §2.2)", arguments: Self.ipv6Cases)
    func ipv6(text: String, isAddress: Bool) {
        expectEqual((IPLiteral.ipv6(text)?.count == 16), isAddress)
    }

    static let ipv4Cases: [(String, Bool)] = [
        ("0.0.0.0", true), ("127.0.0.1", true), ("255.255.255.255", true),
        ("", false), (".", false), ("1.2.3", false), ("1.2.3.", false), (".1.2.3", false), ("1..2.3", false),
        ("1.2.3.4.", false), ("1.2.3.4.5", false), ("1.2.3.256", false), ("1.2.3.1000", false), ("01.2.3.4", false),
        ("1.2.3.00", false), ("1.2.3.+4", false), ("1.2.3.4 ", false), ("0x1.2.3.4", false),
        ("1.2.3.99999999999999999999", false), ("１.2.3.4", false),
    ]

    @Test("IPv4 addresses are parsed strictly", arguments: Self.ipv4Cases)
    func ipv4(text: String, isAddress: Bool) {
        expectEqual((IPLiteral.ipv4(text)?.count == 4), isAddress)
    }

    @Test(
        "A mistyped scheme, and white space around a URL, are named",
        arguments: [
            ("ws//localhost", .missingColon(scheme: "ws")), ("WSS//h/p", .missingColon(scheme: "wss")),
            ("ws;//h", .missingColon(scheme: "ws")), ("ws://ws://h", .repeatedScheme("ws")),
            ("http://wss://h/p", .repeatedScheme("wss")), ("ws://h ", .surroundingSpace),
            (" ws://h", .surroundingSpace),
            ("ws://h\n", .surroundingSpace), ("ws://h\r", .surroundingSpace), ("ws://h/a b", .space),
            ("ws://h/\u{1}x", .controlCharacter),
        ] as [(String, URLError)])
    func mistypedScheme(text: String, error: URLError) {
        #expect(throws: error) { _ = try WebSocketURL(parsing: text) }
    }
}
