import TestSupport
import Testing

@testable import WSCore

@Suite struct HeartbeatTimerTests {
    typealias Peer = Connection<RecordingPeer>
    typealias Beat = HeartbeatTimer<RecordingPeer>

    /// The events a timer has reported.
    private final class Log {
        var pings: [[UInt8]] = []
        var messages: [[UInt8]] = []
        var silence: Duration?

        func take(_ event: Beat.Event) {
            switch event {
            case .sentPing(let payload): pings.append(payload)
            case .sentMessage(let message): messages.append(message)
            case .lost(let silence): self.silence = silence
            }
        }
    }

    @Test("pings are sent and pongs report the round-trip time")
    func pings() throws {
        try withPeers { loop, client, _, log in
            let timer = Beat(Beat.Settings(interval: .milliseconds(10)), of: client, report: log.take)
            loop.run { client.handler.events.count == 3 }
            expectEqual(
                log.pings.prefix(3),
                [
                    Array("heartbeat 1".utf8), Array("heartbeat 2".utf8), Array("heartbeat 3".utf8),
                ])
            expectEqual(client.handler.events, log.pings.prefix(3).map { .pong($0) })
            let roundTrip = try #require(Array("heartbeat 3".utf8).withUnsafeBytes { timer.pongReceived($0.bytes) })
            #expect(.zero < roundTrip && roundTrip < .seconds(5))
            expectNil(log.silence)
        }
    }

    @Test("messages can differ, and one that cannot be created is skipped")
    func changingMessages() throws {
        try withPeers { loop, client, server, log in
            let settings = Beat.Settings(interval: .milliseconds(10), maximumMisses: 1_000, message: Array("beat".utf8))
            let timer = Beat(settings, of: client, report: log.take)
            var count = 0
            timer.nextMessage = {
                count += 1
                return count == 2 ? nil : Array("beat \(count)".utf8)
            }
            loop.run { server.handler.events.count >= 2 }
            withExtendedLifetime(timer) {}
            expectEqual(server.handler.events.prefix(2), [.text("beat 1"), .text("beat 3")])
        }
    }

    @Test("a message can replace the ping")
    func messages() throws {
        try withPeers { loop, client, server, log in
            let settings = Beat.Settings(interval: .milliseconds(10), maximumMisses: 1_000, message: Array("beat".utf8))
            let timer = Beat(settings, of: client, report: log.take)
            loop.run { server.handler.events.count >= 2 }
            withExtendedLifetime(timer) {}
            expectEqual(server.handler.events.prefix(2), [.text("beat"), .text("beat")])
            #expect(log.messages.count >= 2)
            expectEmpty(log.pings)
        }
    }

    @Test("a silent peer is considered dead after the misses, and no more pings are sent")
    func loss() throws {
        try withPeers { loop, client, server, log in
            server.pauseReading()
            let settings = Beat.Settings(interval: .seconds(20), maximumMisses: 2)
            let timer = Beat(settings, of: client, report: log.take)
            loop.advance { log.silence != nil }
            loop.advance(by: .seconds(60))
            withExtendedLifetime(timer) {}
            expectEqual(log.pings.count, 2)
            #expect(log.silence ?? .zero >= .seconds(60))
        }
    }

    @Test("after the machine slept, a peer has another interval to show that it is alive", arguments: [false, true])
    func sleep(isAlive: Bool) throws {
        try withPeers { loop, client, server, log in
            if !isAlive { server.pauseReading() }
            let settings = Beat.Settings(interval: .seconds(20), maximumMisses: 1)
            let timer = Beat(settings, of: client, report: log.take)
            loop.advance { log.pings.count == 1 }
            loop.simulation.skippedNanoseconds += 3_600_000_000_000
            loop.advance { log.pings.count == 2 }
            expectNil(log.silence)
            loop.advance { isAlive ? log.pings.count == 4 : log.silence != nil }
            withExtendedLifetime(timer) {}
            expectEqual(log.pings.count, (isAlive ? 4 : 2))
            expectEqual((log.silence ?? .zero >= .seconds(3_640)), !isAlive)
        }
    }

    @Test("a closing connection sends no heartbeats")
    func closing() throws {
        try withPeers { loop, client, server, log in
            server.pauseReading()
            let settings = Beat.Settings(interval: .milliseconds(5), maximumMisses: 1)
            let timer = Beat(settings, of: client, report: log.take)
            client.close(CloseFrame(code: .normalClosure))
            expectTrue(client.isClosing)
            loop.advance(by: .milliseconds(50))
            withExtendedLifetime(timer) {}
            expectEmpty(log.pings)
            expectNil(log.silence)
        }
    }

    private func withPeers(_ body: (EventLoop, Peer, Peer, Log) throws -> Void) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(on: loop)
            let resources = ConnectionResources(on: loop)
            let client = Peer(
                near, settings: Peer.Settings(role: .client, limits: Limits()), resources: resources,
                handler: RecordingPeer())
            let server = Peer(
                far, settings: Peer.Settings(role: .server, limits: Limits()), resources: resources,
                handler: RecordingPeer())
            client.start()
            server.start()
            defer {
                client.terminate()
                server.terminate()
                loop.runOnce()
            }
            try body(loop, client, server, Log())
        }
    }
}
