import TestSupport
import Testing

@testable import WSCore

@Suite struct HTTPHeadParserTests {
    enum Outcome: Equatable {
        case needsMore
        case request(RequestHead, consumedByteCount: Int)
        case response(ResponseHead, consumedByteCount: Int)
        case failed(HTTPHeadError)
    }

    static func outcome(_ kind: HTTPHeadParser.Kind, _ pieces: [[UInt8]], limits: HeadLimits) -> Outcome {
        var parser = HTTPHeadParser(kind, limits: limits)
        var fed = 0
        do {
            for piece in pieces {
                if let count = try parser.receive(piece.span.bytes) {
                    if let head = parser.requestHead { return .request(head, consumedByteCount: fed + count) }
                    if let head = parser.responseHead { return .response(head, consumedByteCount: fed + count) }
                }
                fed += piece.count
            }
            return .needsMore
        } catch .notHTTP {
            // The length of the preview depends on the pieces.
            return .failed(.notHTTP(preview: []))
        } catch {
            return .failed(error)
        }
    }

    static func expect(
        _ kind: HTTPHeadParser.Kind, _ bytes: [UInt8], _ expected: Outcome,
        limits: HeadLimits = HeadLimits(maximumBytes: 400, maximumFields: 5),
        at location: SourceLocation = #_sourceLocation
    ) {
        let outcomes = feedingEveryWay(bytes) { outcome(kind, $0, limits: limits) }
        expectEqual(outcomes[0], expected, sourceLocation: location)
        #expect(outcomes.allSatisfy { $0 == expected }, sourceLocation: location)
    }

    static func fields(_ pairs: [(String, String)]) -> HTTPFields {
        HTTPFields(pairs.map { HeaderField(wellFormedName: $0.0, value: $0.1) })
    }

    @Test("a request is parsed up to its empty line, from any pieces (RFC 9112 §2)")
    func request() {
        Self.expect(
            .request, Array("\r\n\r\nGET /a?b HTTP/1.1\r\nHost:h\r\nX: \t a b\t \r\nE:\r\n\r\n\u{81}rest".utf8),
            .request(
                RequestHead(
                    method: "GET", target: "/a?b", fields: Self.fields([("Host", "h"), ("X", "a b"), ("E", "")])),
                consumedByteCount: 49))
    }

    @Test("a response is parsed with or without a reason phrase (RFC 9112 §4)")
    func response() {
        Self.expect(
            .response, Array("HTTP/1.1 404 Not  Found\r\nA: b\r\n\r\n".utf8),
            .response(
                ResponseHead(status: 404, reason: "Not  Found", fields: Self.fields([("A", "b")])),
                consumedByteCount: 33))
        Self.expect(
            .response, Array("HTTP/1.0 200 \r\n\r\n".utf8),
            .response(
                ResponseHead(status: 200, reason: "", fields: HTTPFields(), minorVersion: 0), consumedByteCount: 17))
        Self.expect(
            .response, Array("HTTP/1.1 200\r\n\r\nx".utf8),
            .response(ResponseHead(status: 200, reason: "", fields: HTTPFields()), consumedByteCount: 16))
    }

    @Test("a folded field is joined with a space in a response and rejected in a request (RFC 9112 §5.2)")
    func folding() {
        Self.expect(
            .response, Array("HTTP/1.1 200 OK\r\nA: b \r\n  c\r\n\t\r\n\td\r\nE:\r\n f\r\n\r\n".utf8),
            .response(
                ResponseHead(status: 200, reason: "OK", fields: Self.fields([("A", "b c d"), ("E", "f")])),
                consumedByteCount: 46))
        Self.expect(.request, Array("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n".utf8), .failed(.foldedField))
        Self.expect(.response, Array("HTTP/1.1 200 OK\r\n A: b\r\n\r\n".utf8), .failed(.foldedField))
        Self.expect(.request, Array("GET / HTTP/1.1\r\n A: b\r\n\r\n".utf8), .failed(.foldedField))
    }

    @Test("values keep non-ASCII bytes, and their text replaces invalid UTF-8 (RFC 9110 §5.5)")
    func obsoleteText() {
        let field = HeaderField(wellFormedName: "A", bytes: [0xC3, 0xBC, 0xFC])
        expectEqual(field.value, "\u{FC}\u{FFFD}")
        expectEqual(field.valueBytes, [0xC3, 0xBC, 0xFC])
        Self.expect(
            .response, Array("HTTP/1.1 200 \u{FC}\r\nA: \u{FC}".utf8) + [0xFC] + Array("\r\n\r\n".utf8),
            .response(
                ResponseHead(status: 200, reason: "\u{FC}", fields: HTTPFields([field])),
                consumedByteCount: 27))
    }

    static let badFieldsCases: [(String, HTTPHeadError)] = [
        ("A: b\nC: d\r\n\r\n", HTTPHeadError.bareLineFeed), ("A: b\rC: d\r\n\r\n", .bareCarriageReturn),
        ("A: b\r\r\n\r\n", .bareCarriageReturn), ("A: \0\r\n\r\n", .controlCharacter(0)),
        ("A: \u{1B}\r\n\r\n", .controlCharacter(0x1B)), ("A: \u{7F}\r\n\r\n", .controlCharacter(0x7F)),
        ("A : b\r\n\r\n", .whitespaceBeforeColon("A ")), ("A\t: b\r\n\r\n", .whitespaceBeforeColon("A\t")),
        (": b\r\n\r\n", .invalidFieldName("")), ("A B: c\r\n\r\n", .invalidFieldName("A B")),
        ("A\u{FC}: b\r\n\r\n", .invalidFieldName("A\u{FC}")), ("(A): b\r\n\r\n", .invalidFieldName("(A)")),
        ("AB\r\n\r\n", .missingColon("AB")),
        ("A:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\n\r\n", .tooManyFields(maximum: 5)),
        ("A: \(String(repeating: "x", count: 400))\r\n\r\n", .tooLarge(maximumBytes: 400)),
    ]

    @Test("dangerous and malformed fields fail with their reason (RFC 9112 §2.2, §5.1)", arguments: Self.badFieldsCases)
    func badFields(lines: String, error: HTTPHeadError) {
        Self.expect(.request, Array("GET / HTTP/1.1\r\n\(lines)".utf8), .failed(error))
        Self.expect(.response, Array("HTTP/1.1 200 OK\r\n\(lines)".utf8), .failed(error))
    }

    @Test(
        "an error does not contain possible secrets, because it is logged",
        arguments: [
            ("Authorization Basic c2VjcmV0", .missingColon("Authorization")),
            ("Authorization Basic c2VjcmV0:x", .invalidFieldName("Authorization")),
            ("authorization\tBearer secret", .missingColon("authorization")),
            (" Authorization: Basic c2VjcmV0", .foldedField),
            ("=X-Api-Key=secret", .missingColon("=X-Api-Key")), ("X Cookie secret", .missingColon("X Cookie")),
            ("Cookie : a=secret", .whitespaceBeforeColon("Cookie")),
        ] as [(String, HTTPHeadError)])
    func secrets(line: String, error: HTTPHeadError) {
        Self.expect(.request, Array("GET / HTTP/1.1\r\n\(line)\r\n\r\n".utf8), .failed(error))
    }

    @Test("the preview of a non-HTTP message ends where a secret may begin")
    func secretPreview() {
        var parser = HTTPHeadParser(.request, limits: .server)
        #expect(throws: HTTPHeadError.notHTTP(preview: Array("Authorization".utf8))) {
            try Array("Authorization: Basic c2VjcmV0\r\n\r\n".utf8).withUnsafeBytes { _ = try parser.receive($0.bytes) }
        }
    }

    static let notHTTPCases: [(HTTPHeadParser.Kind, String)] = [
        (HTTPHeadParser.Kind.request, "GET /\r\n"), (.request, " GET / HTTP/1.1\r\n"),
        (.request, "GET  / HTTP/1.1\r\n"),
        (.request, "GET / HTTP/1.1 \r\n"), (.request, "GET / http/1.1\r\n"), (.request, "GET / HTTP/1.10\r\n"),
        (.request, "GET /\u{FC} HTTP/1.1\r\n"), (.request, "G(T / HTTP/1.1\r\n"), (.request, "\u{16}\u{3}\u{1}"),
        (.request, "GET /a\tb HTTP/1.1\r\n"), (.request, "GET\r\n"), (.request, "\nGET"),
        (.request, "GET / HTTP/1.\n"),
        (.response, "SSH-2.0-OpenSSH_9.6\r\n"), (.response, "\r\nHTTP/1.1 200 OK\r\n"), (.response, "<html>"),
        (.response, "HTTP/2 200\r\n"), (.response, "HTTP/1.1 20\r\n"), (.response, "HTTP/1.1 099"),
        (.response, "HTTP/1.1 2000\r\n"),
        (.response, "HTTP/1.1  200 OK\r\n"), (.response, "HTTP/1.1\r\n"), (.response, "\0\0\u{12}"),
        (.response, "ICY 200 OK"),
    ]

    @Test("a malformed start line fails", arguments: Self.notHTTPCases)
    func notHTTP(kind: HTTPHeadParser.Kind, text: String) {
        Self.expect(kind, Array(text.utf8), .failed(.notHTTP(preview: [])))
    }

    @Test("another major version fails (RFC 9112 §2.3), another minor version does not")
    func versions() {
        Self.expect(.request, Array("PRI * HTTP/2.0\r\n\r\nSM".utf8), .failed(.unsupportedVersion("HTTP/2.0")))
        Self.expect(.response, Array("HTTP/3.0 200 OK\r\n".utf8), .failed(.unsupportedVersion("HTTP/3.0")))
        Self.expect(
            .request, Array("GET / HTTP/1.2\r\n\r\n".utf8),
            .request(
                RequestHead(method: "GET", target: "/", fields: HTTPFields(), minorVersion: 2), consumedByteCount: 18))
    }

    @Test("garbage fails at the first offending byte, and the error has its first bytes")
    func earlyFailure() {
        var parser = HTTPHeadParser(.response, limits: .client)
        let bytes = Array("SSH-2.0-OpenSSH_9.6".utf8)
        #expect(throws: HTTPHeadError.notHTTP(preview: bytes)) { _ = try parser.receive(bytes.span.bytes) }
        var later = HTTPHeadParser(.response, limits: .client)
        let long = Array("HTTP/1.x".utf8) + [UInt8](repeating: 0x41, count: 100)
        #expect(throws: HTTPHeadError.notHTTP(preview: Array(long.prefix(64)))) {
            _ = try later.receive(long.span.bytes)
        }
    }

    @Test("a head of exactly the maximum size passes, and one byte more fails")
    func limits() {
        let head = Array("GET / HTTP/1.1\r\nA: b\r\n\r\n".utf8)
        let exact = HeadLimits(maximumBytes: head.count, maximumFields: 1)
        guard case .request = Self.outcome(.request, [head], limits: exact) else { Issue.record("refused"); return }
        Self.expect(.request, [13, 10] + head, .failed(.tooLarge(maximumBytes: head.count)), limits: exact)
        let emptyLines: [UInt8] = (0..<10_000).flatMap { _ in [13, 10] as [UInt8] }
        expectEqual(Self.outcome(.request, [emptyLines], limits: .server), .failed(.tooLarge(maximumBytes: 16384)))
    }

    @Test("parsing large heads byte by byte takes linear time")
    func adversarial() {
        let limits = HeadLimits(maximumBytes: 4 << 20, maximumFields: 1 << 20)
        let folds =
            Array("HTTP/1.1 200 OK\r\nA:\r\n".utf8) + (0..<200_000).flatMap { _ in [0x20, 0x78, 13, 10] as [UInt8] } + [
                13, 10,
            ]
        guard case .response(let head, _) = Self.outcome(.response, folds.map { [$0] }, limits: limits) else {
            Issue.record("refused")
            return
        }
        expectEqual(head.fields.first(named: "a")?.utf8.count, 399_999)
        let many = Array("GET / HTTP/1.1\r\n".utf8) + (0..<100_000).flatMap { _ in Array("A:b\r\n".utf8) } + [13, 10]
        guard case .request(let request, _) = Self.outcome(.request, [many], limits: limits) else {
            Issue.record("refused")
            return
        }
        expectEqual(request.fields.count, 100_000)
    }

    @Test(
        "path and query are extracted from origin and absolute form (RFC 9112 §3.2)",
        arguments: [
            ("/a?b?c", "/a", "b?c"), ("/", "/", nil), ("http://h:1/x?y", "/x", "y"), ("WS://h", "/", nil),
            ("http://h?q", "/", "q"),
            ("*", nil, nil), ("h:80", nil, nil), ("//x/y", "//x/y", nil),
        ] as [(String, String?, String?)])
    func targets(target: String, path: String?, query: String?) {
        let head = RequestHead(method: "GET", target: target, fields: HTTPFields())
        expectEqual(head.path, path)
        expectEqual(head.query, query)
    }
}
