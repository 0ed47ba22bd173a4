import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct IdleWorkloadTests {
    private static let start = LoadFixture.start

    @Test("Each connection sends a ping per heartbeat, and all pings are evenly spaced")
    func pings() throws {
        let fixture = LoadFixture(.idle, connected: [0, 1]) {
            $0.connections.count = 2
            $0.pace.heartbeat = .seconds(2)
        }
        fixture.context.now = Self.start + 2_000_000_000
        fixture.workload.sendDue()
        try expectEqual([fixture.port(0).sent.count, fixture.port(1).sent.count], [2, 1])
        #expect(try fixture.port().sent.allSatisfy { $0.count == 16 })
        expectEqual(fixture.host.requests, ["wake \(Self.start + 3_000_000_000)"])
    }

    @Test("RFC 6455 §5.5.3: a pong answers earlier pings, and an unsolicited one answers none")
    func pongs() throws {
        let fixture = LoadFixture(.idle)
        let connection: IdleConnection = try fixture.connection(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        var message = EchoMessage(byteCount: 16)
        for (number, count) in [(1, 2), (7, 2), (2, 3)] as [(UInt64, Int)] {
            message.set(EchoMessage.Stamp(number: number, connection: 0, time: 0))
            message.withBytes { connection.receivePong($0) }
            expectEqual(fixture.tally.received, count)
        }
        expectTrue(fixture.tally.isFlawless)
    }

    @Test("Open connections are not pinged more often if others failed to open")
    func missing() throws {
        let fixture = LoadFixture(.idle, connected: [0]) {
            $0.connections.count = 10
            $0.pace.heartbeat = .seconds(1)
        }
        fixture.context.now = Self.start + 3_500_000_000
        fixture.workload.sendDue()
        try expectEqual(fixture.port(0).sent.count, 4)
    }
}
