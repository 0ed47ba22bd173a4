import Testing

@testable import WSCore

@Suite struct ConnectionPeerTests {
    typealias Peer = Connection<RecordingPeer>

    @Test("a peer that has gone ends the connection at once where all that it sent is for itself")
    func forfeiting() throws {
        try withHeldPeer(.init(role: .server, limits: Limits(), forfeitingReasons: .output)) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.stream.peerPresence == .isGone }
            connection.lookAfterPeer(probing: false)
            #expect(connection.handler.end?.failure.map { IOError(of: $0) } == .connectionReset)
            #expect(connection.handler.messageCount == 0)
        }
    }

    @Test("what a peer that has gone has sent is kept for others, unless whoever takes it has stopped to")
    func kept() throws {
        try withHeldPeer(.init(role: .server, limits: Limits())) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.stream.peerPresence == .isGone }
            connection.lookAfterPeer(probing: true)
            #expect(connection.handler.end == nil && connection.isLost)
            connection.handler.isStuck = true
            connection.lookAfterPeer(probing: false)
            #expect(connection.handler.end?.failure.map { IOError(of: $0) } == .connectionReset)
        }
        try withHeldPeer(.init(role: .server, limits: Limits())) { loop, connection, raw in
            raw.stream.close()
            loop.run { connection.stream.peerPresence == .isGone }
            connection.lookAfterPeer(probing: false)
            connection.resumeReading()
            loop.run { connection.handler.end != nil }
            #expect(connection.handler.events == [.text("held")])
        }
    }

    @Test("a probe is a ping, where the answers to a peer are its own or whoever takes its messages has stopped to")
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
                #expect(raw.recorder.received == frame(0x81, "unread") + ping + frame(0x81, "end"))
            }
        }
    }

    /// A connection that has sent something, and does not read what its peer has sent. Its peer has a text to be read, so
    /// that to close it resets the connection.
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
