import Testing
import WSCore

@testable import wsx

@Suite struct BroadcastWorkloadTests {
    private static let start = WorkloadFixture.start

    /// Two publishers, of the five connections that are asked for.
    private func makeFixture() throws -> WorkloadFixture {
        try WorkloadFixture(.broadcast) {
            $0.publisherCount = 2
            $0.connectionCount = 5
        }
    }

    /// Has a reader receive a message of the second publisher.
    private func receive(
        _ number: UInt32, run: UInt32? = nil, isDamaged: Bool = false, on reader: LoadConnection,
        _ fixture: WorkloadFixture
    ) {
        guard case .deliveries(let workload) = fixture.worker.workload.receiver else {
            Issue.record("messages are no deliveries")
            return
        }
        let run = run ?? fixture.worker.settings.runNumber
        var message = DeliveryMessage(byteCount: 48, run: run)
        message.set(DeliveryMessage.Stamp(run: run, number: number, publisher: 1, time: Self.start))
        var bytes = message.withBytes { span in span.withUnsafeBytes { Array($0) } }
        if isDamaged { bytes[47] ^= 1 }
        bytes.withUnsafeBytes {
            workload.takeUnretainedValue().received($0.bytes, as: .text, by: reader, for: fixture.worker)
        }
    }

    @Test("each delivery has a latency; what is missing, late and doubled is told")
    func deliveries() throws {
        let fixture = try makeFixture()
        let reader = fixture.connect(2)
        fixture.worker.now = Self.start + 1700
        for number: UInt32 in [0, 2, 1, 1] { receive(number, on: reader, fixture) }
        let tally = fixture.worker.measurement.tally
        #expect((tally.received, tally.reordered, tally.duplicated, tally.mismatched) == (3, 1, 1, 0))
        fixture.worker.measurement.finish(at: fixture.worker.now)
        #expect(fixture.worker.measurement.latencies.total.maximum == 1700)
    }

    @Test("a damaged delivery is told, and another run's messages and what a publisher gets back are left alone")
    func others() throws {
        let fixture = try makeFixture()
        let (publisher, reader) = (fixture.connect(0), fixture.connect(2))
        receive(0, on: publisher, fixture)
        receive(0, run: fixture.worker.settings.runNumber ^ 1, on: reader, fixture)
        #expect(fixture.worker.measurement.tally.isFlawless)
        #expect(fixture.worker.measurement.tally.received == 0)
        receive(0, isDamaged: true, on: reader, fixture)
        #expect(fixture.worker.measurement.tally.mismatched == 1)
    }

    @Test("readers are waited for until each has what all threads have published")
    func end() throws {
        let fixture = try makeFixture()
        let workload = fixture.worker.workload
        let readers = [fixture.connect(2), fixture.connect(3)]
        _ = fixture.connect(0)
        #expect(!workload.isAnswered(for: fixture.worker))
        fixture.worker.phase = .draining
        workload.allSent(1, for: fixture.worker)
        receive(0, on: readers[0], fixture)
        #expect(!workload.isAnswered(for: fixture.worker))
        receive(0, on: readers[1], fixture)
        #expect(workload.isAnswered(for: fixture.worker))
    }
}
