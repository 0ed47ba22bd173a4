import TestSupport
import Testing

@testable import WSCore

@Suite struct ConnectHandshakeTests {
    static func handshake(
        _ proxy: String = "http://proxy", host: String = "example.com", port: UInt16 = 443, userAgent: String? = nil,
        limits: HeadLimits = .client
    ) throws -> ProxyHandshake {
        try ProxyHandshake(
            proxy: Proxy(parsing: proxy), host: host, port: port, userAgent: userAgent,
            limits: limits)
    }

    static func end(of bytes: [UInt8], at location: SourceLocation = #_sourceLocation) throws -> ProxyOutcome.End {
        let make = try handshake()
        let outcomes = feedingEveryWay(bytes) { pieces in
            var handshake = make
            return handshake.outcome(of: pieces)
        }
        #expect(outcomes.allSatisfy { $0 == outcomes[0] && $0.sent.isEmpty }, sourceLocation: location)
        return outcomes[0].end
    }

    static func end(of text: String, at location: SourceLocation = #_sourceLocation) throws -> ProxyOutcome.End {
        try end(of: Array(text.utf8), at: location)
    }

    static func refusal(_ status: Int, _ fields: [(String, String)] = [], reason: String = "") -> ProxyError {
        let fields = HTTPFields(fields.map { HeaderField(wellFormedName: $0, value: $1) })
        return .refused(
            ResponseHead(status: status, reason: reason, fields: fields), body: [], bodyIsTruncated: false)
    }

    @Test("the request names host and port in its target and in Host (RFC 9110 §9.3.6)")
    func request() throws {
        let expected = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"
        for kind in ["http", "https"] {
            let handshake = try Self.handshake("\(kind)://proxy")
            expectEqual(handshake.requestHead, expected)
            expectEqual(handshake.start(), Array(expected.utf8))
        }
    }

    @Test("an IPv6 address is sent in brackets and without its zone (RFC 6874 §4)")
    func ipv6() throws {
        let head = try Self.handshake(host: "fe80::1%eth0", port: 80).requestHead
        expectEqual(head, "CONNECT [fe80::1]:80 HTTP/1.1\r\nHost: [fe80::1]:80\r\n\r\n")
    }

    @Test("user name and password are sent as Basic credentials (RFC 9110 §11.7.2)")
    func credentials() throws {
        let head = try Self.handshake("http://Aladdin:open%20sesame@proxy", userAgent: "wsx/1").requestHead
        expectEqual(
            head,
            "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n"
                + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\nUser-Agent: wsx/1\r\n\r\n")
    }

    @Test(
        "any 2xx status opens the tunnel regardless of its fields, and the bytes after the head come from the target",
        arguments: [
            "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200 \r\nProxy-Agent: x\r\n\r\n",
            "HTTP/1.1 299\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ])
    func open(head: String) throws {
        try expectEqual(Self.end(of: head + "\u{16}\u{03}\u{01}HTTP"), .open(consumedByteCount: head.utf8.count))
        try expectEqual(Self.end(of: String(head.dropLast())), .needsMore)
    }

    @Test("any other status is a refusal with its body", arguments: [101, 301, 400, 403, 407, 502, 600])
    func refused(status: Int) throws {
        let end = try Self.end(of: "HTTP/1.1 \(status) No\r\nContent-Length: 5\r\nX: y\r\n\r\nhello!")
        guard case .failed(.refused(let head, let body, false)) = end else { Issue.record("\(end)"); return }
        #expect(head.status == status && head.reason == "No" && head.fields.first(named: "X") == "y")
        // RFC 9112 §6.3: a 1xx response has no content.
        expectEqual(body, Array((status == 101 ? "" : "hello").utf8))
    }

    @Test("a timeout or an early close keeps the part of a refusal received so far")
    func partialRefusal() throws {
        for (fields, isCut) in [("Content-Length: 9\r\n", true), ("", false)] {
            var handshake = try Self.handshake()
            expectNil(handshake.partialRefusal)
            let bytes = Array("HTTP/1.1 403 No\r\n\(fields)\r\nhello".utf8)
            expectEqual(handshake.outcome(of: [bytes]).end, .needsMore)
            guard case .refused(_, let partial, true) = handshake.partialRefusal else {
                Issue.record("no partial refusal"); return
            }
            expectEqual(partial, Array("hello".utf8))
            guard case .refused(_, let body, isCut) = handshake.errorAtEndOfStream() else {
                Issue.record("no refusal"); return
            }
            expectEqual(body, Array("hello".utf8))
            expectEqual(handshake.partialRefusal, handshake.errorAtEndOfStream())
        }
    }

    @Test("an end before the response is distinguished from one within its head")
    func earlyEnd() throws {
        var handshake = try Self.handshake()
        expectEqual(handshake.errorAtEndOfStream(), .closedBeforeAnswer)
        expectEqual(handshake.outcome(of: [Array("HTTP".utf8)]).end, .failed(.closedBeforeAnswer))
        for start in ["H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 \r\n\r\n"] {
            handshake = try Self.handshake()
            expectEqual(handshake.outcome(of: [Array(start.utf8)]).end, .needsMore)
            expectNil(handshake.partialRefusal)
            expectEqual(handshake.errorAtEndOfStream(), .incompleteAnswer)
        }
    }

    @Test("a response that is not HTTP is distinguished from invalid HTTP")
    func badAnswers() throws {
        var handshake = try Self.handshake()
        expectEqual(handshake.outcome(of: [[0x05, 0xFF]]).end, .failed(.notHTTP(preview: [0x05, 0xFF])))
        expectEqual(handshake.outcome(of: [Array("HTTP".utf8)]).end, .failed(.notHTTP(preview: [0x05, 0xFF])))
        expectEqual(handshake.partialRefusal, .notHTTP(preview: [0x05, 0xFF]))
        try expectEqual(Self.end(of: "HTTP/1.1 200 OK\n\n"), .failed(.invalidResponse(.bareLineFeed)))
        try expectEqual(
            Self.end(of: "HTTP/2.0 200 OK\r\n\r\n"), .failed(.invalidResponse(.unsupportedVersion("HTTP/2.0"))))
        let interim = "HTTP/1.1 102 \r\n\r\n"
        let many = String(repeating: interim, count: ResponseReader.maximumInterimResponses)
        try expectEqual(Self.end(of: many), .needsMore)
        try expectEqual(Self.end(of: many + interim), .failed(.tooManyInterimResponses))
        handshake = try Self.handshake(limits: HeadLimits(maximumBytes: 64, maximumFields: 9))
        let large = Array("HTTP/1.1 200 OK\r\nA: \(String(repeating: "x", count: 100))".utf8)
        expectEqual(handshake.outcome(of: [large]).end, .failed(.invalidResponse(.tooLarge(maximumBytes: 64))))
    }

    @Test("the message for a 407 names the schemes of Proxy-Authenticate and a remedy (RFC 9110 §15.5.8)")
    func loginWanted() {
        let basic = Self.refusal(
            407, [("Proxy-Authenticate", "Basic realm=\"a, Digest\""), ("Proxy-Authenticate", "NTLM")])
        expectEqual(
            basic.description,
            "the proxy answered 407 Proxy Authentication Required; it requires Basic (realm \"a, Digest\") or NTLM: "
                + "set the right user name and password, as in --proxy http://USER:PASSWORD@HOST:PORT")
        let other = Self.refusal(407, [("proxy-authenticate", "Negotiate, NTLM")], reason: "Log in")
        expectEqual(
            other.description,
            "the proxy answered 407 \"Log in\"; it requires Negotiate or NTLM, but wsx supports only Basic and Digest")
        #expect(
            Self.refusal(407, [("Proxy-Authenticate", "Digest nonce=n")]).description.hasSuffix(
                "it requires Digest: set the right user name and password, as in "
                    + "--proxy http://USER:PASSWORD@HOST:PORT --proxy-digest"))
        #expect(Self.refusal(407).description.hasSuffix("as in --proxy http://USER:PASSWORD@HOST:PORT"))
    }

    static let remediesCases: [(Int, String)] = [
        (400, "web server"), (401, "USER:PASSWORD"), (403, "rules"), (405, "port"), (418, "log"), (500, "server"),
        (501, "CONNECT"), (502, "server"), (503, "server"), (504, "server"),
    ]

    @Test("the message for each refusal includes a remedy", arguments: Self.remediesCases)
    func remedies(status: Int, word: String) {
        let words = Self.refusal(status).description
        #expect(words.hasPrefix("the proxy answered \(status)") && words.contains(word))
    }
}
