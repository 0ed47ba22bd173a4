import TestSupport
import Testing

@testable import WSCore

@Suite("ServedRequest reports a request that opened no WebSocket") struct ServedRequestTests {
    static let urls: [(method: String, target: String, lines: [String], isSecure: Bool, url: String)] = [
        ("GET", "/a?b", ["Host: h:80"], false, "http://h:80/a?b"), ("GET", "/", ["Host: h"], true, "https://h/"),
        ("GET", "https://other:1/x", ["Host: h"], false, "https://other:1/x"),
        ("GET", "http://u:p@other/x", ["Host: h"], false, "http://•••@other/x"),
        ("GET", "http://other", ["Host: h"], false, "http://other/"),
        ("OPTIONS", "*", ["Host: h"], false, "http://h"), ("CONNECT", "h:443", ["Host: x"], false, "h:443"),
        ("CONNECT", "u:p@h:443", ["Host: x"], false, "•••@h:443"),
        ("GET", "/@a", ["Host: u:p@h"], false, "http://•••@h/@a"),
        ("GET", "http://h/x", ["Upgrade: websocket", "Connection: Upgrade"], true, "ws://h/x"),
        ("GET", "/chat", ["Host: h", "Upgrade: websocket", "Connection: Upgrade"], true, "wss://h/chat"),
        ("GET", "/", [], false, "/"),
    ]

    @Test("The URL is that of the target, or of Host and the target (RFC 9110 §7.1)", arguments: urls)
    func url(method: String, target: String, lines: [String], isSecure: Bool, url: String) throws {
        let fields = HTTPFields(try lines.map { try HeaderField(parsing: $0) })
        expectEqual(RequestHead(method: method, target: target, fields: fields).url(isSecure: isSecure), url)
    }

    @Test("A client that left has got no response")
    func clientLeft() throws {
        let request = RequestHead(method: "GET", target: "/", fields: HTTPFields())
        let facts = OpeningFacts(
            address: .local, acceptTime: .seconds(1), receivedBytes: 9, sentBytes: 0, requestTime: .seconds(2))
        let left = ServedRequest(HandshakeRefusal(status: 499, reason: "left"), of: request, facts, at: .seconds(5))
        #expect(left.fields == nil && left.bodyBytes.sent == 0 && !left.isComplete && left.duration == .seconds(3))
        let refused = ServedRequest(HandshakeRefusal(status: 403, reason: "no"), of: request, facts, at: .seconds(5))
        #expect(
            refused.fields?.first(named: "Content-Length") == "3" && refused.bodyBytes.sent == 3 && refused.isComplete)
    }
}
