import CAllocationCounter
import TestSupport
import Testing

@testable import WSCore

@Suite(
    .enabled(
        if: allocation_counter_is_available(), "allocations can be counted only with glibc and without a sanitizer"))
struct ConnectionAllocationTests {
    @Test("echoing 2,000 messages over a socket does not allocate", arguments: Transport.allCases)
    func echoing(transport: Transport) throws {
        try withLoop { loop in
            let (near, far) = try makeStreamPair(transport, on: loop)
            let resources = ConnectionResources(on: loop)
            let message = Array("20 bytes of message!".utf8)
            let client = Connection(
                near, settings: .init(role: .client, limits: .client), resources: resources,
                handler: PingPong())
            let server = Connection(
                far, settings: .init(role: .server, limits: .server, pausesReadingWhenFull: true), resources: resources,
                handler: PingPong())
            client.start()
            server.start()
            client.handler.remaining = 100
            message.withUnsafeBytes { _ = client.send($0.bytes, as: .text) }
            loop.run { client.handler.remaining == 0 }
            // The handler stops the loop, because a timer in the test would allocate.
            client.handler.remaining = 2000
            client.handler.loop = loop
            message.withUnsafeBytes { _ = client.send($0.bytes, as: .text) }
            allocation_counter_start()
            loop.run()
            let count = allocation_counter_stop()
            expectEqual(client.handler.remaining, 0)
            // What happens once per second may allocate, and a slow machine takes seconds.
            #expect(count < 100)
            client.terminate()
            server.terminate()
            loop.runOnce()
        }
    }
}

/// Echoes a number of messages.
private final class PingPong: ConnectionHandler {
    var remaining = Int.max
    var loop: EventLoop?

    func connection(_ connection: Connection<PingPong>, received payload: RawSpan, as kind: MessageKind) {
        remaining -= 1
        if remaining == 0 {
            loop?.stop()
        } else {
            connection.send(payload, as: kind)
        }
    }

    func connection(_ connection: Connection<PingPong>, didEnd end: ConnectionEnd) {}
}
