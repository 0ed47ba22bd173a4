import Testing

@testable import Listen
@testable import WSCore

@Suite struct ConnectionLogLineTests {
    @Test("A line contains all known facts about a connection")
    func whole() throws {
        let line = ConnectionLogLine(
            address: .network(try #require(SocketAddress(numeric: "127.0.0.1", port: 4711))),
            request: request("/chat?token=secret", origin: "http://localhost:3000"),
            acceptTime: .seconds(100))
        #expect(
            line.words(
                "Client 3 disconnected: 1000", status: 101, now: .milliseconds(112_345), receivedBytes: 120,
                sentBytes: 35_000)
                == #"Client 3 disconnected: 1000, from 127.0.0.1:4711, origin "http://localhost:3000", path "/chat", "#
                + "status 101, 12.3 s, 120 B in, 34.1 KiB out")
    }

    @Test("Unknown facts are omitted, and the reason comes last")
    func little() {
        let line = ConnectionLogLine(address: .local, request: nil, acceptTime: .zero)
        #expect(
            line.words(
                "Rejected a request: 408", status: nil, now: .seconds(10), receivedBytes: 0, sentBytes: 1,
                reason: "late\n")
                == #"Rejected a request: 408, from a local socket, 10.0 s, 0 B in, 1 B out: late\u{A}"#
        )
    }

    @Test("The path for tables has no quotes, but control characters are escaped")
    func escapedPath() {
        let line = ConnectionLogLine(address: .local, request: request("/a\u{1B}b", origin: "x"), acceptTime: .zero)
        #expect(line.escapedPath == #"/a\u{1B}b"#)
        #expect(ConnectionLogLine(address: .local, request: nil, acceptTime: .zero).escapedPath == nil)
    }

    @Test(
        "A client cannot forge the end of a field or line, or control the terminal",
        arguments: [
            (#"x", path "/admin"#, #""x\", path \"/admin""#), (#"\"#, #""\\""#), (#"\u{A}"#, #""\\u{A}""#),
            ("a\r\nb", #""a\u{D}\u{A}b""#), ("\u{1B}[2J", #""\u{1B}[2J""#), ("\u{202E}x", #""\u{202E}x""#),
            ("\u{2028}", #""\u{2028}""#), ("\0", #""\u{0}""#), ("Grüße 🎈", #""Grüße 🎈""#),
            (String(repeating: "é", count: 16_000), "\"" + String(repeating: "é", count: 123) + "…\""),
        ])
    func forged(origin: String, shown: String) {
        let line = ConnectionLogLine(address: .local, request: request("/", origin: origin), acceptTime: .zero)
        #expect(
            line.words("X", status: nil, now: .zero, receivedBytes: 0, sentBytes: 0)
                == "X, from a local socket, origin \(shown), path \"/\", 0.0 s, 0 B in, 0 B out")
    }

    private func request(_ target: String, origin: String) -> RequestHead {
        let fields = HTTPFields([HeaderField(wellFormedName: "Origin", value: origin)])
        return RequestHead(method: "GET", target: target, fields: fields)
    }
}
