import TestSupport
import Testing

@testable import WSCore

@Suite struct ClientRequestTests {
    static func text(_ request: ClientRequest) -> String {
        String(
            decoding: ClientHandshake(request: request, nonce: Array("the sample nonce".utf8)).requestBytes,
            as: UTF8.self)
    }

    @Test("a minimal request has the fields of RFC 6455 §4.1 and no others")
    func smallest() throws {
        let request = try ClientRequest(url: WebSocketURL(parsing: "ws://server.example.com/chat?a"))
        expectEqual(
            Self.text(request),
            """
            GET /chat?a HTTP/1.1\r
            Host: server.example.com\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r

            """)
    }

    @Test("a negotiation is a POST request without the fields of the upgrade and without a body")
    func negotiation() throws {
        let request = try ClientRequest(
            url: WebSocketURL(parsing: "ws://h/chat"), subprotocols: ["a"], userAgent: "wsx/1",
            extensionOffers: [ExtensionOffer(name: "x", parameters: [])],
            extraFields: [HeaderField(name: "Cookie", value: "a=b")])
        let negotiation = request.negotiation(at: request.url.passing("/chat/negotiate?v=1"))
        let token = try BearerToken("t")
        expectEqual(
            Self.text(negotiation.authorized(by: token)),
            """
            POST /chat/negotiate?v=1 HTTP/1.1\r
            Host: h\r
            User-Agent: wsx/1\r
            Cookie: a=b\r
            Connection: close\r
            Content-Length: 0\r
            Authorization: Bearer t\r
            \r

            """)
    }

    @Test("a full request has all fields in the order of RFC 6455 §4.1")
    func largest() throws {
        let request = try ClientRequest(
            url: WebSocketURL(parsing: "ws://u:p@h:81/"), subprotocols: ["chat", "superchat"], origin: "http://o",
            userAgent: "wsx/1", extensionOffers: [ExtensionOffer(name: "x", parameters: [.init("y", "1")])],
            extraFields: [HeaderField(name: "Cookie", value: "a=b"), HeaderField(name: "Cookie", value: "c=d")])
        expectEqual(
            Self.text(request),
            """
            GET / HTTP/1.1\r
            Host: h:81\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Origin: http://o\r
            Sec-WebSocket-Protocol: chat, superchat\r
            Sec-WebSocket-Extensions: x; y=1\r
            User-Agent: wsx/1\r
            Authorization: Basic dTpw\r
            Cookie: a=b\r
            Cookie: c=d\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r

            """)
    }

    @Test("extra fields override defaults, and extra subprotocols count as requested")
    func overrides() throws {
        let request = try ClientRequest(
            url: WebSocketURL(parsing: "ws://u:p@h/"), subprotocols: ["a"], origin: "o", host: "x", userAgent: "ua",
            credentials: Credentials(user: "c", password: ""),
            extraFields: [
                HeaderField(parsing: "host: virtual"), HeaderField(parsing: "ORIGIN: null"),
                HeaderField(parsing: "user-agent: z"),
                HeaderField(parsing: "authorization: Bearer t"), HeaderField(parsing: "sec-websocket-protocol: b, c"),
            ])
        expectEqual(request.subprotocols, ["a", "b", "c"])
        expectEqual(request.fields.all(named: "Host"), ["virtual"])
        expectEqual(request.fields.all(named: "Origin"), ["null"])
        expectEqual(request.fields.all(named: "User-Agent"), ["z"])
        expectEqual(request.fields.all(named: "Authorization"), ["Bearer t"])
        expectEqual(request.fields.all(named: "Sec-WebSocket-Protocol"), ["a, b, c"])
        let plain = try ClientRequest(
            url: WebSocketURL(parsing: "ws://u:p@h/"), host: "x", credentials: Credentials(user: "c", password: ""))
        expectEqual(plain.fields.first(named: "Host"), "x")
        expectEqual(plain.fields.first(named: "Authorization"), "Basic Yzo=")
    }

    static let reservedCases: [String] = [
        "upgrade", "Connection", "SEC-WEBSOCKET-KEY", "Sec-WebSocket-Version", "Sec-WebSocket-Accept",
        "Sec-WebSocket-Extensions", "content-length", "Transfer-Encoding",
    ]

    @Test("a field that the handshake sets is rejected", arguments: Self.reservedCases)
    func reserved(name: String) throws {
        let url = try WebSocketURL(parsing: "ws://h")
        let field = try HeaderField(name: name, value: "x")
        #expect(throws: ClientRequestError.reservedField(name)) { try ClientRequest(url: url, extraFields: [field]) }
    }

    @Test("subprotocols must be unique tokens, and no parameter can corrupt the head (RFC 6455 §4.1)")
    func refused() throws {
        let url = try WebSocketURL(parsing: "ws://h")
        #expect(throws: ClientRequestError.invalidSubprotocol("a b")) {
            try ClientRequest(url: url, subprotocols: ["a b"])
        }
        #expect(throws: ClientRequestError.invalidSubprotocol("•••")) {
            try ClientRequest(url: url, subprotocols: ["access_token", "abc/def=="])
        }
        #expect(throws: ClientRequestError.invalidSubprotocol("")) { try ClientRequest(url: url, subprotocols: [""]) }
        #expect(throws: ClientRequestError.repeatedSubprotocol("a")) {
            try ClientRequest(url: url, subprotocols: ["a", "A", "a"])
        }
        #expect(throws: ClientRequestError.invalidField(.controlCharacterInValue(name: "Origin"))) {
            try ClientRequest(url: url, origin: "a\r\nX: y")
        }
        let twice = [try HeaderField(parsing: "Host: a"), try HeaderField(parsing: "host: b")]
        #expect(throws: ClientRequestError.repeatedField("Host")) { try ClientRequest(url: url, extraFields: twice) }
    }
}
