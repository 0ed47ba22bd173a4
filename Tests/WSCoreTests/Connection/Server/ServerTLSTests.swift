import COpenSSL
import TestSupport
import Testing

@testable import WSCore

/// A TLS server, and clients that misbehave.
@Suite struct ServerTLSTests {
    @Test("a client that does not speak TLS gets an answer, is reported, and leaves nothing behind")
    func garbage() throws {
        try withServer { loop, server, layers, address in
            let sent = [
                Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), pattern(1000), [22, 9],
            ]
            for bytes in sent {
                let client = try connect(address, on: loop)
                try client.write(bytes)
                loop.run { client.recorder.lastWordCount > 0 }
                expectNil(client.recorder.readError)
                client.close()
            }
            loop.run { connectedSocketCount(toPort: address.port) == 0 }
            expectEqual(server.failures.count, sent.count)
            for failure in server.failures {
                guard case .notTLS(_, peerIsServer: false) = failure else {
                    Issue.record("\(failure)")
                    return
                }
            }
            expectEmpty(server.refusals)
            try exchange(loop, layers, address)
        }
    }

    @Test("a client that violates TLS and keeps sending still receives the alert")
    func alert() throws {
        try withServer { loop, server, _, address in
            let client = try connect(address, on: loop)
            // RFC 8446 §5.1: a record with a handshake message of an unknown type.
            try client.write([22, 3, 1, 0, 4, 99, 0, 0, 0] + pattern(300_000))
            loop.run { client.recorder.lastWordCount > 0 }
            expectEqual(client.recorder.received.prefix(2), [21, 3])
            expectNil(client.recorder.readError)
            expectEqual(server.failures.count, 1)
            client.close()
            // A lingering close would keep the loop and the TLS layer.
            loop.run { acceptedSocketCount(onPort: address.port) == 0 }
        }
    }

    @Test("a client that sends nothing or only half of its handshake is closed after the timeout")
    func silence() throws {
        try withServer { loop, server, layers, address in
            let session = TLSSession(client: layers.client.context, name: .name("localhost"), sessionKey: "key")
            try session.start()
            let hello = session.takeOutput()
            for bytes in [[], Array(hello.prefix(hello.count / 2)), hello] {
                let client = try connect(address, on: loop)
                try client.write(bytes)
                loop.advance { client.recorder.lastWordCount > 0 }
                expectTrue(client.recorder.hasEnded)
                client.close()
            }
            // Those that have begun a handshake.
            expectEqual(server.failures.count, 2)
            loop.run { connectedSocketCount(toPort: address.port) == 0 }
        }
    }

    @Test("an incomplete request is answered with 408 over TLS after the timeout")
    func requestTimeout() throws {
        try withServer { loop, server, layers, address in
            let client = layers.makeClient(on: try connect(address, on: loop).stream)
            client.stream.start()
            client.stream.startReading()
            loop.run { client.isEstablished }
            client.send(Array("GET / HT".utf8))
            loop.advance { client.recorder.hasEnded }
            #expect(String(decoding: client.recorder.received, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
            expectTrue(client.session.hasEnded)
            expectEqual(server.refusals.map(\.status), [408])
            client.close()
        }
    }

    @Test("a client that disconnects is reported only if it had started TLS", arguments: [false, true])
    func leaves(hasBegun: Bool) throws {
        try withServer { loop, server, layers, address in
            let client = try connect(address, on: loop)
            if hasBegun { try client.write([22, 3, 1, 2, 0, 1, 0]) }
            loop.run { acceptedSocketCount(onPort: address.port) == 1 }
            client.close()
            loop.run { acceptedSocketCount(onPort: address.port) == 0 }
            expectEqual(server.failures, (hasBegun ? [.endedDuringHandshake(peerHasAnswered: true)] : []))
            expectEmpty(server.refusals)
        }
    }

    @Test(
        "a client without the required certificate learns the reason", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func clientCertificate(version: Int32) throws {
        let authority = try TLSCertificateSource.selfSigned(names: [], nowSeconds: WallTime.now.seconds)
        let layers = try TLSLayers(server: { $0.clientTrust = .certificates(authority.chain) })
        wsx_ssl_ctx_set_versions(layers.client.context.handle, version, version)
        try withServer(layers: layers) { loop, server, layers, address in
            for _ in 0..<20 {
                let client = layers.makeClient(on: try connect(address, on: loop).stream)
                client.stream.startReading()
                // With TLS 1.3, the client sends its request before it receives the alert.
                client.send(pattern(300_000))
                client.stream.start()
                loop.run { client.recorder.lastWordCount > 0 || client.handshakeError != nil }
                expectEqual((client.recorder.tlsError ?? client.handshakeError), .clientCertificateRequired)
                client.close()
            }
            expectEqual(server.failures, Array(repeating: .clientSentNoCertificate, count: 20))
        }
    }

    @Test("closing a server drops clients in the TLS handshake and sends close frames to the others")
    func close() throws {
        try withServer { loop, server, layers, address in
            let waiting = try connect(address, on: loop)
            try waiting.write([22, 3, 1])
            let client = layers.makeClient(on: try connect(address, on: loop).stream)
            client.stream.start()
            client.stream.startReading()
            client.send(upgradeRequest)
            loop.run { server.server.connections.count == 1 }
            server.server.close(CloseFrame(code: .goingAway))
            loop.run { waiting.recorder.hasEnded && client.recorder.received.suffix(4) == closeFrame(1001)[...] }
            client.send(masked(closeFrame(1001)))
            loop.run { client.recorder.hasEnded }
            expectTrue(client.session.hasEnded)
            expectEmpty(server.failures)
            client.close()
            waiting.close()
            loop.run { server.server.connections.isEmpty }
            expectEqual(server.handlers.first?.end?.isClean, true)
        }
    }

    // MARK: Support

    private let upgradeRequest = Array(
        """
        GET /chat HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r

        """.utf8)

    /// Connects a TLS client and exchanges a message.
    private func exchange(_ loop: EventLoop, _ layers: TLSLayers, _ address: SocketAddress) throws {
        let client = layers.makeClient(on: try connect(address, on: loop).stream)
        client.stream.start()
        client.stream.startReading()
        client.send(upgradeRequest + masked(frame(0x81, "hello")))
        loop.run { client.recorder.received.suffix(7) == frame(0x81, "hello")[...] }
        client.close()
    }

    private func connect(_ address: SocketAddress, on loop: EventLoop) throws -> StreamEnd {
        var connected: SystemStream?
        _ = try SystemStream.connect(to: address, on: loop) { connected = try? $0.get() }
        loop.run { connected != nil }
        let end = StreamEnd(try #require(connected))
        end.stream.startReading()
        return end
    }

    private func withServer(
        layers: TLSLayers? = nil,
        _ body: (EventLoop, ServerFixture, TLSLayers, SocketAddress) throws -> Void
    ) throws {
        try withLoop { loop in
            let layers = try layers ?? TLSLayers()
            let server = ServerFixture(
                try ServerPolicy(), on: loop, tls: layers.server)
            server.handler = { $0.onMessage = echo }
            try body(loop, server, layers, try server.listen())
            server.server.close(CloseFrame(code: .goingAway))
            for connection in server.server.connections.values { connection.terminate() }
            loop.runOnce()
        }
    }
}
