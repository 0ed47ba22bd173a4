import TestSupport
import Testing

@testable import WSCore

/// A connector and a server on the same loop: a real WebSocket server or a raw one.
@Suite struct ConnectorTests {
    @Test("a connector reports subprotocol, peer, and duration, and messages are exchanged")
    func success() throws {
        try withServer(try ServerPolicy(subprotocols: ["chat"])) { loop, server, port in
            server.handler = { $0.onMessage = echo }
            let opened = try connect(
                loop, port, "ws://127.0.0.1:\(port)/path", subprotocols: ["other", "chat"]
            ).get()
            expectEqual(opened.upgrade.subprotocol, "chat")
            expectEqual(opened.peer, "127.0.0.1:\(port)")
            #expect(opened.duration > .zero)
            let client = Connection(
                opened.stream, settings: .init(role: .client, limits: .client),
                resources: ConnectionResources(on: loop), handler: RecordingPeer())
            client.start(with: opened.firstBytes)
            client.send("echo")
            loop.run { client.handler.messageCount == 1 }
            client.close(CloseFrame(code: .normalClosure))
            loop.run { client.handler.end != nil && server.server.connections.isEmpty }
            expectEqual(client.handler.end?.isClean, true)
        }
    }

    @Test("localhost works if only one of its addresses is in use, and the family can be chosen")
    func localhost() throws {
        try withServer(try ServerPolicy()) { loop, _, port in
            let result = connect(loop, port, "ws://localhost:\(port)/", host: "localhost")
            let opened = try result.get()
            expectEqual(opened.peer, "127.0.0.1:\(port)")
            opened.stream.close()
            let failed = connect(loop, port, "ws://localhost:\(port)/", host: "localhost", family: .ipv6)
            guard case .failure(.unreachable(let attempts)) = failed else { return #expect(Bool(false)) }
            expectEqual(attempts.map(\.address), ["[::1]:\(port)"])
            let impossible = connect(loop, port, "ws://127.0.0.1:\(port)/", family: .ipv6)
            guard case .failure(.noAddress("127.0.0.1")) = impossible else { return #expect(Bool(false)) }
        }
    }

    @Test("frames that arrive with the response are passed on")
    func firstBytes() throws {
        try withRawServer { loop, port, script in
            script.answer = { request in
                let key = request.split(separator: "Sec-WebSocket-Key: ")[1].prefix { $0 != "\r\n" }
                let accept = String(decoding: HandshakeKey.accept(key: String(key)), as: UTF8.self)
                let head =
                    "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
                return Array(head.utf8) + frame(0x81, "early")
            }
            let opened = try connect(loop, port, "ws://127.0.0.1:\(port)/").get()
            expectEqual(opened.firstBytes, frame(0x81, "early"))
            opened.stream.close()
        }
    }

    @Test(
        "A challenge is answered on a new connection, whether the server closes the first one or not",
        arguments: [true, false])
    func challenge(closes: Bool) throws {
        try withRawServer { loop, port, script in
            var requests: [String] = []
            script.answer = { request in
                requests.append(request)
                script.closes = closes && requests.count == 1
                return Self.answer(to: request)
            }
            let url = "ws://me:secret@127.0.0.1:\(port)/a"
            let opened = try connect(loop, port, url, authentication: .digest).get()
            opened.stream.close()
            #expect(requests.count == 2 && script.ends.count == 2)
            expectFalse(requests[0].contains("Authorization"))
            #expect(requests[1].contains("Authorization: Digest username=\"me\"") && !requests[1].contains("secret"))
            expectEqual(opened.request.loginUse, .sent(scheme: "Digest"))
        }
    }

    @Test(
        "A rejected answer ends the attempt, after another one if the nonce was stale",
        arguments: [("", 2, "Digest"), (", stale=true", 3, "Digest"), (", qop=auth-int", 1, "")])
    func rejectedAnswer(parameter: String, count: Int, scheme: String) throws {
        try withRawServer { loop, port, script in
            var requestCount = 0
            script.answer = { _ in
                requestCount += 1
                let fields = "WWW-Authenticate: Digest nonce=n\(requestCount)\(parameter)\r\nContent-Length: 2\r\n"
                return Array("HTTP/1.1 401 x\r\n\(fields)\r\nno".utf8)
            }
            let result = connect(loop, port, "ws://me:secret@127.0.0.1:\(port)/", authentication: .strongest)
            guard case .failure(.loginRefused(.refused(_, let body, _), let use)) = result else {
                return #expect(Bool(false), "\(result)")
            }
            #expect(requestCount == count && body == Array("no".utf8))
            expectEqual(use, (scheme.isEmpty ? .withheld(.strongest) : .sent(scheme: scheme)))
        }
    }

    /// Accepts a request with an answer to a challenge of Digest authentication, and challenges others.
    private static func answer(to request: String) -> [UInt8] {
        guard request.contains("Authorization: Digest") else {
            return Array(
                "HTTP/1.1 401 x\r\nWWW-Authenticate: Digest nonce=n, qop=auth\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let key = request.split(separator: "Sec-WebSocket-Key: ")[1].prefix { $0 != "\r\n" }
        let accept = String(decoding: HandshakeKey.accept(key: String(key)), as: UTF8.self)
        return Array(
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
                .utf8)
    }

    @Test("a refusal is reported with status, head, and body")
    func refusal() throws {
        try withServer(try ServerPolicy(path: "/only")) { loop, server, port in
            let result = connect(loop, port, "ws://127.0.0.1:\(port)/elsewhere")
            guard case .failure(.handshake(.refused(let head, let body, let isTruncated))) = result else {
                return #expect(Bool(false))
            }
            expectEqual(head.status, 404)
            expectFalse(body.isEmpty)
            expectFalse(isTruncated)
            expectEqual(server.refusals.map(\.status), [404])
        }
    }

    @Test("a server that accepts but does not respond causes a timeout in the upgrade phase")
    func silentServer() throws {
        try withRawServer { loop, port, _ in
            let start = loop.now
            let result = connect(loop, port, "ws://127.0.0.1:\(port)/", timeout: .milliseconds(50))
            guard case .failure(.timedOut(.upgrading, after: .milliseconds(50), _, _)) = result else {
                return #expect(Bool(false))
            }
            #expect(loop.now - start >= .milliseconds(49))
        }
    }

    @Test("an address that does not respond causes a timeout in the connection phase")
    func silentAddress() throws {
        try withLoop { loop in
            try withSilentAddress { address in
                let result = connect(loop, address.port, "ws://127.0.0.1/", timeout: .milliseconds(50))
                guard case .failure(.timedOut(.connecting, after: .milliseconds(50), _, _)) = result else {
                    return #expect(Bool(false))
                }
            }
        }
    }

    @Test("a refusal with an incomplete body is reported with the partial body at the time limit")
    func partialRefusal() throws {
        try withRawServer { loop, port, script in
            script.answer = { _ in Array("HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\npart".utf8) }
            let result = connect(loop, port, "ws://127.0.0.1:\(port)/", timeout: .milliseconds(100))
            guard case .failure(.handshake(.refused(let head, let body, bodyIsTruncated: true))) = result else {
                return #expect(Bool(false))
            }
            expectEqual(head.status, 503)
            expectEqual(body, Array("part".utf8))
        }
    }

    @Test("a close before or within the response is distinguished from a refusal")
    func endOfFile() throws {
        try withRawServer { loop, port, script in
            script.closes = true
            script.answer = { _ in [] }
            let silent = connect(loop, port, "ws://127.0.0.1:\(port)/")
            guard case .failure(.handshake(.closedBeforeResponse)) = silent else { return #expect(Bool(false)) }
            script.answer = { _ in Array("HTTP/1.1 101".utf8) }
            let partial = connect(loop, port, "ws://127.0.0.1:\(port)/")
            guard case .failure(.handshake(.incompleteResponse)) = partial else { return #expect(Bool(false)) }
        }
    }

    @Test("an unresolvable name is reported")
    func unresolvable() throws {
        try withLoop { loop in
            let result = connect(loop, 80, "ws://no.invalid/", host: "no.invalid", timeout: .seconds(9))
            guard case .failure(.unresolvable(host: "no.invalid", _)) = result else { return #expect(Bool(false)) }
        }
    }

    @Test("a missing socket path and one that is too long are reported as unreachable")
    func unixFailures() throws {
        try withLoop { loop in
            for path in ["/no/such/socket", "/tmp/" + String(repeating: "x", count: 200)] {
                let result = try connect(loop, to: .unix(path: path), "ws://localhost/")
                guard case .failure(.unreachable(let attempts)) = result else { return #expect(Bool(false)) }
                expectEqual(attempts.map(\.address), [path])
            }
        }
    }

    @Test("a client connects to a Unix domain socket, and closing the server removes the socket")
    func unix() throws {
        try withTemporaryDirectory { directory in
            try withLoop { loop in
                let path = "\(directory)/socket"
                let server = ServerFixture(try ServerPolicy(), on: loop)
                try expectNil(server.server.listen(on: .unix(path: path)))
                let opened = try connect(loop, to: .unix(path: path), "ws://localhost/").get()
                expectEqual(opened.peer, path)
                opened.stream.close()
                server.server.close(CloseFrame(code: .goingAway))
                loop.run { server.server.connections.isEmpty }
                expectFalse(exists(path))
            }
        }
    }

    @Test("a canceled connector does not complete", arguments: ["127.0.0.1", "localhost", "no.invalid"])
    func cancel(host: String) throws {
        try withRawServer { loop, port, _ in
            let request = try ClientRequest(url: try WebSocketURL(parsing: "ws://127.0.0.1/"))
            let connector = Connector(
                .init(request: request, destination: .tcp(host: host, port: port)), resources: try ConnectorResources(),
                on: loop
            ) { _ in Issue.record("it completed") }
            connector.start()
            connector.cancel()
            loop.settle()
            let late = Connector(
                .init(request: request, destination: .tcp(host: "127.0.0.1", port: port)),
                resources: try ConnectorResources(), on: loop
            ) { _ in Issue.record("it completed") }
            late.start()
            loop.settle()
            late.cancel()
            loop.settle()
        }
    }

    // MARK: Support

    private typealias Outcome = Result<Connector.Opened, ConnectError>

    private func connect(
        _ loop: EventLoop, _ port: UInt16, _ url: String, host: String = "127.0.0.1",
        family: SocketAddress.Family? = nil, subprotocols: [String] = [], timeout: Duration = .seconds(5),
        authentication: AuthenticationMethod = .basic
    ) -> Result<Connector.Opened, ConnectError> {
        do {
            return try connect(
                loop, to: .tcp(host: host, port: port), url, family: family, subprotocols: subprotocols,
                timeout: timeout, authentication: authentication)
        } catch {
            Issue.record(error)
            return .failure(.noAddress(host: "nothing was tried"))
        }
    }

    private func connect(
        _ loop: EventLoop, to destination: Connector.Settings.Destination, _ url: String,
        family: SocketAddress.Family? = nil, subprotocols: [String] = [], timeout: Duration = .seconds(5),
        authentication: AuthenticationMethod = .basic
    ) throws -> Result<Connector.Opened, ConnectError> {
        var outcome: Outcome?
        let request = try ClientRequest(
            url: try WebSocketURL(parsing: url), subprotocols: subprotocols, authentication: authentication)
        var settings = Connector.Settings(request: request, destination: destination)
        settings.network.family = family
        settings.timeouts.whole = timeout
        let connector = Connector(settings, resources: try ConnectorResources(), on: loop) { result in
            #expect(outcome == nil || Bool(false), "the completion was called twice")
            outcome = result
        }
        connector.start()
        loop.run { outcome != nil }
        loop.runOnce()
        return try #require(outcome)
    }

    private func withServer(
        _ policy: ServerPolicy, _ body: (EventLoop, ServerFixture, UInt16) throws -> Void
    ) throws {
        try withLoop { loop in
            let server = ServerFixture(policy, on: loop)
            let anyPort = try #require(anyLoopbackPort())
            let address = try #require(try server.server.listen(on: .tcp(anyPort)))
            try body(loop, server, address.port)
            server.server.close(CloseFrame(code: .goingAway))
            for connection in server.server.connections.values { connection.terminate() }
            loop.runOnce()
        }
    }

    /// Runs a server that reads one piece of each request and sends the scripted response.
    private func withRawServer(_ body: (EventLoop, UInt16, RawScript) throws -> Void) throws {
        try withLoop { loop in
            let script = RawScript()
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in
                let end = StreamEnd(stream)
                end.recorder.didChange = { stream in
                    guard !end.recorder.hasEnded, let answer = script.answer else { return }
                    try? end.write(answer(String(decoding: end.recorder.received, as: UTF8.self)))
                    if script.closes { stream.close() }
                }
                stream.startReading()
                script.ends.append(end)
            }
            try body(loop, try #require(listener.address).port, script)
            for end in script.ends { end.close() }
            listener.close()
            loop.runOnce()
        }
    }
}

/// The behavior of a raw server.
private final class RawScript {
    var answer: ((String) -> [UInt8])?
    var closes = false
    var ends: [StreamEnd] = []
}
