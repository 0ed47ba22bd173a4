import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct LoadContextTests {
    private static let start = LoadFixture.start
    private static let second: UInt64 = 1_000_000_000

    @Test("With a ramp, connections start to send one after another")
    func ramp() throws {
        let fixture = LoadFixture(.echo, connected: [0, 1]) {
            $0.connections.count = 2
            $0.pace.ramp = .seconds(2)
        }
        fixture.workload.sendDue()
        try expectEqual([fixture.port(0).sent.count, fixture.port(1).sent.count], [1, 0])
        expectEqual(fixture.host.requests, ["wake \(Self.start + Self.second)"])
        fixture.context.now = Self.start + Self.second
        fixture.workload.sendDue()
        try expectEqual([fixture.port(0).sent.count, fixture.port(1).sent.count], [1, 1])
    }

    @Test("A due message waits for room, and its latency counts from its due time")
    func room() throws {
        let fixture = LoadFixture(.echo) { $0.pace.rate = .constant(1) }
        try fixture.port().room = 1
        fixture.context.now = Self.start + 2 * Self.second
        fixture.workload.sendDue()
        let connection: EchoConnection = try fixture.connection(0)
        expectEqual(fixture.tally.sent, 1)
        expectEqual(connection.backlog, [Self.start + Self.second, Self.start + 2 * Self.second])
        try fixture.port().room = 2
        fixture.context.drained(connection)
        expectEqual(fixture.tally.sent, 2)
        expectEqual(connection.ledger.sendTime(of: 1), Self.start + Self.second)
    }

    @Test("Messages waiting on a closed connection, or due when the run is cut short, stay unsent")
    func unsent() throws {
        let fixture = LoadFixture(.echo, connected: [0, 1]) {
            $0.connections.count = 2
            $0.pace.rate = .constant(2)
        }
        try fixture.port(0).room = 0
        fixture.workload.sendDue()
        fixture.context.forget(try fixture.connection(0, as: EchoConnection.self))
        expectEqual(fixture.tally.unsent, 1)
        expectEqual(fixture.context.senders.map(\.number), [1])
        fixture.context.now = Self.start + 2 * Self.second
        fixture.context.endSending(isCutShort: true)
        expectEqual(fixture.tally.unsent, 4)
        expectEqual(fixture.host.requests.last, "all is sent")
    }

    @Test("The rest of a number of messages is unsent if no connection is left", arguments: [(false, 7), (true, 0)])
    func unsentRest(isCutShort: Bool, count: Int) throws {
        let fixture = LoadFixture(.request) {
            $0.duration = nil
            $0.messageCount = 8
            $0.messages.templates = [Template(literal: Array("a".utf8))]
        }
        fixture.workload.sendDue()
        expectEqual(fixture.tally.sent, 1)
        fixture.context.endSending(isCutShort: isCutShort)
        expectEqual(fixture.tally.unsent, count)
        fixture.context.endSending(isCutShort: isCutShort)
        expectEqual(fixture.tally.unsent, count)
    }

    @Test("Messages of the warm-up are sent but not counted")
    func warmup() throws {
        let fixture = LoadFixture(.echo) {
            $0.warmup = .seconds(1)
            $0.messageCount = 1
        }
        fixture.workload.sendDue()
        try expectEqual(fixture.port().sent.count, 1)
        #expect((fixture.tally.sent, fixture.context.remainingMessages) == (0, 1))
    }

    @Test("Each completed second is part of the progress once")
    func progress() throws {
        let fixture = LoadFixture(.echo)
        fixture.workload.sendDue()
        expectEmpty(fixture.context.takeProgress(at: Self.start).seconds)
        fixture.context.now += 500
        fixture.context.measurement.answered(on: 0, sentAt: Self.start, now: fixture.context.now)
        let progress = fixture.context.takeProgress(at: Self.start + Self.second)
        #expect((progress.tally.sent, progress.tally.received, progress.openCount) == (1, 1, 1))
        expectEqual(progress.seconds.map(\.latencies.maximum), [500])
        expectEmpty(fixture.context.takeProgress(at: Self.start + Self.second).seconds)
    }

    @Test("Seconds that were not taken are kept when the progress is updated")
    func keptProgress() {
        var progress = LoadProgress()
        for count in 1...2 {
            var tally = LoadTally()
            tally.received = count
            let second = BenchSecond(sent: count, received: 0, latencies: Histogram())
            progress.update(LoadProgress(tally, openCount: count, seconds: [second]))
        }
        let taken = progress.take()
        #expect((taken.tally.received, taken.openCount, taken.seconds.map(\.sent)) == (2, 2, [1, 2]))
        expectEmpty(progress.take().seconds)
    }

    @Test("Bytes received after the measured time are no part of the byte rate")
    func byteRate() throws {
        let fixture = LoadFixture(.echo)
        try fixture.port().receivedTraffic = Traffic(messageBytes: 100)
        fixture.context.endCountingBytes()
        fixture.context.now = Self.start + 10 * Self.second
        fixture.context.endSending(isCutShort: false)
        fixture.context.endCountingBytes()
        try fixture.port().receivedTraffic = Traffic(messageBytes: 900)
        fixture.context.endCountingBytes()
        expectEqual(fixture.tally.loadTraffic.received.messageBytes, 100)
    }
}
