import Testing
import WSCore

@testable import wsx

@Suite struct PingWorkloadTests {
    private static let start = WorkloadFixture.start

    @Test("a pong answers the pings before its own, and one that nobody asked for none (RFC 6455 §5.5.3)")
    func pongs() throws {
        let fixture = try WorkloadFixture(.idle)
        guard case .pongs(let workload) = fixture.worker.workload.receiver else {
            Issue.record("messages are no pongs")
            return
        }
        let connection = fixture.connect(0)
        for _ in 0..<3 { connection.ledger.send(at: Self.start) }
        var message = EchoMessage(byteCount: 16)
        for (number, count) in [(1, 2), (7, 2), (2, 3)] as [(UInt64, Int)] {
            message.set(EchoMessage.Stamp(number: number, connection: 0, time: 0))
            message.withBytes {
                workload.takeUnretainedValue().received($0, by: connection, for: fixture.worker)
            }
            #expect(fixture.worker.measurement.tally.received == count)
        }
        #expect(fixture.worker.measurement.tally.isFlawless)
    }
}
