import TestSupport
import Testing

@testable import WSCore

/// permessage-deflate between a connector and a server on the same loop.
@Suite struct ConnectionCompressionTests {
    @Test("negotiated parameters apply in both directions, and the traffic counts show the savings")
    func agreement() throws {
        try withServer(.init(), offering: .init(windowBits: 10)) { loop, server, opened in
            expectEqual(opened.deflate, DeflateParameters(serverMaxWindowBits: 10, clientMaxWindowBits: 10))
            let value = ExtensionHeader.value(of: opened.upgrade.extensions)
            expectEqual(value, "permessage-deflate; server_max_window_bits=10; client_max_window_bits=10")
            let text = String(repeating: "much the same, ", count: 50)
            let client = exchange(text, loop, opened)
            expectEqual(client.handler.events, [.text(text)])
            for traffic in [client.sentTraffic, client.receivedTraffic] {
                expectEqual(traffic.messages, 1)
                expectEqual(traffic.messageBytes, 750)
                #expect(traffic.wireBytes < 100)
            }
            end(client, loop, server)
        }
    }

    @Test("messages are not compressed without an offer or if the server declines it")
    func nothing() throws {
        for (wished, offered) in [(DeflatePreferences(), nil), (nil, DeflatePreferences()), (nil, nil)] {
            try withServer(wished, offering: offered) { loop, server, opened in
                expectNil(opened.deflate)
                expectEmpty(opened.upgrade.extensions)
                let client = exchange(String(repeating: "a", count: 100), loop, opened)
                expectEqual(client.sentTraffic, Traffic(messages: 1, messageBytes: 100, wireBytes: 106))
                expectEqual(client.receivedTraffic, Traffic(messages: 1, messageBytes: 100, wireBytes: 102))
                end(client, loop, server)
            }
        }
    }

    @Test("an idle connection returns zlib's memory, and its timer does not keep the loop running")
    func idling() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(.tcp, on: loop)
            let resources = ConnectionResources(on: loop, idleInterval: .milliseconds(20))
            let client = compressing(near, .client, resources)
            let server = compressing(far, .server, resources)
            server.handler.onMessage = echo
            client.start()
            server.start()
            for count in 1...2 {
                client.send(String(repeating: "busy ", count: 100))
                loop.run { client.handler.messageCount == count }
                expectEqual(resources.deflateMemory.deflaters.streamCount, 2)
                expectEqual(resources.deflateMemory.inflaters.streamCount, 2)
                loop.run {
                    !resources.deflateMemory.deflaters.hasStreams && !resources.deflateMemory.inflaters.hasStreams
                }
            }
            expectEqual(client.handler.events[0], client.handler.events[1])
            client.send(String(repeating: "busy ", count: 100))
            client.close(CloseFrame(code: .normalClosure))
            // Only the timer is left after both connections have ended.
            loop.run()
            expectEqual(client.handler.messageCount, 3)
            expectNotNil(client.handler.end)
        }
    }

    @Test("a reader that pauses within compressed input receives the messages one by one as it resumes")
    func pausing() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(.tcp, on: loop)
            let resources = ConnectionResources(on: loop)
            let client = compressing(near, .client, resources)
            let server = compressing(far, .server, resources)
            server.handler.onMessage = { connection, _, _ in connection.pauseReading() }
            client.start()
            server.start()
            let texts = (1...20).map { String(repeating: "\($0) ", count: 1000) }
            for text in texts { client.send(text) }
            let ping: [UInt8] = [1]
            client.sendPing(ping.span.bytes)
            client.close(CloseFrame(code: .normalClosure))
            for count in 1...texts.count {
                loop.run { server.handler.messageCount >= count }
                loop.settle()
                expectEqual(server.handler.messageCount, count)
                expectNil(server.handler.end)
                server.resumeReading()
            }
            loop.run { server.handler.end != nil && client.handler.end != nil }
            expectEqual(server.handler.events, texts.map { .text($0) } + [.ping(ping), .close(1000)])
            expectEqual(server.handler.end?.isClean, true)
        }
    }

    @Test("an echo with a full queue takes no more messages, even from input already read")
    func fullQueue() throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(.tcp, on: loop)
            let resources = ConnectionResources(on: loop)
            let client = compressing(near, .client, resources)
            let server = compressing(far, .server, resources, pausesReadingWhenFull: true)
            server.handler.remembersMessages = false
            client.handler.remembersMessages = false
            let noise = noise(1, byteCount: 2 << 20)
            server.handler.onMessage = { connection, _, _ in connection.send(noise.span.bytes, as: .binary) }
            server.start()
            let text = String(repeating: "a", count: 100_000)
            for _ in 0..<100 { client.send(text) }
            loop.run { server.isFull }
            loop.settle()
            #expect(server.queuedBytes <= server.settings.queueLimitBytes + (3 << 20))
            client.start()
            loop.run(within: .seconds(60)) { client.handler.messageCount == 100 }
            client.close(CloseFrame(code: .normalClosure))
            loop.run { server.handler.end != nil && client.handler.end != nil }
        }
    }

    @Test("input held back by a pause keeps its order when it arrives with the opening handshake")
    func pausingAtOnce() throws {
        try withUnread { loop, client, rest in
            client.start(with: frame(0x81, "one") + frame(0x89, "ping") + frame(0x81, "two") + frame(0x88))
            loop.settle()
            expectEqual(client.handler.events, [.text("one")])
            client.resumeReading()
            loop.run { client.handler.messageCount == 2 }
            client.resumeReading()
            loop.run { client.handler.events.count == 4 }
            rest.close()
            loop.run { client.handler.end != nil }
            expectEqual(client.handler.events, [.text("one"), .ping(Array("ping".utf8)), .text("two"), .close(nil)])
            expectEqual(client.handler.end?.isClean, true)
        }
    }

    @Test("a violation in held-back input is found when reading resumes")
    func violationUnread() throws {
        try withUnread { loop, client, rest in
            client.start(with: frame(0x81, "one") + frame(0xC9))
            loop.settle()
            expectNil(client.handler.end)
            client.resumeReading()
            rest.close()
            loop.run { client.handler.end != nil }
            expectEqual(client.handler.end?.violation, .reservedBits(4))
        }
    }

    @Test("the end of the stream is reported after input held back by a pause")
    func endOfStreamUnread() throws {
        try withUnread { loop, client, rest in
            client.start(with: frame(0x81, "one") + frame(0x81, "two"))
            rest.close()
            loop.settle()
            expectNil(client.handler.end)
            client.resumeReading()
            loop.run { client.handler.messageCount == 2 }
            expectNil(client.handler.end)
            client.resumeReading()
            loop.run { client.handler.end != nil }
            expectEqual(client.handler.end?.isClean, false)
        }
    }

    @Test("terminate() discards held-back input, even when called while a message is delivered")
    func terminatedUnread() throws {
        try withUnread { loop, client, _ in
            client.handler.onMessage = { connection, _, _ in connection.terminate() }
            client.start(with: frame(0x81, "one") + frame(0x81, "two"))
            expectEqual(client.handler.events, [.text("one")])
            loop.runOnce()
            expectEqual(client.handler.endCount, 1)
        }
        try withUnread { loop, client, _ in
            client.start(with: frame(0x81, "one") + frame(0x81, "two"))
            loop.runOnce()
            client.terminate()
            client.resumeReading()
            loop.settle()
            expectEqual(client.handler.events, [.text("one")])
            expectEqual(client.handler.endCount, 1)
        }
    }

    /// Creates a connection with compression negotiated.
    private func compressing(
        _ stream: SystemStream, _ role: Role, _ resources: ConnectionResources, pausesReadingWhenFull: Bool = false
    ) -> Connection<RecordingPeer> {
        Connection(
            stream,
            settings: .init(
                role: role, limits: role == .client ? .client : .server, pausesReadingWhenFull: pausesReadingWhenFull),
            deflate: DeflateParameters(), resources: resources, handler: RecordingPeer())
    }

    /// Creates a client that pauses reading after every message, and the other end of its stream.
    private func withUnread(
        _ body: (EventLoop, Connection<RecordingPeer>, SystemStream) throws -> Void
    ) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(.tcp, on: loop)
            let client = Connection(
                near, settings: .init(role: .client, limits: .client), resources: ConnectionResources(on: loop),
                handler: RecordingPeer())
            client.handler.onMessage = { connection, _, _ in connection.pauseReading() }
            try body(loop, client, far)
            far.close()
            loop.runOnce()
        }
    }

    private func exchange(_ text: String, _ loop: EventLoop, _ opened: Connector.Opened) -> Connection<RecordingPeer> {
        let client = Connection(
            opened.stream, settings: .init(role: .client, limits: .client), deflate: opened.deflate,
            resources: ConnectionResources(on: loop), handler: RecordingPeer())
        client.start(with: opened.firstBytes)
        client.send(text)
        loop.run { client.handler.messageCount == 1 }
        return client
    }

    private func end(_ client: Connection<RecordingPeer>, _ loop: EventLoop, _ server: ServerFixture) {
        client.close(CloseFrame(code: .normalClosure))
        loop.run { client.handler.end != nil && server.server.connections.isEmpty }
    }

    private func withServer(
        _ wished: DeflatePreferences?, offering offered: DeflatePreferences?,
        _ body: (EventLoop, ServerFixture, Connector.Opened) throws -> Void
    ) throws {
        try withLoop { loop in
            let server = ServerFixture(try ServerPolicy(), deflate: wished, on: loop)
            server.handler = { $0.onMessage = echo }
            let anyPort = try #require(anyLoopbackPort())
            let port = try #require(try server.server.listen(on: .tcp(anyPort))).port
            let request = try ClientRequest(
                url: try WebSocketURL(parsing: "ws://127.0.0.1:\(port)/"),
                extensionOffers: offered.map { [$0.offer] } ?? [])
            var result: Result<Connector.Opened, ConnectError>?
            let connector = Connector(
                .init(request: request, destination: .tcp(host: "127.0.0.1", port: port)),
                resources: try ConnectorResources(), on: loop
            ) { result = $0 }
            connector.start()
            loop.run { result != nil }
            try body(loop, server, try #require(result).get())
            server.server.close(CloseFrame(code: .goingAway))
            loop.runOnce()
        }
    }
}
