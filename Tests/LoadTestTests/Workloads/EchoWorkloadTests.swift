import Testing
import WSCore

@testable import LoadTest

@Suite struct EchoWorkloadTests {
    private static let start = LoadFixture.start

    /// Has a connection receive the message of a number, or something else of its size.
    private func receive(
        _ number: UInt64, isDamaged: Bool = false, on connection: EchoConnection, outbox: inout Outbox
    ) {
        var message = EchoMessage(byteCount: 20)
        message.set(EchoMessage.Stamp(number: number, connection: connection.number, time: 0))
        var bytes = message.withBytes { span in span.withUnsafeBytes { Array($0) } }
        if isDamaged { bytes[19] ^= 1 }
        bytes.withUnsafeBytes { connection.receive($0.bytes, as: .text, outbox: &outbox) }
    }

    @Test("a closed loop sends as many messages as may be in flight")
    func closedLoop() throws {
        let fixture = LoadFixture(.echo) { $0.inFlight = 3 }
        fixture.workload.goOn()
        #expect(try fixture.port().sent.count == 3)
        #expect(fixture.tally.sent == 3)
        fixture.workload.goOn()
        #expect(try fixture.port().sent.count == 3)
    }

    @Test("a reply has a latency, and is followed by the next message")
    func reply() throws {
        let fixture = LoadFixture(.echo, connected: [3])
        let connection: EchoConnection = try fixture.connection(3)
        fixture.workload.goOn()
        var outbox = LoadFixture.makeOutbox()
        fixture.context.now = Self.start + 1500
        receive(0, on: connection, outbox: &outbox)
        #expect((fixture.tally.received, fixture.tally.sent) == (1, 2))
        #expect(connection.ledger.inFlightCount == 1)
        #expect(outbox.bytes.count == 26)
        #expect(fixture.largestLatency() == 1500)
    }

    @Test("a damaged reply is counted, and followed by the next message, too")
    func damage() throws {
        let fixture = LoadFixture(.echo)
        let connection: EchoConnection = try fixture.connection(0)
        connection.ledger.send(at: Self.start)
        var outbox = LoadFixture.makeOutbox()
        receive(0, isDamaged: true, on: connection, outbox: &outbox)
        #expect((fixture.tally.received, fixture.tally.mismatched) == (0, 1))
        #expect(outbox.bytes.count == 26)
    }

    @Test("in an open loop a reply has nothing sent, nor has one that comes when all is sent")
    func nothingFollows() throws {
        for isOpenLoop in [true, false] {
            let fixture = LoadFixture(.echo) { $0.rate = isOpenLoop ? 1 : nil }
            if !isOpenLoop { fixture.context.phase = .draining }
            let connection: EchoConnection = try fixture.connection(0)
            connection.ledger.send(at: Self.start)
            var outbox = LoadFixture.makeOutbox()
            receive(0, on: connection, outbox: &outbox)
            #expect((fixture.tally.received, fixture.tally.sent) == (1, 0))
            #expect(outbox.bytes.isEmpty == true)
            #expect(fixture.host.requests == (isOpenLoop ? [] : ["close if answered"]))
        }
    }

    @Test("the last reply of a number of messages ends the load")
    func lastReply() throws {
        let fixture = LoadFixture(.echo) { $0.messageCount = 1 }
        let connection: EchoConnection = try fixture.connection(0)
        fixture.workload.goOn()
        var outbox = LoadFixture.makeOutbox()
        receive(0, on: connection, outbox: &outbox)
        #expect(outbox.bytes.isEmpty == true)
        #expect(fixture.host.requests == ["drain"])
    }

    @Test("reordered and doubled replies are counted as such")
    func order() throws {
        let fixture = LoadFixture(.echo)
        let connection: EchoConnection = try fixture.connection(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        var outbox = LoadFixture.makeOutbox()
        for number: UInt64 in [1, 0, 2, 2] { receive(number, on: connection, outbox: &outbox) }
        let tally = fixture.tally
        #expect((tally.received, tally.reordered, tally.duplicated, tally.mismatched) == (3, 1, 1, 0))
    }

    @Test("replies that are late are given up, and followed by other messages")
    func late() throws {
        let fixture = LoadFixture(.echo) { $0.inFlight = 2 }
        fixture.workload.goOn()
        fixture.context.now = Self.start + 5000
        fixture.context.giveUpReplies(before: Self.start + 1)
        #expect(fixture.tally.timeouts == 2)
        #expect(try fixture.port().sent.count == 4)
    }

    @Test("a missing reply is late when its time is over, and lost with its connection")
    func missing() throws {
        let fixture = LoadFixture(.echo)
        let connection: EchoConnection = try fixture.connection(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        #expect(!fixture.workload.isAnswered)
        fixture.workload.stopWaiting(isLate: false)
        #expect(fixture.tally.timeouts == 0)
        fixture.workload.stopWaiting(isLate: true)
        #expect(fixture.tally.timeouts == 3)
        fixture.workload.ended(connection)
        #expect(fixture.tally.lost == 3)
    }
}
