import CAllocationCounter
import TestSupport
import Testing

@testable import WSCore

/// WebSocket connections on TLS streams.
@Suite struct ConnectionTLSTests {
    @Test("messages of 1 MiB are echoed, and the closing handshake is clean", arguments: Transport.allCases)
    func echoing(transport: Transport) throws {
        try withConnections(transport) { loop, client, server in
            server.handler.onMessage = echo
            client.handler.remembersMessages = false
            let message = pattern(1 << 20)
            var equalCount = 0
            client.handler.onMessage = { _, payload, _ in
                if areEqual(bytes(of: payload), message) { equalCount += 1 }
            }
            for _ in 0..<8 { client.send(message) }
            loop.run(within: .seconds(30)) { client.handler.messageCount == 8 }
            expectEqual(equalCount, 8)
            client.close(CloseFrame(code: .normalClosure, reason: "bye"))
            loop.run { client.handler.end != nil && server.handler.end != nil }
            for handler in [client.handler, server.handler] {
                expectEqual(handler.end?.isClean, true)
                expectNil(handler.end?.failure)
                expectEqual(handler.endCount, 1)
            }
        }
    }

    @Test("the server can start the closing handshake")
    func serverCloses() throws {
        try withConnections(.tcp) { loop, client, server in
            server.send(pattern(3 << 20))
            server.close(CloseFrame(code: .goingAway))
            loop.run { client.handler.end != nil && server.handler.end != nil }
            expectEqual(client.handler.messageCount, 1)
            #expect(client.handler.end?.isClean == true && server.handler.end?.isClean == true)
        }
    }

    @Test("a violation is answered with a close frame even if more input is in flight")
    func violation() throws {
        try withTLSPair(.tcp) { loop, client, server in
            let connection = Connection(
                server.stream, settings: .init(role: .server, limits: .server),
                resources: ConnectionResources(on: loop), handler: RecordingPeer())
            connection.start()
            client.stream.startReading()
            // RFC 6455 §5.1: clients must mask their frames.
            client.send(frame(0x81, "unmasked") + pattern(500_000))
            loop.run { client.recorder.hasEnded }
            expectEqual(client.recorder.received.prefix(1), [0x88])
            expectNil(client.recorder.readError)
            client.close()
            loop.run { connection.handler.end != nil }
            expectNotNil(connection.handler.end?.violation)
        }
    }

    @Test("a peer that pauses between messages receives all of them")
    func pausing() throws {
        try withConnections(.socketPair) { loop, client, server in
            server.handler.remembersMessages = false
            server.handler.onMessage = { connection, _, _ in connection.pauseReading() }
            for _ in 0..<50 { client.send(pattern(10_000)) }
            loop.run {
                server.resumeReading()
                return server.handler.messageCount == 50
            }
        }
    }

    @Test(
        "echoing 2,000 messages over TLS allocates only OpenSSL's memory per record",
        .enabled(
            if: allocation_counter_is_available(), "allocations can be counted only with glibc and without a sanitizer")
    )
    func allocations() throws {
        try withConnections(.socketPair) { loop, client, server in
            server.handler.onMessage = echo
            server.handler.remembersMessages = false
            client.handler.remembersMessages = false
            var remaining = 100
            client.handler.onMessage = { connection, payload, kind in
                remaining -= 1
                if remaining > 0 { connection.send(payload, as: kind) } else { loop.stop() }
            }
            client.send("20 bytes of message!")
            loop.run()
            remaining = 2000
            client.send("20 bytes of message!")
            allocation_counter_start()
            loop.run()
            let count = allocation_counter_stop()
            expectEqual(remaining, 0)
            // TLSAllocationTests measures 7 per record. Each message is one record in each direction.
            #expect(count <= 7 * 2 * 2000)
        }
    }

    @Test("messages and a close frame that arrive with close_notify are answered", arguments: [true, false])
    func endWithLastFrames(isViolation: Bool) throws {
        try withTLSPair(.tcp) { loop, client, server in
            let connection = Connection(
                server.stream, settings: .init(role: .server, limits: .server),
                resources: ConnectionResources(on: loop), handler: RecordingPeer())
            connection.handler.onMessage = echo
            connection.start()
            client.stream.startReading()
            client.send(
                masked(frame(0x81, "last")) + (isViolation ? frame(0x81, "unmasked") : masked(closeFrame(1000))))
            client.stream.shutdown()
            loop.run { client.recorder.hasEnded && connection.handler.end != nil }
            let received = client.recorder.received
            expectEqual(received.prefix(6), frame(0x81, "last")[...])
            expectEqual(received.dropFirst(6).first, 0x88)
            expectNil(connection.handler.end?.failure)
            expectEqual(connection.handler.end?.isClean, !isViolation)
            client.close()
        }
    }

    private typealias Peer = Connection<RecordingPeer>

    private func withConnections(_ transport: Transport, _ body: (EventLoop, Peer, Peer) throws -> Void) throws {
        try withTLSPair(transport) { loop, client, server in
            let resources = ConnectionResources(on: loop)
            let near = Connection(
                client.stream, settings: .init(role: .client, limits: .client), resources: resources,
                handler: RecordingPeer())
            let far = Connection(
                server.stream, settings: .init(role: .server, limits: .server, pausesReadingWhenFull: true),
                resources: resources, handler: RecordingPeer())
            near.start()
            far.start()
            try body(loop, near, far)
            near.terminate()
            far.terminate()
        }
    }
}
