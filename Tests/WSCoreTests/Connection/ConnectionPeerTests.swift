import TestSupport
import Testing

@testable import WSCore

@Suite struct ConnectionPeerTests {
    typealias Peer = Connection<RecordingPeer>

    @Test("a dead peer ends the connection immediately if its messages concern only itself")
    func forfeiting() throws {
        try withHeldPeer(.init(role: .server, limits: Limits(), forfeitingReasons: .output)) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.stream.peerPresence == .isGone }
            connection.lookAfterPeer(probing: false)
            expectEqual(connection.handler.end?.failure.map { IOError(of: $0) }, .connectionReset)
            expectEqual(connection.handler.messageCount, 0)
        }
    }

    @Test("messages from a dead peer are kept for others unless their consumer is stuck")
    func kept() throws {
        try withHeldPeer(.init(role: .server, limits: Limits())) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.stream.peerPresence == .isGone }
            connection.lookAfterPeer(probing: true)
            #expect(connection.handler.end == nil && connection.isLost)
            connection.handler.isStuck = true
            connection.lookAfterPeer(probing: false)
            expectEqual(connection.handler.end?.failure.map { IOError(of: $0) }, .connectionReset)
        }
        try withHeldPeer(.init(role: .server, limits: Limits())) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.stream.peerPresence == .isGone }
            connection.lookAfterPeer(probing: false)
            connection.resumeReading()
            loop.run { connection.handler.end != nil }
            expectEqual(connection.handler.events, [.text("held")])
        }
    }

    @Test("a probe sends a ping only if replies go to the peer alone or the consumer is stuck")
    func probe() throws {
        for (pausesReadingWhenFull, isStuck) in [(true, false), (false, true), (false, false)] {
            let settings = Peer.Settings(
                role: .server, limits: Limits(), pausesReadingWhenFull: pausesReadingWhenFull)
            try withHeldPeer(settings) { loop, connection, raw in
                connection.handler.isStuck = isStuck
                raw.stream.startReading()
                connection.lookAfterPeer(probing: false)
                connection.lookAfterPeer(probing: true)
                connection.send("end")
                loop.run { raw.recorder.received.suffix(5) == frame(0x81, "end") }
                let ping = pausesReadingWhenFull || isStuck ? frame(0x89) : []
                expectEqual(raw.recorder.received, frame(0x81, "unread") + ping + frame(0x81, "end"))
            }
        }
    }

    /// Creates a connection that has sent a message and does not read the peer's. The peer has unread input, so closing
    /// it resets the connection.
    private func withHeldPeer(_ settings: Peer.Settings, _ body: (EventLoop, Peer, StreamEnd) throws -> Void) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let raw = StreamEnd(far)
            let connection = Connection(
                near, settings: settings, resources: ConnectionResources(on: loop), handler: RecordingPeer())
            connection.start()
            connection.pauseReading()
            connection.send("unread")
            try raw.write(masked(frame(0x81, "held")))
            loop.run { raw.stream.hasUnreadBytes && connection.stream.hasUnreadBytes }
            defer {
                connection.terminate()
                raw.close()
                loop.runOnce()
            }
            try body(loop, connection, raw)
        }
    }
}
