import TestSupport
import Testing

@testable import WSCore

@Suite struct ClientHandshakeTests {
    static let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
    static let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    static let head101 = "HTTP/1.1 101 Switching Protocols\r\n"

    static func handshake(limits: HeadLimits = .client) throws -> ClientHandshake {
        let request = try ClientRequest(
            url: WebSocketURL(parsing: "ws://h/"), subprotocols: ["chat", "superchat"],
            extensionOffers: [ExtensionOffer(name: "permessage-deflate", parameters: [.init("client_max_window_bits")])]
        )
        return ClientHandshake(request: request, nonce: Array("the sample nonce".utf8), limits: limits)
    }

    static func outcome(of bytes: [UInt8], at location: SourceLocation = #_sourceLocation) throws -> ClientOutcome {
        let make = try handshake()
        let outcomes = feedingEveryWay(bytes) { pieces in
            var handshake = make
            return handshake.outcome(of: pieces)
        }
        #expect(outcomes.allSatisfy { $0 == outcomes[0] }, sourceLocation: location)
        return outcomes[0]
    }

    static func outcome(of text: String, at location: SourceLocation = #_sourceLocation) throws -> ClientOutcome {
        try outcome(of: Array(text.utf8), at: location)
    }

    @Test("the response of RFC 6455 §1.3 opens the connection, and the bytes after it are not consumed")
    func example() throws {
        let head = Self.head101 + "upgrade: WebSocket\r\nCONNECTION: keep-alive, upgrade\r\n" + Self.accept
        let fields =
            "Sec-WebSocket-Protocol: superchat\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=\"10\"\r\n\r\n"
        let outcome = try Self.outcome(of: Array((head + fields).utf8) + [0x81, 0x02, 0x68, 0x69])
        guard case .upgraded(let upgrade, let count) = outcome else { Issue.record("\(outcome)"); return }
        expectEqual(count, (head + fields).utf8.count)
        expectEqual(upgrade.response.status, 101)
        expectEqual(upgrade.subprotocol, "superchat")
        expectEqual(
            upgrade.extensions,
            [
                ExtensionOffer(name: "permessage-deflate", parameters: [.init("client_max_window_bits", "10")])
            ])
    }

    @Test("a response without subprotocol and extensions opens the connection (RFC 6455 §4.1)")
    func plain() throws {
        let text = Self.head101 + Self.upgrade + "Sec-WebSocket-Accept: \t s3pPLMBiTxaQ9kYGzzhZRbK+xOo= \r\n\r\n"
        guard case .upgraded(let upgrade, _) = try Self.outcome(of: text) else { Issue.record("refused"); return }
        #expect(upgrade.subprotocol == nil && upgrade.extensions.isEmpty)
    }

    @Test("a limited number of interim responses is skipped (RFC 9110 §15.2)")
    func interim() throws {
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        let text = interim + Self.head101 + Self.upgrade + Self.accept + "\r\n"
        guard case .upgraded(_, let count) = try Self.outcome(of: text) else { Issue.record("refused"); return }
        expectEqual(count, text.utf8.count)
        let many = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: ClientHandshake.maximumInterimResponses)
        try expectEqual(Self.outcome(of: many), .needsMore)
        try expectEqual(Self.outcome(of: many + "HTTP/1.1 102 \r\n\r\n"), .failed(.tooManyInterimResponses))
    }

    static let badAnswerCases: [(String, HandshakeError)] = [
        ("Connection: Upgrade\r\n" + accept, HandshakeError.invalidUpgrade(values: [])),
        ("Upgrade: h2c\r\nConnection: Upgrade\r\n" + accept, .invalidUpgrade(values: ["h2c"])),
        (
            "Upgrade: websocket, h2c\r\nConnection: Upgrade\r\n" + accept,
            .invalidUpgrade(values: ["websocket, h2c"])
        ),
        (
            "Upgrade: websoc\u{212A}et\r\nConnection: Upgrade\r\n" + accept,
            .invalidUpgrade(values: ["websoc\u{212A}et"])
        ),
        ("Upgrade: websocket\r\n" + accept, .invalidConnection(values: [])),
        (
            "Upgrade: websocket\r\nConnection: upgrades, close\r\n" + accept,
            .invalidConnection(values: ["upgrades, close"])
        ),
        (upgrade, .missingAccept), (upgrade + accept + accept, .repeatedAccept),
        (
            upgrade + "Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
            .wrongAccept("S3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        ),
        (upgrade + "Sec-WebSocket-Accept:\r\n", .wrongAccept("")),
        (upgrade + accept + "Sec-WebSocket-Protocol: other\r\n", .unrequestedSubprotocol("other")),
        (upgrade + accept + "Sec-WebSocket-Protocol: Chat\r\n", .unrequestedSubprotocol("Chat")),
        (upgrade + accept + "Sec-WebSocket-Protocol: \r\n", .unrequestedSubprotocol("")),
        (
            upgrade + accept + "Sec-WebSocket-Protocol: chat, superchat\r\n",
            .repeatedSubprotocol(["chat", "superchat"])
        ),
        (
            upgrade + accept + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: chat\r\n",
            .repeatedSubprotocol(["chat", "chat"])
        ),
        (upgrade + accept + "Sec-WebSocket-Extensions: x-other\r\n", .unofferedExtension("x-other")),
        (
            upgrade + accept + "Sec-WebSocket-Extensions: permessage-deflate; =\r\n",
            .malformedExtensions("permessage-deflate; =")
        ),
    ]

    @Test("a response that violates RFC 6455 §4.1 is rejected", arguments: Self.badAnswerCases)
    func badAnswer(fields: String, error: HandshakeError) throws {
        try expectEqual(Self.outcome(of: Self.head101 + fields + "\r\n"), .failed(error))
    }

    @Test("RFC 9110 §7.8: a 101 response in HTTP/1.0 is an error")
    func oldVersion() throws {
        let text = "HTTP/1.0 101 x\r\n" + Self.upgrade + Self.accept + "\r\n"
        try expectEqual(Self.outcome(of: text), .failed(.invalidResponse(.unsupportedVersion("HTTP/1.0"))))
    }

    @Test("a non-HTTP response is distinguished from malformed HTTP")
    func notHTTP() throws {
        var handshake = try Self.handshake()
        let bytes = Array("SSH-2.0-x\r\n".utf8)
        expectEqual(handshake.outcome(of: [bytes]), .failed(.notHTTP(preview: bytes)))
        expectEqual(handshake.errorAtEndOfStream(), .notHTTP(preview: bytes))
        try expectEqual(Self.outcome(of: "HTTP/1.1 101 X\nA: b\n\n"), .failed(.invalidResponse(.bareLineFeed)))
        var limited = try Self.handshake(limits: HeadLimits(maximumBytes: 64, maximumFields: 9))
        let large = Array((Self.head101 + "A: " + String(repeating: "x", count: 100)).utf8)
        expectEqual(limited.outcome(of: [large]), .failed(.invalidResponse(.tooLarge(maximumBytes: 64))))
    }

    static let bodiesCases: [(String, String, String, Bool)] = [
        ("Content-Length: 5\r\n", "hello", "hello", false), ("Content-Length: 5, 5\r\n", "helloXX", "hello", false),
        ("Content-Length: 0\r\n", "", "", false),
        (
            "Transfer-Encoding: Chunked\r\n", "3;a=\"b\"\r\nhel\r\n02 \r\nlo\r\n0\r\nT: x\r\n\r\nrest", "hello",
            false
        ),
        ("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "5\r\nhello\r\n0\r\n\r\n", "hello", false),
        ("Transfer-Encoding: chunked\r\n", "3\r\nhelX", "hel", true),
        ("Transfer-Encoding: chunked\r\n", "x", "", true),
        ("Transfer-Encoding: chunked\r\n", "\r\n", "", true),
        ("Transfer-Encoding: chunked\r\n", "3\nhel", "", true),
        ("Transfer-Encoding: chunked\r\n", "FFFFFFFFF\r\n", "", true),
    ]

    @Test("a refusal has status, fields, and body, whatever the framing (RFC 9112 §6.3)", arguments: Self.bodiesCases)
    func bodies(fields: String, body: String, shown: String, isTruncated: Bool) throws {
        let outcome = try Self.outcome(of: "HTTP/1.1 403 No\r\n" + fields + "\r\n" + body)
        guard case .failed(.refused(let head, let content, let truncated)) = outcome else {
            Issue.record("\(outcome)"); return
        }
        #expect(head.status == 403 && head.reason == "No")
        expectEqual(content, Array(shown.utf8))
        expectEqual(truncated, isTruncated)
    }

    @Test("a status without content is a refusal without waiting for a body", arguments: [204, 304])
    func noContent(status: Int) throws {
        let outcome = try Self.outcome(of: "HTTP/1.1 \(status) \r\nContent-Length: 5\r\n\r\n")
        guard case .failed(.refused(let head, [], false)) = outcome else { Issue.record("\(outcome)"); return }
        expectEqual(head.status, status)
    }

    @Test(
        "the end of the stream ends a body without a length and truncates one with a length (RFC 9112 §8)",
        arguments: [
            ("", "hello", false), ("Content-Length: 9\r\n", "hello", true), ("Content-Length: x\r\n", "hello", false),
            ("Content-Length: 5\r\nContent-Length: 6\r\n", "hello", false),
            ("Transfer-Encoding: gzip\r\n", "hello", false),
            ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n", true),
            ("Transfer-Encoding: chunked\r\n", "6\r\nhello", true),
        ])
    func endOfStream(fields: String, body: String, isTruncated: Bool) throws {
        var handshake = try Self.handshake()
        expectEqual(handshake.outcome(of: [Array(("HTTP/1.1 500 Oh\r\n" + fields + "\r\n" + body).utf8)]), .needsMore)
        guard case .refused(_, let partial, true) = handshake.partialRefusal else {
            Issue.record("no partial refusal"); return
        }
        expectEqual(partial, Array("hello".utf8))
        guard case .refused(_, let content, let truncated) = handshake.errorAtEndOfStream() else {
            Issue.record("no refusal"); return
        }
        expectEqual(content, Array("hello".utf8))
        expectEqual(truncated, isTruncated)
    }

    @Test("the end of the stream before the response is distinguished from one within its head")
    func earlyEnd() throws {
        var handshake = try Self.handshake()
        expectNil(handshake.partialRefusal)
        expectEqual(handshake.errorAtEndOfStream(), .closedBeforeResponse)
        handshake = try Self.handshake()
        _ = handshake.outcome(of: [Array("HTTP/1".utf8)])
        expectNil(handshake.partialRefusal)
        expectEqual(handshake.errorAtEndOfStream(), .incompleteResponse)
        handshake = try Self.handshake()
        _ = handshake.outcome(of: [Array("HTTP/1.1 100 \r\n\r\n".utf8)])
        expectEqual(handshake.errorAtEndOfStream(), .incompleteResponse)
    }

    @Test("at most 64 KiB of a refusal's body are kept, and the rest is not waited for")
    func largeBody() throws {
        let limit = ResponseBody.maximumBytes
        for fields in ["", "Content-Length: 99999999999999999999\r\n"] {
            var handshake = try Self.handshake()
            let head = Array("HTTP/1.1 500 Oh\r\n\(fields)\r\n".utf8)
            expectEqual(handshake.outcome(of: [head, [UInt8](repeating: 0x61, count: limit)]), .needsMore)
            guard case .failed(.refused(_, let content, true)) = handshake.outcome(of: [[0x61]]) else {
                Issue.record("the body was not truncated")
                return
            }
            expectEqual(content.count, limit)
        }
        var exact = try Self.handshake()
        let bytes =
            Array("HTTP/1.1 500 Oh\r\nContent-Length: \(limit)\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: limit)
        guard case .failed(.refused(_, let content, false)) = exact.outcome(of: [bytes]) else {
            Issue.record("cut"); return
        }
        expectEqual(content.count, limit)
    }

    @Test("endless chunk extensions and trailers are cut off")
    func endlessFraming() throws {
        for body in ["1;", "0\r\n"] {
            var handshake = try Self.handshake()
            let head = Array("HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n\(body)".utf8)
            let outcome = handshake.outcome(of: [head, [UInt8](repeating: 0x61, count: 20_000)])
            guard case .failed(.refused(_, [], true)) = outcome else { Issue.record("\(outcome)"); return }
        }
    }

    @Test("every error has an identifier and a description without control characters")
    func descriptions() {
        let evil = "\u{1B}[2J\u{202E}\r\n"
        let head = ResponseHead(status: 418, reason: evil, fields: HTTPFields())
        let errors: [HandshakeError] = [
            .closedBeforeResponse, .incompleteResponse, .notHTTP(preview: Array(evil.utf8)),
            .notHTTP(preview: [0x15, 3, 1]),
            .invalidResponse(.missingColon(evil)), .invalidResponse(.invalidFieldName(evil)), .tooManyInterimResponses,
            .refused(head, body: [], bodyIsTruncated: false), .invalidUpgrade(values: [evil]),
            .invalidUpgrade(values: []),
            .invalidConnection(values: [evil]), .invalidConnection(values: []), .missingAccept, .repeatedAccept,
            .wrongAccept(evil), .repeatedSubprotocol([evil]), .unrequestedSubprotocol(evil), .malformedExtensions(evil),
            .unofferedExtension(evil),
        ]
        for error in errors {
            expectEqual(error.description, escapingControls(error.description))
        }
        let notFound = HandshakeError.refused(
            ResponseHead(status: 404, reason: "Not Found", fields: HTTPFields()), body: [], bodyIsTruncated: false)
        expectEqual(notFound.description, "the server answered 404 Not Found; check the path")
        #expect(HandshakeError.notHTTP(preview: [0x15, 3]).description.contains("wss://"))
    }

    @Test(
        "The message for a refusal has advice for its status",
        arguments: [
            (200, nil, "", "; this is a web page, not a WebSocket endpoint: check the path"),
            (
                400, nil, "<p>The plain HTTP request was sent to HTTPS port</p>",
                "; the server expects TLS on this port: use wss:// instead of ws://"
            ),
            (
                400, nil, "Client sent an HTTP request to an HTTPS server.\n",
                "; the server expects TLS on this port: use wss:// instead of ws://"
            ),
            (400, nil, "", "; check the path and the options for the request, such as --subprotocol"),
            (401, nil, "", "; log in with --auth or --bearer"),
            (
                400, nil, "<center>No required SSL certificate was sent</center>",
                "; the server requires a client certificate: use --cert and --key"
            ),
            (
                400, nil, "<center>The SSL certificate error</center>",
                "; the server rejected the client certificate: check --cert and --key"
            ),
            (403, nil, "", "; check the path, --origin, and the credentials"),
            (404, nil, "", "; check the path"),
            (429, nil, "", "; try again later"),
            (429, "30", "", "; try again in 30 s"),
            (
                429, "Fri, 31 Dec 2027 23:59:59 GMT", "",
                "; try again after Fri, 31 Dec 2027 23:59:59 GMT"
            ),
            (429, String(repeating: "9", count: 41), "", "; try again later"),
            (429, "-5", "", "; try again later"),
            (429, "soon", "", "; try again later"),
            (
                426, nil, "", "; the server requires another protocol or WebSocket version: check the path"
            ),
            (500, nil, "", "; the server failed: check the path, and the server's log"),
            (501, nil, "", "; it may require a subprotocol: check --subprotocol or --protocol, and the path"),
            (505, nil, "", "; a proxy may not forward HTTP/1.1; check the path"),
            (502, nil, "", "; a gateway cannot reach the server behind it: is that server running?"),
            (503, "5", "", "; the server is down or overloaded: try again in 5 s"),
            (504, nil, "", "; a gateway cannot reach the server behind it: is that server running?"),
        ] as [(Int, String?, String, String)])
    func advice(status: Int, retryAfter: String?, body: String, advice: String) {
        var fields = HTTPFields()
        if let retryAfter { fields.append(HeaderField(wellFormedName: "Retry-After", value: retryAfter)) }
        let error = HandshakeError.refused(
            ResponseHead(status: status, reason: "Reason", fields: fields), body: Array(body.utf8),
            bodyIsTruncated: false)
        expectEqual(error.description, "the server answered \(status) \"Reason\"\(advice)")
    }

    static let proxiesCases: [(Int, String, String, String)] = [
        (200, "Server", "nginx/1.22.1", "; this is a web page, not a WebSocket endpoint: check the path; NGINX"),
        (
            400, "Server", "nginx",
            "; NGINX; otherwise, check the path and the options for the request, such as --subprotocol"
        ),
        (404, "Server", "nginx", "; check the path; NGINX"),
        (426, "Server", "nginx", "; NGINX; otherwise, check the path"),
        (
            501, "Server", "nginx",
            "; it may require a subprotocol: check --subprotocol or --protocol, and the path; NGINX"
        ),
        (505, "Server", "nginx", "; NGINX, or HTTP/1.1"),
        (
            426, "Server", "Apache/2.4.57 (Debian)",
            "; a proxy (Apache) may not forward the Upgrade header; otherwise, check the path"
        ),
        (426, "Via", "1.1 x\u{1B}", "; a proxy may not forward the Upgrade header; otherwise, check the path"),
        (404, "Server", "uvicorn", "; check the path"),
        (503, "Server", "nginx", "; the server is down or overloaded: try again later"),
    ]

    @Test(
        "A rejection from behind a proxy names the proxy, which may have dropped the Upgrade header",
        arguments: Self.proxiesCases)
    func proxies(status: Int, name: String, value: String, advice: String) {
        let head = ResponseHead(
            status: status, reason: "Reason", fields: HTTPFields([HeaderField(wellFormedName: name, value: value)]))
        let error = HandshakeError.refused(head, body: [], bodyIsTruncated: false)
        let nginx = "a proxy (nginx) may not forward the Upgrade header"
        let words = "the server answered \(status) \"Reason\"" + advice.replacing("NGINX", with: nginx)
        expectEqual(error.description, words)
    }

    @Test("A port that speaks only HTTP/2 is named instead of shown as control characters") func http2() {
        // SETTINGS, as nghttp2 and Go send it, and GOAWAY.
        for frame in [[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100], [0, 0, 8, 7, 0, 0, 0, 0, 0]] as [[UInt8]] {
            expectEqual(
                HandshakeError.notHTTP(preview: frame).description,
                "the server speaks only HTTP/2 on this port; use wsx connect --http2, or check the port")
            #expect(ProxyError.notHTTP(preview: frame).description.contains("the proxy speaks only HTTP/2"))
        }
        #expect(HandshakeError.notHTTP(preview: [0, 0, 6, 4, 0, 0, 0, 0]).description.contains("is not HTTP"))
        #expect(HandshakeError.notHTTP(preview: [0, 0, 6, 4, 0, 0, 0, 0, 1]).description.contains("is not HTTP"))
    }
}
