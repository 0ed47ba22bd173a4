import TestSupport
import Testing

@testable import WSCore

@Suite struct ClientRequestHTTP2Tests {
    private func fields(_ url: String, host: String? = nil, _ extra: [HeaderField] = []) throws -> [String] {
        try ClientRequest(
            url: WebSocketURL(parsing: url), host: host, extraFields: extra, version: .http2
        ).http2Fields.map { "\($0.name)=\($0.value)" }
    }

    // RFC 8441 §5, RFC 9113 §8.3.1.
    @Test("A request has pseudo-fields, and no fields of the upgrade") func upgrade() throws {
        let sent = [
            ":method=CONNECT", ":protocol=websocket", ":scheme=https", ":path=/a?b", ":authority=h:8443",
            "sec-websocket-version=13",
        ]
        try expectEqual(fields("wss://h:8443/a?b"), sent)
        try expectEqual(fields("ws://h/", host: "other")[2...4], [":scheme=http", ":path=/", ":authority=other"])
    }

    // RFC 9113 §8.2, §8.2.2.
    @Test("Names are in lower case, and fields of a connection are dropped") func extraFields() throws {
        let extra = [("X-Mixed", "Case"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "x")].map {
            HeaderField(wellFormedName: $0.0, value: $0.1)
        }
        try expectEqual(fields("ws://h/", extra).suffix(2), ["sec-websocket-version=13", "x-mixed=Case"])
    }

    @Test("A negotiation is a POST request") func negotiation() throws {
        let url = try WebSocketURL(parsing: "ws://h/")
        let request = try ClientRequest(url: url, version: .http2).negotiation(at: url)
        expectEqual(request.http2Fields.map(\.name), [":method", ":scheme", ":path", ":authority", "content-length"])
        expectEqual(request.http2Fields[0].value, "POST")
    }

    @Test("The shown request lacks the secrets of its URL") func shown() throws {
        let request = try ClientRequest(url: WebSocketURL(parsing: "ws://h/?token=geheim"), version: .http2)
        #expect(request.shownHTTP2Head.hasPrefix(":method: CONNECT\r\n:protocol: websocket\r\n"))
        expectFalse(request.shownHTTP2Head.contains("geheim"))
    }
}
