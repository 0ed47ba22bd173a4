import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ConnectWorkloadTests {
    private func makeFixture(_ change: (inout LoadPlan) -> Void = { _ in }) -> LoadFixture {
        LoadFixture(.connect, connected: []) {
            $0.connections.count = 3
            change(&$0)
        }
    }

    @Test("Attempts in progress at the end are timeouts, or lost if the run is cut short")
    func attempts() {
        for isLate in [true, false] {
            let fixture = makeFixture()
            fixture.workload.sendDue()
            expectEqual(fixture.host.attempts.count, 3)
            expectFalse(fixture.workload.isAnswered)
            fixture.workload.stopWaiting(isLate: isLate)
            let tally = fixture.tally
            #expect((tally.sent, tally.errors[.timeout], tally.lost) == (3, isLate ? 3 : 0, isLate ? 0 : 3))
            expectTrue(fixture.workload.isAnswered)
        }
    }

    @Test("Only a successful attempt has a latency; both outcomes make room for another")
    func outcomes() {
        let fixture = makeFixture()
        fixture.workload.sendDue()
        fixture.context.now += 2500
        fixture.host.attempts[0](true)
        _ = fixture.workload.makeConnection(0)
        fixture.host.attempts[1](false)
        expectEqual(fixture.tally.received, 1)
        fixture.workload.sendDue()
        expectEqual(fixture.host.attempts.count, 5)
        expectEqual(fixture.largestLatency(), 2500)
    }

    @Test("A message count limits the attempts")
    func number() {
        let fixture = makeFixture { $0.messageCount = 2 }
        fixture.workload.sendDue()
        expectEqual(fixture.host.attempts.count, 2)
    }

    @Test("Each connection is closed as soon as it is open")
    func closing() {
        let fixture = makeFixture()
        let connection = fixture.workload.makeConnection(0)
        expectTrue(connection.isClosing)
        fixture.workload.opened(connection)
        fixture.workload.ended(connection)
        expectEqual(fixture.host.requests, ["close 0", "wake soon"])
    }

    @Test("A ramp requires a rate")
    func plans() {
        var plan = LoadPlan(.connect)
        plan.pace.ramp = .seconds(1)
        expectEqual(plan.problem?.option, "--ramp")
        plan.pace.rate = .constant(10)
        expectNil(plan.problem)
    }

    @Test("A connection without a row is no attempt, no error, and unsent", arguments: [nil, 100])
    func missingRow(rate: Int?) {
        let fixture = makeFixture {
            $0.pace.rate = rate.map { .constant($0) }
            $0.duration = nil
            $0.messageCount = 2
        }
        fixture.context.now += 1_000_000
        fixture.host.refuse = { [context = fixture.context] in
            context.endSending(isCutShort: false)
            context.phase = .draining
        }
        fixture.workload.sendDue()
        #expect((fixture.tally.sent, fixture.tally.unsent, fixture.tally.errors.total) == (0, 2, 0))
        expectTrue(fixture.workload.isAnswered)
    }

    @Test("Attempts that wait because all connections are busy are not late, and the time of the others is known")
    func busy() throws {
        let fixture = makeFixture {
            $0.connections.count = 1
            $0.pace.rate = .constant(10)
        }
        fixture.workload.sendDue()
        fixture.context.now += 450_000_000
        fixture.workload.sendDue()
        expectEqual(fixture.host.attempts.count, 1)
        fixture.host.attempts[0](true)
        let connection = fixture.workload.makeConnection(0)
        fixture.context.now += 50_000_000
        fixture.workload.ended(connection)
        fixture.workload.sendDue()
        #expect((fixture.tally.sent, fixture.tally.waited) == (2, 1))
        expectEqual(fixture.context.measurement.times[.delay].totalCount, 1)
        expectEqual(fixture.context.measurement.times[.delay].maximum, 0)
        expectEqual(fixture.context.measurement.times[.service].maximum, 500_000_000)
    }
}
