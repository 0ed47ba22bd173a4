import Testing
import WSCore

@testable import wsx

@Suite struct ConnectWorkloadTests {
    @Test("attempts that are under way at the end are late when their time is over, and lost when the run is cut short")
    func attempts() throws {
        for isLate in [true, false] {
            let fixture = try WorkloadFixture(.connect) { $0.connectionCount = 3 }
            let worker = fixture.worker
            worker.workload.goOn(for: worker)
            #expect(worker.opener.openingCount == 3)
            #expect(!worker.workload.isAnswered(for: worker))
            worker.workload.stopWaiting(isLate: isLate, for: worker)
            worker.opener.cancel()
            let tally = worker.measurement.tally
            #expect((tally.sent, tally.timeouts, tally.lost) == (3, isLate ? 3 : 0, isLate ? 0 : 3))
            #expect(worker.workload.isAnswered(for: worker))
        }
    }

    @Test("no more attempts are made than there are to be")
    func number() throws {
        let fixture = try WorkloadFixture(.connect) {
            $0.connectionCount = 3
            $0.messageCount = 2
        }
        fixture.worker.workload.goOn(for: fixture.worker)
        #expect(fixture.worker.opener.openingCount == 2)
        fixture.worker.opener.cancel()
    }

    @Test("it is this end that closes the connections")
    func closing() throws {
        #expect(try WorkloadFixture(.connect).connect(0).isClosing)
    }
}
