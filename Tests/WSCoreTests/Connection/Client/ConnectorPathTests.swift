import TestSupport
import Testing

@testable import WSCore

/// The path from a connector to its server: TLS, proxies, redirects, and cleanup after failures.
@Suite struct ConnectorPathTests {
    // MARK: Success

    @Test(
        "a connector reaches the server through each kind of proxy, with and without TLS",
        arguments: ["ws", "wss"], ["", "http", "https"])
    func paths(scheme: String, proxyScheme: String) throws {
        try withLoop { loop in
            let layers = try TLSLayers()
            let server = ServerFixture(try ServerPolicy(), on: loop, tls: scheme == "wss" ? layers.server : nil)
            server.handler = { $0.onMessage = echo }
            let address = try server.listen()
            let proxy = try ForwardingProxy(tls: proxyScheme == "https" ? layers.server : nil, on: loop)
            let attempt = Attempt(
                "\(scheme)://127.0.0.1:\(address.port)/",
                proxy: proxyScheme.isEmpty ? nil : "\(proxyScheme)://127.0.0.1:\(proxy.port)",
                resources: try resources(trusting: layers))
            let opened = try attempt.outcome(on: loop).get()
            expectEqual((opened.tls != nil), (scheme == "wss"))
            expectEqual(opened.peer, "127.0.0.1:\(proxyScheme.isEmpty ? address.port : proxy.port)")
            #expect(server.clients.first?.tls != nil || scheme == "ws")
            let client = Connection(
                opened.stream, settings: .init(role: .client, limits: .client),
                resources: ConnectionResources(on: loop), handler: RecordingPeer())
            client.start(with: opened.firstBytes)
            let message = pattern(3 << 20)
            client.send(message)
            loop.run { client.handler.messageCount == 1 }
            expectEqual(client.handler.events, [.binary(message)])
            client.close(CloseFrame(code: .normalClosure))
            loop.run { client.handler.end != nil && server.server.connections.isEmpty }
            expectEqual(client.handler.end?.isClean, true)
            expectEqual(server.handlers.first?.end?.isClean, true)
            server.server.close(CloseFrame(code: .goingAway))
            proxy.close()
            loop.runOnce()
        }
    }

    @Test("bytes that arrive together with the proxy's response reach the upgrade and TLS")
    func firstBytes() throws {
        try withScript { loop, server in
            server.answerHead { _ in "HTTP/1.1 200 x\r\n\r\nHTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n" }
            let proxy = "http://127.0.0.1:\(server.port)"
            let plain = try Attempt("ws://server.example/", proxy: proxy).outcome(on: loop)
            guard case .failure(.handshake(.refused(let head, _, _))) = plain else {
                Issue.record("\(plain)")
                return
            }
            expectEqual(head.status, 403)
            // RFC 8446 §6: a fatal handshake_failure alert.
            server.answerHead { _ in "HTTP/1.1 200 x\r\n\r\n\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}" }
            let secure = try Attempt("wss://server.example/", proxy: proxy).outcome(on: loop)
            guard case .failure(.security(.nothingInCommon(alert: _?))) = secure else {
                Issue.record("\(secure)")
                return
            }
        }
    }

    @Test("With SOCKS5, the next address of a name follows one that the proxy cannot reach")
    func socksAddresses() throws {
        try withScript { loop, server in
            var requests: [[UInt8]] = []
            let answer = { (received: [UInt8]) -> [UInt8] in
                if received == [5, 1, 0] { return [5, 0] }
                guard received.first == 5 else {
                    return Array(acceptingResponse(to: String(decoding: received, as: UTF8.self)).utf8)
                }
                requests.append(Array(received.dropFirst(4)))
                // RFC 1928 §6: connection refused, and success.
                return [5, requests.count < 3 ? 5 : 0, 0, 1, 0, 0, 0, 0, 0, 0]
            }
            server.answer = { end, received in
                end.recorder.received = []
                do { try end.write(answer(received)) } catch { Issue.record("the answer was not written: \(error)") }
            }
            let override = try AddressOverride(parsing: "x.example:99:127.0.0.7,127.0.0.8,127.0.0.9,127.0.0.10")
            let attempt = Attempt(
                "ws://x.example:99/", proxy: "socks5://127.0.0.1:\(server.port)",
                network: NetworkSettings(overrides: [override]))
            try attempt.outcome(on: loop).get().stream.close()
            expectEqual(requests, [7, 8, 9].map { [127, 0, 0, $0, 0, 99] })
            loop.run { server.ends.allSatisfy { $0.stream.isClosed } }
            expectEqual(connectedSocketCount(toPort: server.port), 0)
        }
    }

    @Test("A slow redirect loop is reported with the number of redirects")
    func slowLoop() throws {
        try withScript { loop, server in
            var requestCount = 0
            server.answerHead { _ in
                requestCount += 1
                // The last one is not answered within the time limit.
                return requestCount < 4 ? "HTTP/1.1 302 x\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n" : ""
            }
            let attempt = Attempt("ws://127.0.0.1:\(server.port)/", timeouts: ConnectTimeouts(whole: .seconds(60)))
            guard case .failure(.timedOut(.upgrading, _, _, redirectCount: 3)) = try attempt.outcome(on: loop) else {
                Issue.record("another failure")
                return
            }
        }
    }

    // MARK: Cookies

    @Test("cookies from a redirect are sent to the next hop, and those from a 101 with the next connection")
    func cookies() throws {
        try withScript { loop, server in
            var requests: [String] = []
            server.answerHead { request in
                requests.append(request)
                if request.hasPrefix("GET /next ") {
                    return acceptingResponse(to: request, lines: "Set-Cookie: session=2\r\n")
                }
                return "HTTP/1.1 302 x\r\nLocation: /next\r\nSet-Cookie: hop=1\r\nContent-Length: 0\r\n\r\n"
            }
            let resources = try ConnectorResources()
            for _ in 0..<2 {
                let attempt = Attempt("ws://127.0.0.1:\(server.port)/first", resources: resources)
                let opened = try attempt.outcome(on: loop).get()
                expectEqual(opened.request.url.description, "ws://127.0.0.1:\(server.port)/next")
                opened.stream.close()
            }
            let cookies = requests.map { request in
                request.split(separator: "\r\n").first { $0.hasPrefix("Cookie: ") }?.dropFirst(8)
            }
            expectEqual(cookies, [nil, "hop=1", "hop=1; session=2", "hop=1; session=2"])
            loop.runOnce()
            expectEqual(connectedSocketCount(toPort: server.port), 0)
        }
    }

    // MARK: Leaks

    /// Failing connections, with the response of the server on the given port.
    private static let failures: [(url: String, proxy: String?, answer: String, closes: Bool)] = [
        ("ws://127.0.0.1:PORT/", nil, "HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n", false),
        ("ws://127.0.0.1:PORT/", nil, "HTTP/1.1 302 x\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n", false),
        ("ws://127.0.0.1:PORT/", nil, "HTTP/1.1 302 x\r\nLocation: ftp://x/\r\nContent-Length: 0\r\n\r\n", false),
        (
            "ws://127.0.0.1:PORT/", nil, "HTTP/1.1 302 x\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            false
        ),
        ("ws://127.0.0.1:PORT/", nil, "SSH-2.0\r\n", false),
        ("ws://127.0.0.1:PORT/", nil, "", true),
        ("ws://127.0.0.1:PORT/", nil, "HTTP/1.1 1", true),
        ("ws://127.0.0.1:PORT/", nil, "", false),
        ("wss://127.0.0.1:PORT/", nil, "HTTP/1.1 400 x\r\n\r\n", false),
        ("wss://127.0.0.1:PORT/", nil, "", true),
        ("wss://127.0.0.1:PORT/", nil, "", false),
        ("ws://x.example/", "http://127.0.0.1:PORT", "HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n", false),
        ("ws://x.example/", "http://127.0.0.1:PORT", "", true),
        ("ws://x.example/", "http://127.0.0.1:PORT", "", false),
        ("ws://x.example/", "socks5h://127.0.0.1:PORT", "\u{5}\u{2}", false),
        ("wss://x.example/", "http://127.0.0.1:PORT", "HTTP/1.1 200 x\r\n\r\n", false),
        ("wss://x.example/", "https://127.0.0.1:PORT", "HTTP/1.1 400 x\r\n\r\n", false),
        ("wss://x.example/", "https://127.0.0.1:PORT", "", false),
    ]

    @Test("Failing connections leave no socket and no connector behind", arguments: failures.indices)
    func leaks(index: Int) throws {
        let failure = Self.failures[index]
        // Attempts without a response, or with only the proxy's, run into the time limit, which takes no time.
        try withScript { loop, server in
            server.answer = { end, _ in
                try? end.write(Array(failure.answer.utf8))
                if failure.closes { end.close() }
            }
            let resources = try ConnectorResources(tls: TLSClientSettings())
            for _ in 0..<10 {
                let attempt = Attempt(
                    failure.url.replacing("PORT", with: "\(server.port)"),
                    proxy: failure.proxy?.replacing("PORT", with: "\(server.port)"), resources: resources,
                    timeouts: ConnectTimeouts(whole: .seconds(60)))
                if case .success = try attempt.outcome(on: loop) { Issue.record("it succeeded") }
            }
            loop.run { server.ends.allSatisfy { $0.stream.isClosed } }
            expectEqual(connectedSocketCount(toPort: server.port), 0)
        }
    }

    @Test("100 TLS failures caused by an untrusted certificate leave no socket behind on either side")
    func untrusted() throws {
        try withLoop { loop in
            let server = ServerFixture(try ServerPolicy(), on: loop, tls: try TLSLayers().server)
            let address = try server.listen()
            let resources = try ConnectorResources(tls: TLSClientSettings())
            for _ in 0..<100 {
                let outcome = try Attempt("wss://127.0.0.1:\(address.port)/", resources: resources).outcome(on: loop)
                guard case .failure(.security(.certificate)) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
            loop.run { server.failures.count == 100 }
            for failure in server.failures {
                guard case .ownCertificateRejected = failure else {
                    Issue.record("\(failure)")
                    return
                }
            }
            loop.run { connectedSocketCount(toPort: address.port) == 0 }
            server.server.close(CloseFrame(code: .goingAway))
            // Until the server's end of the last connection is closed, too.
            loop.run()
        }
    }

    // MARK: Time limits

    @Test(
        "a timeout reports the phase and peer, for both phase limits and the overall limit",
        arguments: [
            (ConnectError.Phase.upgrading, "ws://127.0.0.1:PORT/", ""),
            (.securing, "wss://127.0.0.1:PORT/", ""),
            (.tunnelling, "ws://x.example/", "http://127.0.0.1:PORT"),
            (.tunnelling, "wss://x.example/", "https://127.0.0.1:PORT"),
            (.tunnelling, "wss://x.example/", "socks5h://127.0.0.1:PORT"),
        ], [false, true])
    func timeLimits(expected: (phase: ConnectError.Phase, url: String, proxy: String), isOfPhase: Bool) throws {
        try withScript { loop, server in
            let limit = Duration.seconds(100)
            let proxy = expected.proxy.replacing("PORT", with: "\(server.port)")
            let attempt = Attempt(
                expected.url.replacing("PORT", with: "\(server.port)"), proxy: proxy.isEmpty ? nil : proxy,
                resources: try ConnectorResources(tls: TLSClientSettings()),
                timeouts: isOfPhase
                    ? ConnectTimeouts(whole: .seconds(1000), phases: [expected.phase: limit])
                    : ConnectTimeouts(whole: limit))
            let outcome = try attempt.outcome(on: loop)
            guard case .failure(.timedOut(let phase, after: limit, let peer, _)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            expectEqual(phase, expected.phase)
            expectEqual(peer, "127.0.0.1:\(server.port)")
        }
    }

    @Test("the limit of a completed phase no longer applies")
    func passedPhase() throws {
        try withScript { loop, server in
            var answers = 0
            server.answer = { end, received in
                answers += 1
                guard answers == 1 else { return }
                loop.advance(by: .seconds(1))
                try? end.write(Array("HTTP/1.1 200 x\r\n\r\n".utf8))
            }
            let attempt = Attempt(
                "ws://x.example/", proxy: "http://127.0.0.1:\(server.port)",
                timeouts: ConnectTimeouts(
                    whole: .seconds(700), phases: [.tunnelling: .seconds(500), .connecting: .seconds(500)])
            )
            guard case .failure(.timedOut(.upgrading, after: .seconds(700), _, _)) = try attempt.outcome(on: loop)
            else {
                Issue.record("another failure")
                return
            }
        }
    }

    // MARK: Cancellation

    @Test(
        "a connector canceled at any step closes its stream and does not complete",
        arguments: 0..<8, ["", "http", "https"])
    func cancel(step: Int, proxyScheme: String) throws {
        try withLoop { loop in
            let layers = try TLSLayers()
            let target = ServerFixture(try ServerPolicy(), on: loop, tls: layers.server)
            let address = try target.listen()
            let redirecting = try ScriptedServer(on: loop)
            redirecting.answerHead { _ in
                "HTTP/1.1 307 x\r\nLocation: wss://127.0.0.1:\(address.port)/\r\nContent-Length: 0\r\n\r\n"
            }
            let proxy = try ForwardingProxy(tls: proxyScheme == "https" ? layers.server : nil, on: loop)
            weak var leaked: Connector?
            var count = 0
            do {
                let attempt = Attempt(
                    "ws://127.0.0.1:\(redirecting.port)/",
                    proxy: proxyScheme.isEmpty ? nil : "\(proxyScheme)://127.0.0.1:\(proxy.port)",
                    resources: try resources(trusting: layers))
                let connector = try attempt.connector(on: loop) { _ in Issue.record("it completed") }
                leaked = connector
                connector.didStep = { [unowned connector] _ in
                    count += 1
                    if count == step + 1 { connector.cancel() }
                }
                connector.start()
                loop.run { count > step }
                connector.didStep = nil
            }
            loop.settle()
            expectEqual(count, step + 1)
            expectNil(leaked)
            #expect(connectedSocketCount(toPort: redirecting.port) == 0 || !proxyScheme.isEmpty)
            let entry = proxyScheme.isEmpty ? address.port : proxy.port
            expectEqual(connectedSocketCount(toPort: entry), 0)
            redirecting.close()
            proxy.close()
            target.server.close(CloseFrame(code: .goingAway))
            loop.runOnce()
        }
    }

    // MARK: Support

    private func resources(trusting layers: TLSLayers) throws -> ConnectorResources {
        var settings = TLSClientSettings()
        settings.trust = .certificates(layers.source.chain)
        return try ConnectorResources(tls: settings)
    }

    private func withScript(_ body: (EventLoop, ScriptedServer) throws -> Void) throws {
        try withLoop { loop in
            let server = try ScriptedServer(on: loop)
            try body(loop, server)
            server.close()
            loop.runOnce()
        }
    }
}

/// An attempt to connect.
private struct Attempt {
    let url: String
    let proxy: String?
    let resources: ConnectorResources?
    let network: NetworkSettings
    let timeouts: ConnectTimeouts

    init(
        _ url: String, proxy: String? = nil, resources: ConnectorResources? = nil,
        network: NetworkSettings = NetworkSettings(), timeouts: ConnectTimeouts = ConnectTimeouts()
    ) {
        self.url = url
        self.proxy = proxy
        self.resources = resources
        self.network = network
        self.timeouts = timeouts
    }

    typealias Outcome = Result<Connector.Opened, ConnectError>

    func connector(on loop: EventLoop, completion: @escaping (Outcome) -> Void) throws -> Connector {
        let request = try ClientRequest(url: try WebSocketURL(parsing: url))
        var settings = Connector.Settings(request: request)
        settings.network = network
        settings.proxies = try ProxyChoice(proxy: proxy ?? "") { _ in nil }
        settings.redirects = RedirectPolicy(maximum: 5)
        settings.timeouts = timeouts
        return Connector(
            settings, resources: try resources ?? ConnectorResources(tls: TLSClientSettings()), on: loop,
            completion: completion)
    }

    /// Returns the outcome and checks that the connector was deallocated.
    func outcome(on loop: EventLoop) throws -> Outcome {
        var outcomes: [Outcome] = []
        weak var leaked: Connector?
        do {
            let connector = try connector(on: loop) { outcomes.append($0) }
            leaked = connector
            connector.start()
            loop.advance { !outcomes.isEmpty }
        }
        loop.runOnce()
        expectEqual(outcomes.count, 1)
        let outcome = try #require(outcomes.first)
        if case .failure = outcome { expectNil(leaked) }
        return outcome
    }
}
