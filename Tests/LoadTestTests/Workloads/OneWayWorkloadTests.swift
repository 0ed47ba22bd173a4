import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct OneWayWorkloadTests {
    private static let start = LoadFixture.start

    @Test("send: a connection that accepts everything leaves the others their turn")
    func turns() throws {
        let fixture = LoadFixture(.send)
        fixture.workload.sendDue()
        expectEqual(fixture.tally.sent, 256)
        expectEqual(fixture.host.requests, ["fill 0"])
        fixture.context.fill(try fixture.connection(0, as: SendConnection.self))
        expectEqual(fixture.tally.sent, 512)
    }

    @Test("send: a full connection is skipped, and a message count ends the load")
    func limits() throws {
        let fixture = LoadFixture(.send)
        try fixture.port().room = 5
        fixture.workload.sendDue()
        expectEqual(fixture.tally.sent, 5)
        expectEqual(fixture.host.requests, [])
        let counted = LoadFixture(.send) { $0.messageCount = 3 }
        counted.workload.sendDue()
        counted.context.drainIfSent()
        expectEqual(counted.tally.sent, 3)
        expectEqual(counted.host.requests, ["drain"])
    }

    @Test("send: messages contain their numbers")
    func numbers() throws {
        let fixture = LoadFixture(.send) { $0.messageCount = 2 }
        fixture.workload.sendDue()
        let digits = try fixture.port().sent.map { String(decoding: $0.prefix(8), as: UTF8.self) }
        expectEqual(digits, ["00000000", "00000001"])
    }

    @Test("receive: each connection sends the given messages first, and nothing else")
    func asking() throws {
        let fixture = LoadFixture(.receive) {
            $0.messages.templates = [Template(literal: [0x61]), Template(literal: [0x62])]
        }
        fixture.workload.sendDue()
        try expectEqual(fixture.port().sent, [[0x61], [0x62]])
        expectEqual(fixture.tally.sent, 2)
    }

    @Test("Without a duration, a load is stuck if no connection accepts anything for the reply timeout")
    func standstill() throws {
        let fixture = LoadFixture(.send) {
            $0.duration = nil
            $0.messageCount = 10
        }
        try fixture.port().room = 5
        fixture.workload.sendDue()
        var detector = StandstillDetector()
        var checks = [detector.check(fixture.context)]
        fixture.context.now += 10_000_000_000
        checks.append(detector.check(fixture.context))
        try fixture.port().unsentBytes = 1
        checks.append(detector.check(fixture.context))
        expectEqual(checks, [false, true, false])
    }
}
