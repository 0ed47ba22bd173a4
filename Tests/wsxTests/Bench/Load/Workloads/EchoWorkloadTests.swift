import Testing
import WSCore

@testable import wsx

@Suite struct EchoWorkloadTests {
    private static let start = WorkloadFixture.start

    /// Has a connection receive the message of a number, or something else of its size.
    private func receive(
        _ number: UInt64, isDamaged: Bool = false, on connection: LoadConnection, _ fixture: borrowing WorkloadFixture,
        outbox: inout Outbox
    ) {
        guard case .echoes(let workload) = fixture.worker.workload.receiver else {
            Issue.record("messages are no echoes")
            return
        }
        var message = EchoMessage(byteCount: 20)
        message.set(EchoMessage.Stamp(number: number, connection: connection.number, time: 0))
        var bytes = message.withBytes { span in span.withUnsafeBytes { Array($0) } }
        if isDamaged { bytes[19] ^= 1 }
        bytes.withUnsafeBytes {
            workload.takeUnretainedValue().received(
                $0.bytes, as: .text, by: connection, for: fixture.worker, outbox: &outbox)
        }
    }

    @Test("a reply has a latency, and is followed by the next message")
    func reply() throws {
        let fixture = try WorkloadFixture(.echo)
        let connection = fixture.connect(3)
        connection.ledger.send(at: Self.start)
        var outbox = fixture.outbox
        fixture.worker.now = Self.start + 1500
        receive(0, on: connection, fixture, outbox: &outbox)
        #expect(fixture.worker.measurement.tally.received == 1)
        fixture.worker.measurement.finish(at: fixture.worker.now)
        #expect(fixture.worker.measurement.latencies.total.maximum == 1500)
        #expect(fixture.worker.measurement.tally.sent == 1)
        #expect(connection.ledger.inFlightCount == 1)
        #expect(outbox.bytes.count == 26)
    }

    @Test("what came damaged is counted, and followed by the next message, too")
    func damage() throws {
        let fixture = try WorkloadFixture(.echo)
        let connection = fixture.connect(0)
        connection.ledger.send(at: Self.start)
        var outbox = fixture.outbox
        receive(0, isDamaged: true, on: connection, fixture, outbox: &outbox)
        #expect(fixture.worker.measurement.tally.mismatched == 1)
        #expect(fixture.worker.measurement.tally.received == 0)
        #expect(outbox.bytes.count == 26)
    }

    @Test("in an open loop a reply has nothing sent, nor has one that comes when all is sent")
    func nothingFollows() throws {
        for isOpenLoop in [true, false] {
            let fixture = try WorkloadFixture(.echo)
            if isOpenLoop {
                let schedule = LoadSchedule(rate: 1, connectionCount: 1, shard: fixture.worker.shard)
                fixture.worker.openLoop = OpenLoop(Pacer(schedule, at: Self.start))
            } else {
                fixture.worker.phase = .draining
            }
            let connection = fixture.connect(0)
            connection.ledger.send(at: Self.start)
            var outbox = fixture.outbox
            receive(0, on: connection, fixture, outbox: &outbox)
            #expect(fixture.worker.measurement.tally.received == 1)
            #expect(fixture.worker.measurement.tally.sent == 0)
            #expect(outbox.bytes.isEmpty == true)
        }
    }

    @Test("replies in another order, and twice, are told as that")
    func order() throws {
        let fixture = try WorkloadFixture(.echo)
        let connection = fixture.connect(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        var outbox = fixture.outbox
        for number: UInt64 in [1, 0, 2, 2] { receive(number, on: connection, fixture, outbox: &outbox) }
        let tally = fixture.worker.measurement.tally
        #expect((tally.received, tally.reordered, tally.duplicated, tally.mismatched) == (3, 1, 1, 0))
    }

    @Test("what is missing when its time is over is late, and lost with its connection")
    func missing() throws {
        let fixture = try WorkloadFixture(.echo)
        let connection = fixture.connect(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        #expect(!fixture.worker.workload.isAnswered(for: fixture.worker))
        fixture.worker.workload.stopWaiting(isLate: false, for: fixture.worker)
        #expect(fixture.worker.measurement.tally.timeouts == 0)
        fixture.worker.workload.stopWaiting(isLate: true, for: fixture.worker)
        #expect(fixture.worker.measurement.tally.timeouts == 3)
        fixture.worker.workload.ended(connection, for: fixture.worker)
        #expect(fixture.worker.measurement.tally.lost == 3)
    }
}
