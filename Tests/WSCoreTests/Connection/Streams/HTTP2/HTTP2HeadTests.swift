import TestSupport
import Testing

@testable import WSCore

@Suite struct HTTP2HeadTests {
    private static func head(
        _ fields: (String, String)..., limits: HeadLimits = .server
    ) throws -> HTTP2Head {
        var head = HTTP2Head()
        for (name, value) in fields {
            try Array(name.utf8).withUnsafeBufferPointer { name in
                try Array(value.utf8).withUnsafeBufferPointer { try head.receive(name, $0, limits: limits) }
            }
        }
        return head
    }

    @Test("An extended CONNECT is like the GET that it replaces (RFC 8441 §5)") func extendedConnect() throws {
        let head = try Self.head(
            (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/chat?x=1"),
            (":authority", "h:80"), ("cookie", "a=1"), ("x", "1"), ("cookie", "b=2"))
        let request = try #require(head.request)
        #expect(request.method == "GET" && request.asksForWebSocket && request.versionText == "HTTP/2")
        #expect(request.path == "/chat" && request.query == "x=1" && request.hostAsSent == "h:80")
        // RFC 9113 §8.2.3: parts of Cookie are joined.
        expectEqual(request.fields.all(named: "Cookie"), ["a=1; b=2"])
        expectNil(head.response)
    }

    @Test("Upgrade does not ask for a WebSocket, and CONNECT without a protocol has no path") func others() throws {
        let get = try Self.head((":method", "GET"), (":path", "/"), (":authority", "h"), ("upgrade", "websocket"))
        try expectEqual(#require(get.request).asksForWebSocket, false)
        let connect = try Self.head((":method", "CONNECT"), (":authority", "h:80"))
        try expectEqual(#require(connect.request).hasPath, false)
    }

    @Test("A Host that differs from :authority is a second one", arguments: [("h", false), ("evil", true)])
    func host(name: String, isRepeated: Bool) throws {
        let head = try Self.head((":method", "GET"), (":path", "/"), (":authority", "h"), ("host", name))
        try expectEqual(#require(head.request).fields.isRepeated("Host"), isRepeated)
    }

    @Test("Limits hold for the whole head, whose rest is ignored") func limits() throws {
        let limits = HeadLimits(maximumBytes: 100, maximumFields: 2)
        #expect(throws: HTTPHeadError.tooLarge(maximumBytes: 100)) {
            try Self.head((":method", "GET"), ("x", String(repeating: "x", count: 40)), limits: limits)
        }
        var head = try Self.head(("a", ""), ("b", ""), limits: limits)
        let name = Array("c".utf8)
        for _ in 0..<2 {
            #expect(throws: HTTPHeadError.tooManyFields(maximum: 2)) {
                try name.withUnsafeBufferPointer { try head.receive($0, $0, limits: limits) }
            }
        }
        expectEqual(head.error, .tooManyFields(maximum: 2))
    }

    @Test("The head of a response loses the fields of the connection") func response() throws {
        let fields = HTTPFields([
            HeaderField(wellFormedName: "Connection", value: "close"),
            HeaderField(wellFormedName: "Content-Type", value: "Text"),
        ])
        let lines = ResponseHead(status: 404, fields: fields, version: .http2).http2Fields.map(\.line)
        expectEqual(lines, [":status: 404\r\n", "content-type: Text\r\n"])
    }

    @Test("The preface is recognized byte by byte, and ALPN decides with TLS") func preface() {
        let preface = HTTP2Preface.client
        for count in 0..<preface.count {
            expectNil(HTTP2Preface.version(of: Array(preface.prefix(count)), selected: nil))
            expectEqual(HTTP2Preface.version(of: preface.prefix(count) + [0], selected: nil), .http1)
        }
        expectEqual(HTTP2Preface.version(of: preface + [0], selected: nil), .http2)
        expectEqual(HTTP2Preface.version(of: preface, selected: "http/1.1"), .http1)
        expectEqual(HTTP2Preface.version(of: Array("GET".utf8), selected: "h2"), .http2)
    }
}
