import TestSupport
import Testing

@testable import WSCore

@Suite struct ServerHandshakeTests {
    static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    static let version = "Sec-WebSocket-Version: 13\r\n"
    static let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    static let host = "Host: localhost:8080\r\n"
    static let good = host + upgrade + key + version

    static func outcome(
        of bytes: [UInt8], policy: ServerPolicy, limits: HeadLimits = .server,
        at location: SourceLocation = #_sourceLocation
    ) -> ServerOutcome {
        let outcomes = feedingEveryWay(bytes) { pieces in
            var handshake = ServerHandshake(policy: policy, limits: limits)
            return handshake.outcome(of: pieces)
        }
        #expect(outcomes.allSatisfy { $0 == outcomes[0] }, sourceLocation: location)
        return outcomes[0]
    }

    static func upgrade(_ text: String, policy: ServerPolicy, at location: SourceLocation = #_sourceLocation)
        -> ServerUpgrade?
    {
        guard case .upgrade(let upgrade, let count) = outcome(of: Array(text.utf8), policy: policy, at: location) else {
            return nil
        }
        expectEqual(count, text.utf8.count, sourceLocation: location)
        return upgrade
    }

    /// The response that a client receives for a refusal.
    static func answer(_ refusal: HandshakeRefusal) -> String {
        let response = WebResponse(refusal)
        let bytes = response.head(at: .now).bytes + response.bytes(answering: refusal.request?.method)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func refusal(_ text: String, policy: ServerPolicy, at location: SourceLocation = #_sourceLocation)
        -> HandshakeRefusal?
    {
        guard case .refused(let refusal) = outcome(of: Array(text.utf8), policy: policy, at: location) else {
            return nil
        }
        return refusal
    }

    @Test("the request of RFC 6455 §1.2 is accepted, and the bytes after it are not consumed")
    func example() throws {
        let text =
            "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + Self.key
            + "Origin: http://example.com\r\nSec-WebSocket-Protocol: chat, superchat\r\n" + Self.version + "\r\n"
        let policy = try ServerPolicy(
            subprotocols: ["superchat", "chat"], path: "/chat",
            allowedOrigins: ["http://example.com", "http://server.example.com"],
            extraFields: [HeaderField(parsing: "Server: wsx")])
        let outcome = Self.outcome(of: Array(text.utf8) + [0x81, 0x80], policy: policy)
        guard case .upgrade(let upgrade, let count) = outcome else { Issue.record("\(outcome)"); return }
        expectEqual(count, text.utf8.count)
        expectEqual(upgrade.subprotocol, "superchat")
        expectEqual(upgrade.request.target, "/chat")
        expectEqual(
            String(decoding: upgrade.responseBytes(accepting: []), as: UTF8.self),
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
            Sec-WebSocket-Protocol: superchat\r
            Server: wsx\r
            \r

            """)
    }

    @Test("the login matches the accepted secret, and is nil if the server requires none")
    func login() throws {
        let access = AccessPolicy(
            credentials: [try Credentials(user: "me", password: "a:b")], tokens: [try BearerToken("t")])
        let request = "GET / HTTP/1.1\r\n" + Self.host + Self.upgrade + Self.key + Self.version
        for (authorization, login) in [("Basic bWU6YTpi", .basic(user: "me")), ("bearer t", .bearer)]
            as [(String, Login)]
        {
            let text = request + "Authorization: \(authorization)\r\n\r\n"
            for (policy, expected) in [(try ServerPolicy(access: access), login), (try ServerPolicy(), nil)] {
                guard case .upgrade(let upgrade, _) = Self.outcome(of: Array(text.utf8), policy: policy) else {
                    Issue.record("not accepted")
                    continue
                }
                expectEqual(upgrade.login, expected)
            }
        }
    }

    @Test("every kind of request needs the required credentials (RFC 9110 §15.5.2)")
    func access() throws {
        let policy = try ServerPolicy(access: AccessPolicy(tokens: [BearerToken("t")]))
        for rest in [Self.upgrade + Self.key + Self.version, "", Self.upgrade] {
            let start = "GET / HTTP/1.1\r\n" + Self.host + rest
            let without = try #require(Self.refusal(start + "\r\n", policy: policy))
            expectEqual(without.status, 401)
            expectEqual(without.fields.map(\.line), ["WWW-Authenticate: Bearer realm=\"wsx\"\r\n"])
            let wrong = try #require(Self.refusal(start + "Authorization: Bearer secret\r\n\r\n", policy: policy))
            expectEqual(wrong.status, 401)
            expectFalse(Self.answer(wrong).contains("secret"))
            let field = "Authorization: Bearer t\r\n"
            expectEqual(Self.refusal(start + field + field + "\r\n", policy: policy)?.status, 400)
            expectNotEqual(Self.refusal(start + field + "\r\n", policy: policy)?.status, 401)
        }
        expectNotNil(Self.upgrade("GET / HTTP/1.1\r\n" + Self.good + "AUTHORIZATION: bearer t\r\n\r\n", policy: policy))
        // Clients need no credentials to learn which host they asked for.
        let rebound = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        expectEqual(Self.refusal(rebound, policy: policy)?.status, 403)
    }

    @Test(
        "permitted variations of a request are accepted (RFC 6455 §4.2.1)",
        arguments: [
            "\r\nGET / HTTP/1.1\r\n" + good, "GET / HTTP/1.2\r\n" + good, "GET http://localhost/x HTTP/1.1\r\n" + good,
            "GET / HTTP/1.1\r\nhost:localhost\r\nUPGRADE: h2c, WebSocket\r\nconnection: keep-alive, UPGRADE\r\n" + key
                + version,
            "GET / HTTP/1.1\r\nContent-Length: 0\r\n" + good,
            "GET / HTTP/1.1\r\nSec-WebSocket-Protocol: a,,b\r\n" + good,
            "GET / HTTP/1.1\r\nSec-WebSocket-Extensions: foo; a=b\r\n" + good,
        ])
    func accepted(text: String) throws {
        let upgrade = Self.upgrade(text + "\r\n", policy: try ServerPolicy())
        expectNil(upgrade?.subprotocol)
        expectNotNil(upgrade)
    }

    @Test("offered extensions are available, and the response contains the accepted ones (RFC 6455 §9.1)")
    func extensions() throws {
        let text = "GET / HTTP/1.1\r\n" + Self.good + "Sec-WebSocket-Extensions: foo; a=b, bar\r\n\r\n"
        let upgrade = try #require(Self.upgrade(text, policy: try ServerPolicy()))
        let foo = ExtensionOffer(name: "foo", parameters: [.init("a", "b")])
        expectEqual(upgrade.extensionOffers, [foo, ExtensionOffer(name: "bar")])
        expectFalse(String(decoding: upgrade.response(accepting: []).bytes, as: UTF8.self).contains("Extensions"))
        #expect(
            String(decoding: upgrade.response(accepting: [foo]).bytes, as: UTF8.self).hasSuffix(
                "Extensions: foo; a=b\r\n\r\n"))
        expectEqual(upgrade.responseBytes(accepting: [foo]), upgrade.response(accepting: [foo]).bytes)
    }

    static let refusedCases: [(String, Int)] = [
        ("POST / HTTP/1.1\r\n" + good, 405), ("HEAD / HTTP/1.1\r\n" + good, 405),
        ("get / HTTP/1.1\r\n" + good, 405),
        ("GET / HTTP/1.0\r\n" + good, 505), ("GET / HTTP/2.0\r\n" + good, 505),
        ("GET * HTTP/1.1\r\n" + good, 400), ("GET h:80 HTTP/1.1\r\n" + good, 400),
        ("GET /#x HTTP/1.1\r\n" + good, 400),
        ("GET ftp://h/ HTTP/1.1\r\n" + good, 400), ("GET http://u@h/ HTTP/1.1\r\n" + good, 400),
        ("GET / HTTP/1.1\r\n" + upgrade + key + version, 400), ("GET / HTTP/1.1\r\n" + host + good, 400),
        ("GET / HTTP/1.1\r\nHost:\r\n" + upgrade + key + version, 400),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n" + upgrade + key + version, 400),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\n" + good, 400),
        ("GET / HTTP/1.1\r\nContent-Length: x\r\n" + good, 400),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + good, 400),
        ("GET / HTTP/1.1\r\n" + host + "Upgrade: websocket\r\n" + key + version, 426),
        ("GET / HTTP/1.1\r\n" + host + upgrade + key, 426),
        ("GET / HTTP/1.1\r\n" + host + upgrade + key + "Sec-WebSocket-Version: 8\r\n", 426),
        ("GET / HTTP/1.1\r\n" + host + upgrade + key + version + version, 400),
        ("GET / HTTP/1.1\r\n" + host + upgrade + version, 400), ("GET / HTTP/1.1\r\n" + good + key, 400),
        ("GET / HTTP/1.1\r\n" + host + upgrade + version + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j\r\n", 400),
        ("GET / HTTP/1.1\r\nSec-WebSocket-Protocol: a, b c\r\n" + good, 400),
        ("GET / HTTP/1.1\r\nSec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: a\r\n" + good, 400),
        ("GET / HTTP/1.1\r\nSec-WebSocket-Extensions: a b\r\n" + good, 400),
        ("GET / HTTP/1.1\r\nOrigin: http://localhost\r\nOrigin: http://localhost\r\n" + good, 400),
        ("GET / HTTP/1.1\r\nOrigin: http://evil.example\r\n" + good, 403),
        ("GET / HTTP/1.1\r\nOrigin: null\r\n" + good, 403),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n" + upgrade + key + version, 403),
        ("GET http://evil.example/ HTTP/1.1\r\n" + good, 403),
    ]

    @Test("a request that violates a rule gets the matching status (RFC 6455 §4.2)", arguments: Self.refusedCases)
    func refused(text: String, status: Int) throws {
        let refusal = try #require(Self.refusal(text + "\r\n", policy: try ServerPolicy()))
        expectEqual(refusal.status, status)
        #expect(status == 505 || refusal.request != nil)
    }

    @Test("an oversized head gets 431, and a malformed head gets 400 (RFC 6585 §5)")
    func badHeads() throws {
        let policy = try ServerPolicy()
        let limits = HeadLimits(maximumBytes: 40, maximumFields: 2)
        for (text, status) in [
            ("GET /\(String(repeating: "x", count: 40)) HTTP/1.1\r\n", 431),
            ("GET / HTTP/1.1\r\nA:\r\nB:\r\nC:\r\n", 431),
            ("GET / HTTP/1.1\nHost: x\n\n", 400), ("GET /\r\n", 400), ("GET / HTTP/1.1\r\nA : b\r\n", 400),
        ] {
            // The reason contains the beginning of a malformed message, so it depends on the pieces.
            let answers = feedingEveryWay(Array(text.utf8)) { pieces -> Int? in
                var handshake = ServerHandshake(policy: policy, limits: limits)
                guard case .refused(let refusal) = handshake.outcome(of: pieces), refusal.request == nil else {
                    return nil
                }
                return refusal.status
            }
            #expect(answers.allSatisfy { $0 == status }, "\(text)")
        }
        var handshake = ServerHandshake(policy: policy)
        guard case .refused(let refusal) = handshake.outcome(of: [[0x16, 3, 1, 2, 0, 1]]) else {
            Issue.record("accepted"); return
        }
        #expect(refusal.status == 400 && refusal.reason.contains("TLS"))
        expectEqual(handshake.outcome(of: [Array("GET / HTTP/1.1\r\n\(Self.good)\r\n".utf8)]), .refused(refusal))
    }

    @Test(
        "a valid request that does not ask for a WebSocket is passed on, with any method and content",
        arguments: [
            "GET /page?q HTTP/1.1\r\n", "HEAD /page?q HTTP/1.1\r\n", "GET /page?q HTTP/1.0\r\n",
            "POST /page?q HTTP/1.1\r\nContent-Length: 5\r\n", "GET http://localhost/page?q HTTP/1.1\r\n",
            "GET /page?q HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n",
            "GET /page?q HTTP/1.1\r\nOrigin: http://evil.example\r\n",
        ])
    func plainRequest(text: String) throws {
        let outcome = Self.outcome(
            of: Array((text + Self.host + "\r\nhello").utf8), policy: try ServerPolicy(path: "/ws"))
        guard case .request(let request) = outcome else { Issue.record("\(outcome)"); return }
        expectEqual(request.path, "/page")
        expectEqual(request.query, "q")
    }

    static let badPlainRequestCases: [(String, Int)] = [
        ("GET / HTTP/1.1\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
        ("GET /#x HTTP/1.1\r\n" + host, 400), ("OPTIONS * HTTP/1.1\r\n" + host, 400),
        ("CONNECT h:80 HTTP/1.1\r\n" + host, 400),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n", 403), ("POST / HTTP/1.1\r\nHost: evil.example\r\n", 403),
        ("GET http://evil.example/ HTTP/1.1\r\n" + host, 403),
    ]

    @Test(
        "the general checks also apply to requests that do not ask for a WebSocket",
        arguments: Self.badPlainRequestCases)
    func badPlainRequest(text: String, status: Int) throws {
        let refusal = try #require(Self.refusal(text + "\r\n", policy: try ServerPolicy()))
        expectEqual(refusal.status, status)
    }

    @Test("refusals have the fields that their status requires (RFC 6455 §4.4, RFC 9110 §15.5.6)")
    func refusalFields() throws {
        let policy = try ServerPolicy()
        let method = try #require(Self.refusal("POST / HTTP/1.1\r\n" + Self.upgrade + "\r\n", policy: policy))
        #expect(Self.answer(method).contains("\r\nAllow: GET\r\n"))
        let version = try #require(
            Self.refusal("GET / HTTP/1.1\r\n" + Self.host + Self.upgrade + Self.key + "\r\n", policy: policy))
        #expect(Self.answer(version).contains("\r\nSec-WebSocket-Version: 13\r\n"))
        let head = try #require(Self.refusal("HEAD / HTTP/1.1\r\n" + Self.upgrade + "\r\n", policy: policy))
        #expect(Self.answer(head).hasSuffix("\r\n\r\n"))
        #expect(
            Self.answer(ServerHandshake.timeoutRefusal).hasPrefix(
                "HTTP/1.1 408 Request Timeout\r\n"))
    }

    @Test("a path other than the server's gets 404, whatever the query")
    func paths() throws {
        let policy = try ServerPolicy(path: "/aü")
        expectNotNil(Self.upgrade("GET /a%C3%BC?q HTTP/1.1\r\n" + Self.good + "\r\n", policy: policy))
        expectEqual(Self.refusal("GET /a/ HTTP/1.1\r\n" + Self.good + "\r\n", policy: policy)?.status, 404)
    }

    @Test("the reason for a 403 names the option, and nothing that a shell would run")
    func reasons() throws {
        let policy = try ServerPolicy()
        func reason(_ fields: String) -> String? {
            Self.refusal(
                "GET / HTTP/1.1\r\n" + fields + Self.upgrade + Self.key + Self.version + "\r\n", policy: policy)?.reason
        }
        expectEqual(
            reason(Self.host + "Origin: https://a.example:8443\r\n")?.contains("--origin https://a.example:8443."), true
        )
        expectEqual(reason(Self.host + "Origin: https://$(reboot)\r\n")?.contains("--origin ORIGIN."), true)
        expectEqual(reason(Self.host + "Origin: \u{9B}31m\u{202E}\r\n")?.contains("\\u{9B}31m\\u{202E}"), true)
        expectEqual(reason("Host: a.example:80\r\n")?.contains("--origin http://a.example:80."), true)
    }

    @Test("the checks of Origin and Host can be disabled")
    func unchecked() throws {
        let policy = try ServerPolicy(checksHostAndOrigin: false)
        let text =
            "GET / HTTP/1.1\r\nHost: a.example\r\nOrigin: null\r\n" + Self.upgrade + Self.key + Self.version + "\r\n"
        expectNotNil(Self.upgrade(text, policy: policy))
    }

    @Test(
        "the server's preference selects among the offered subprotocols (RFC 6455 §4.2.2)",
        arguments: [
            ("b, a", "a"), ("B, b", "b"), ("c", nil), ("", nil),
        ] as [(String, String?)])
    func subprotocols(offered: String, chosen: String?) throws {
        let policy = try ServerPolicy(subprotocols: ["a", "b"])
        let text = "GET / HTTP/1.1\r\n" + Self.good + "Sec-WebSocket-Protocol: \(offered)\r\n\r\n"
        let upgrade = try #require(Self.upgrade(text, policy: policy))
        expectEqual(upgrade.subprotocol, chosen)
    }

    @Test(
        "a path may be a pattern",
        arguments: [
            ("/rooms/*", "/rooms/red?a", true), ("/rooms/*", "/rooms/red/1", false),
            ("/rooms/**", "/rooms/red/1", true),
            ("/rooms/*", "/other", false), ("/a%2ab", "/a*b", false),
        ])
    func pathPatterns(pattern: String, target: String, isAccepted: Bool) throws {
        let policy = try ServerPolicy(path: pattern)
        #expect(
            policy.hasWebSockets(at: RequestHead(method: "GET", target: target, fields: HTTPFields())) == isAccepted)
    }

    @Test("an invalid policy is rejected")
    func badPolicies() throws {
        #expect(throws: ServerPolicyError.invalidSubprotocol("a b")) { try ServerPolicy(subprotocols: ["a b"]) }
        #expect(throws: ServerPolicyError.repeatedSubprotocol("a")) { try ServerPolicy(subprotocols: ["a", "a"]) }
        for path in ["", "a", "/a b", "/a?b", "/a#b", "/%", "/a\n"] {
            #expect(throws: ServerPolicyError.invalidPath(path)) { try ServerPolicy(path: path) }
        }
        for origin in ["", "example.com", "https://h/path", "https://", "https://u@h"] {
            #expect(throws: ServerPolicyError.invalidOrigin(origin)) { try ServerPolicy(allowedOrigins: [origin]) }
        }
        let field = try HeaderField(parsing: "sec-websocket-protocol: x")
        #expect(throws: ServerPolicyError.reservedField("sec-websocket-protocol")) {
            try ServerPolicy(extraFields: [field])
        }
    }

    @Test("this module's client and server complete a handshake with each other")
    func together() throws {
        let request = try ClientRequest(url: WebSocketURL(parsing: "ws://[::1]:9/x?y"), subprotocols: ["z", "a"])
        var client = ClientHandshake(request: request, nonce: [UInt8](repeating: 0xFF, count: 16))
        var server = ServerHandshake(policy: try ServerPolicy(subprotocols: ["a"]))
        guard case .upgrade(let upgrade, _) = server.outcome(of: [client.requestBytes]) else {
            Issue.record("refused"); return
        }
        guard case .upgraded(let opened, _) = client.outcome(of: [upgrade.responseBytes(accepting: [])]) else {
            Issue.record("refused"); return
        }
        expectEqual(opened.subprotocol, "a")
        var refusing = ServerHandshake(policy: try ServerPolicy(path: "/other"))
        guard case .refused(let refusal) = refusing.outcome(of: [client.requestBytes]) else {
            Issue.record("accepted"); return
        }
        var refused = ClientHandshake(request: request, nonce: [UInt8](repeating: 0, count: 16))
        guard case .failed(.refused(let head, _, false)) = refused.outcome(of: [Array(Self.answer(refusal).utf8)])
        else {
            Issue.record("no refusal")
            return
        }
        expectEqual(head.status, 404)
    }
}
