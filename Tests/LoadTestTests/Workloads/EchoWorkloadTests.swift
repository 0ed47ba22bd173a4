import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct EchoWorkloadTests {
    private static let start = LoadFixture.start

    /// Passes the message with this number, or other data of its size, to a connection.
    private func receive(_ number: UInt64, isDamaged: Bool = false, on connection: EchoConnection) {
        var message = EchoMessage(byteCount: 20)
        message.set(EchoMessage.Stamp(number: number, connection: connection.number, time: 0))
        var bytes = message.withBytes { span in span.withUnsafeBytes { Array($0) } }
        if isDamaged { bytes[19] ^= 1 }
        bytes.withUnsafeBytes { connection.receive($0.bytes, as: .text) }
    }

    @Test("A closed loop sends as many messages as may be in flight")
    func closedLoop() throws {
        let fixture = LoadFixture(.echo) { $0.pace.inFlight = 3 }
        fixture.workload.sendDue()
        try expectEqual(fixture.port().sent.count, 3)
        expectEqual(fixture.tally.sent, 3)
        fixture.workload.sendDue()
        try expectEqual(fixture.port().sent.count, 3)
    }

    @Test("A reply has a latency and triggers the next message")
    func reply() throws {
        let fixture = LoadFixture(.echo, connected: [3])
        let connection: EchoConnection = try fixture.connection(3)
        fixture.workload.sendDue()
        fixture.context.now = Self.start + 1500
        receive(0, on: connection)
        #expect((fixture.tally.received, fixture.tally.sent) == (1, 2))
        expectEqual(connection.ledger.inFlightCount, 1)
        try expectEqual(fixture.port(3).sent.count, 2)
        expectEqual(fixture.largestLatency(), 1500)
    }

    @Test("The warm-up has as many messages in flight as the load, even if fewer are counted")
    func warmup() throws {
        let fixture = LoadFixture(.echo) {
            $0.warmup = .seconds(1)
            $0.messageCount = 1
            $0.pace.inFlight = 3
        }
        let connection: EchoConnection = try fixture.connection(0)
        connection.ledger.send(at: Self.start)
        receive(0, on: connection)
        try expectEqual(fixture.port().sent.count, 3)
    }

    @Test("A damaged reply is counted, and triggers the next message, too")
    func damage() throws {
        let fixture = LoadFixture(.echo)
        let connection: EchoConnection = try fixture.connection(0)
        connection.ledger.send(at: Self.start)
        receive(0, isDamaged: true, on: connection)
        #expect((fixture.tally.received, fixture.tally.mismatched) == (0, 1))
        try expectEqual(fixture.port().sent.count, 1)
    }

    @Test("In an open loop, and after everything was sent, a reply triggers nothing")
    func nothingFollows() throws {
        for isOpenLoop in [true, false] {
            let fixture = LoadFixture(.echo) { $0.pace.rate = isOpenLoop ? .constant(1) : nil }
            if !isOpenLoop { fixture.context.phase = .draining }
            let connection: EchoConnection = try fixture.connection(0)
            connection.ledger.send(at: Self.start)
            receive(0, on: connection)
            #expect((fixture.tally.received, fixture.tally.sent) == (1, 0))
            try expectEmpty(fixture.port().sent)
            expectEqual(fixture.host.requests, (isOpenLoop ? [] : ["close if answered"]))
        }
    }

    @Test("With a message count, the last reply ends the load")
    func lastReply() throws {
        let fixture = LoadFixture(.echo) { $0.messageCount = 1 }
        let connection: EchoConnection = try fixture.connection(0)
        fixture.workload.sendDue()
        receive(0, on: connection)
        try expectEqual(fixture.port().sent.count, 1)
        expectEqual(fixture.host.requests, ["drain"])
    }

    @Test("Reordered and duplicate replies are counted")
    func order() throws {
        let fixture = LoadFixture(.echo)
        let connection: EchoConnection = try fixture.connection(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        for number: UInt64 in [1, 0, 2, 2] { receive(number, on: connection) }
        let tally = fixture.tally
        #expect((tally.received, tally.reordered, tally.duplicated, tally.mismatched) == (3, 1, 1, 0))
    }

    @Test("Late replies time out and are replaced by other messages")
    func late() throws {
        let fixture = LoadFixture(.echo) { $0.pace.inFlight = 2 }
        fixture.workload.sendDue()
        fixture.context.now = Self.start + 5000
        fixture.context.giveUpReplies(before: Self.start + 1)
        expectEqual(fixture.tally.errors[.timeout], 2)
        try expectEqual(fixture.port().sent.count, 4)
    }

    @Test("A missing reply is a timeout after its time limit, and lost with its connection")
    func missing() throws {
        let fixture = LoadFixture(.echo)
        let connection: EchoConnection = try fixture.connection(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        expectFalse(fixture.workload.isAnswered)
        fixture.workload.stopWaiting(isLate: false)
        expectEqual(fixture.tally.errors[.timeout], 0)
        fixture.workload.stopWaiting(isLate: true)
        expectEqual(fixture.tally.errors[.timeout], 3)
        fixture.workload.ended(connection)
        expectEqual(fixture.tally.lost, 3)
    }

    @Test("Without the wait for room, a latency is a service time, also after a timeout")
    func waits() throws {
        let fixture = LoadFixture(.echo) { $0.pace.rate = .constant(10) }
        let connection: EchoConnection = try fixture.connection(0)
        let port = try fixture.port()
        port.room = 1
        fixture.context.now = Self.start + 200_000_000
        fixture.workload.sendDue()
        #expect((fixture.tally.sent, fixture.tally.waited) == (1, 2))
        port.room = 3
        fixture.context.now = Self.start + 500_000_000
        fixture.context.drained(connection)
        fixture.context.now = Self.start + 600_000_000
        receive(0, on: connection)
        receive(1, on: connection)
        // The messages were due after 0, 100, and 200 ms, and the last two were sent after 500 ms.
        #expect(fixture.context.measurement.times[.service].totalCount == 2)
        #expect(fixture.context.measurement.times[.service].minimum == 100_000_000)
        #expect(fixture.context.measurement.times[.service].maximum == 600_000_000)
        fixture.context.giveUpReplies(before: Self.start + 300_000_000)
        receive(2, on: connection)
        #expect((fixture.tally.received, fixture.tally.errors[.timeout]) == (3, 1))
        // A late reply has its service time, too.
        #expect(fixture.context.measurement.times[.service].totalCount == 3)
        #expect(fixture.context.measurement.times[.service].minimum == 100_000_000)
    }
}
