import TestSupport
import Testing

@testable import WSCore

@Suite("Gateway maps the heads between clients and a server") struct GatewayTests {
    static func gateway(
        to url: String = "wss://api.example/live", isSecure: Bool = false, host: String? = nil,
        login: LoginScope = .none,
        name: String? = nil
    ) throws -> Gateway {
        let url = try WebSocketURL(parsing: url)
        return Gateway(
            to: (url, host ?? url.hostField), isSecure: isSecure, identifier: "me", login: login,
            name: name)
    }

    static func fields(_ lines: [String]) throws -> HTTPFields {
        HTTPFields(try lines.map { try HeaderField(parsing: $0) })
    }

    static func request(_ lines: String...) throws -> RequestHead {
        RequestHead(method: "GET", target: "/", fields: try fields(["Host: localhost:8080"] + lines))
    }

    static func response(_ lines: String...) throws -> ResponseHead {
        ResponseHead(status: 200, reason: "OK", fields: try fields(lines))
    }

    /// The lines without CDN-Loop, which every request to the server has.
    static func lines(_ fields: [HeaderField]) -> [String] {
        fields.filter { !$0.isNamed("CDN-Loop") }.map { "\($0.name): \($0.value)" }
    }

    @Test(
        "CDN-Loop names the gateway, and shows that a request has come back",
        arguments: [
            ([String](), "me", false), (["CDN-Loop: you; v=1"], "you; v=1, me", false),
            (["CDN-Loop: a", "cdn-loop: me2, b"], "a, me2, b, me", false),
            (["CDN-Loop: a; x=me,me ;v=2"], "a; x=me,me ;v=2, me", true),
            (["CDN-Loop: me", "Connection: CDN-Loop"], "me, me", true),
        ])
    func loops(lines: [String], value: String, hasForwarded: Bool) throws {
        let request = RequestHead(
            method: "GET", target: "/", fields: try Self.fields(["Host: localhost"] + lines))
        let gateway = try Self.gateway()
        expectEqual(HTTPFields(gateway.fields(of: request)).all(named: "CDN-Loop"), [value])
        expectEqual(gateway.hasForwarded(request), hasForwarded)
    }

    @Test("Via names the gateway after earlier hops, with the version that arrived (RFC 9110 §7.6.3)")
    func via() throws {
        let gateway = try Self.gateway(name: "proxy:8080")
        let request = try Self.request("Via: 1.0 a, 2 b", "via: 1.1 c", "Connection: Via")
        expectEqual(Self.lines(gateway.fields(of: request)), ["Via: 1.0 a, 2 b, 1.1 c, 1.1 proxy:8080"])
        let http2 = RequestHead(http2Method: "GET", target: "/", fields: try Self.fields(["Host: h"]))
        expectEqual(Self.lines(gateway.fields(of: http2)), ["Via: 2 proxy:8080"])
        let old = ResponseHead(status: 200, reason: "", fields: try Self.fields(["Via: 1.1 a"]), minorVersion: 0)
        expectEqual(Self.lines(gateway.fields(of: old, to: request)), ["Via: 1.1 a, 1.0 proxy:8080"])
        expectEqual(Self.lines(try Self.gateway().fields(of: old, to: request)), ["Via: 1.1 a"])
        #expect(
            ["wsx", "a.example:80", "[::1]:8080", "a!", String(repeating: "a", count: 255)].allSatisfy(Gateway.isName))
        #expect(
            !["", "a b", "a,b", "a:b", "a\r\nX: 1", "a%20b:1", "a;b:1", String(repeating: "a", count: 256)].contains(
                where: Gateway.isName))
    }

    @Test("Trailers lose fields that must precede the content (RFC 9110 §6.5.1)")
    func trailers() throws {
        let dropped = [
            "Content-Length: 1", "transfer-encoding: chunked", "Host: h", "Trailer: X", "TE: trailers", "If-Match: x",
            "Authorization: x", "Set-Cookie: a=b", "Cookie: a=b", "Proxy-Authorization: x", "Content-Type: x",
            "Connection: X", "Upgrade: x", "Cache-Control: no-store", "Sec-WebSocket-Key: x", "CDN-Loop: x",
        ]
        let kept = ["X-Checksum: 1", "grpc-status: 0", "Digest: x"]
        expectEqual(Array(Gateway.trailers(try Self.fields(dropped + kept))), Array(try Self.fields(kept)))
    }

    @Test("Pages of other sites may not embed responses to requests with a login")
    func resourcePolicy() throws {
        let gateway = try Self.gateway(login: .all)
        let request = try Self.request()
        let policy = "Cross-Origin-Resource-Policy: "
        expectEqual(Self.lines(gateway.fields(of: try Self.response(), to: request)), [policy + "same-site"])
        let own = try Self.response(policy + "cross-origin")
        expectEqual(Self.lines(gateway.fields(of: own, to: request)), [policy + "cross-origin"])
    }

    @Test("Fields of the connection and of the handshake are not forwarded")
    func connectionFields() throws {
        let request = try Self.request(
            "Connection: keep-alive, X-Hop", "x-hop: 1", "Keep-Alive: 5", "TE: trailers", "Upgrade: websocket",
            "Transfer-Encoding: chunked", "Content-Length: 5", "Proxy-Authorization: x", "Sec-WebSocket-Key: k",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: a", "Sec-WebSocket-Extensions: e", "Accept: */*",
            "Cookie: a=1", "Cookie: b=2")
        expectEqual(Self.lines(try Self.gateway().fields(of: request)), ["Accept: */*", "Cookie: a=1", "Cookie: b=2"])
        let response = try Self.response(
            "Connection: close, X-Hop", "X-Hop: 1", "Sec-WebSocket-Accept: a", "Sec-WebSocket-Protocol: p",
            "Strict-Transport-Security: max-age=1", "Alt-Svc: h3", "Server: s")
        expectEqual(Self.lines(try Self.gateway().fields(of: response, to: request)), ["Server: s"])
    }

    static let originCases: [(String, String)] = [
        ("Origin: http://localhost:8080", "Origin: https://api.example"),
        ("Origin: HTTP://LOCALHOST:8080", "Origin: https://api.example"),
        ("Origin: http://localhost:80801", "Origin: http://localhost:80801"),
        ("Origin: https://localhost:8080", "Origin: https://localhost:8080"),
        ("Origin: https://other.example", "Origin: https://other.example"), ("Origin: null", "Origin: null"),
        ("Referer: http://localhost:8080/a?b", "Referer: https://api.example/a?b"),
        ("Referer: http://localhost:8080.evil.example/", "Referer: http://localhost:8080.evil.example/"),
    ]

    @Test("Origin and Referer that name the gateway name the server", arguments: Self.originCases)
    func origin(line: String, expected: String) throws {
        expectEqual(Self.lines(try Self.gateway().fields(of: try Self.request(line))), [expected])
    }

    static let locationCases: [(String, String)] = [
        ("https://api.example/a?b#c", "http://localhost:8080/a?b#c"),
        ("https://api.example", "http://localhost:8080"),
        ("HTTPS://API.EXAMPLE:443/a", "http://localhost:8080/a"),
        ("wss://api.example/a", "http://localhost:8080/a"),
        ("//api.example/a", "http://localhost:8080/a"), ("http://api.example/a", "http://api.example/a"),
        ("https://api.example:8443/", "https://api.example:8443/"), ("/a", "/a"), ("a/b", "a/b"),
        ("https://api.example.evil.example/", "https://api.example.evil.example/"),
        ("https://user@api.example/", "https://user@api.example/"), ("mailto:api.example", "mailto:api.example"),
        ("//", "//"), ("", ""),
    ]

    @Test("Location that names the server names the gateway", arguments: Self.locationCases)
    func location(value: String, expected: String) throws {
        let response = try Self.response("Location: \(value)")
        expectEqual(
            Self.lines(try Self.gateway().fields(of: response, to: try Self.request())), ["Location: \(expected)"])
    }

    static let cookiesCases: [(String, Bool, String)] = [
        ("a=1; Domain=api.example; Path=/", false, "a=1; Path=/"), ("a=1;DOMAIN=.Example", false, "a=1"),
        ("a=1; Domain=other.example", false, "a=1; Domain=other.example"),
        ("a=1; Domain=pi.example", false, "a=1; Domain=pi.example"),
        ("a=1; Secure; HttpOnly", false, "a=1; HttpOnly"), ("a=1; Secure; HttpOnly", true, "a=1; Secure; HttpOnly"),
        ("a=1; SameSite=None; Secure", false, "a=1"), ("a=1; SameSite=Lax", false, "a=1; SameSite=Lax"),
        ("secure; Path=/", false, "secure; Path=/"),
        ("__Host-a=1; Path=/; Secure", false, "__Host-a=1; Path=/; Secure"),
        (
            "__SECURE-a=1; Domain=api.example; SameSite=None; Secure", false,
            "__SECURE-a=1; SameSite=None; Secure"
        ), ("__Secret-a=1; Secure", false, "__Secret-a=1"),
    ]

    @Test("Cookies of the server become cookies of the gateway", arguments: Self.cookiesCases)
    func cookies(value: String, isSecure: Bool, expected: String) throws {
        let response = try Self.response("Set-Cookie: \(value)")
        expectEqual(
            Self.lines(try Self.gateway(isSecure: isSecure).fields(of: response, to: try Self.request())),
            ["Set-Cookie: \(expected)"])
    }

    @Test(
        "Cookies with a prefix keep Secure where browsers accept it",
        arguments: [
            ("localhost", true), ("LOCALHOST:8080", true), ("a.localhost", true), ("127.0.0.2:1", true),
            ("[::1]", true),
            ("192.168.0.1", false), ("api.example", false),
        ])
    func cookiePrefixes(host: String, keepsSecure: Bool) throws {
        let fields = try Self.fields(["Host: \(host)"])
        let mapped = try Self.gateway().fields(
            of: try Self.response("Set-Cookie: __Secure-a=1; Secure"),
            to: RequestHead(method: "GET", target: "/", fields: fields))
        expectEqual(Self.lines(mapped), ["Set-Cookie: __Secure-a=1" + (keepsSecure ? "; Secure" : "")])
    }

    @Test("A host of the user is the server's name")
    func host() throws {
        let gateway = try Self.gateway(to: "ws://127.0.0.1:3000/", host: "app.example")
        let request = try Self.request("Origin: http://localhost:8080")
        expectEqual(Self.lines(gateway.fields(of: request)), ["Origin: http://app.example"])
        let response = try Self.response(
            "Location: http://app.example/x", "Access-Control-Allow-Origin: http://app.example")
        expectEqual(
            Self.lines(gateway.fields(of: response, to: request)),
            [
                "Location: http://localhost:8080/x", "Access-Control-Allow-Origin: http://localhost:8080",
            ])
    }

    @Test("A proxy changes nothing that names the server") func proxies() throws {
        let login = LoginScope.host(try #require(HostPattern("a.example")))
        let proxy = Gateway(to: nil, isSecure: false, identifier: "me", login: login)
        let own = ["Origin: http://a.example", "Referer: http://a.example/", "Cookie: a=b"]
        let request = RequestHead(
            method: "GET", target: "https://a.example/", fields: try Self.fields(["Host: virtual"] + own))
        #expect(Self.lines(proxy.fields(of: request)) == own && proxy.host(of: request) == "virtual")
        let lines = [
            "Location: http://a.example/", "Set-Cookie: a=b; Domain=a.example; Secure",
            "Strict-Transport-Security: max-age=1", "Access-Control-Allow-Origin: http://a.example",
        ]
        let response = ResponseHead(status: 200, reason: "OK", fields: try Self.fields(lines + ["Alt-Svc: h2=\":1\""]))
        let policy = "Cross-Origin-Resource-Policy: same-site"
        #expect(Self.lines(proxy.fields(of: response, to: request)) == lines + [policy])
        let other = RequestHead(method: "GET", target: "http://b.example/", fields: request.fields)
        #expect(Self.lines(proxy.fields(of: response, to: other)) == lines)
    }
}
