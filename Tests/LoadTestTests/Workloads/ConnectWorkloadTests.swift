import Testing
import WSCore

@testable import LoadTest

@Suite struct ConnectWorkloadTests {
    private func makeFixture(_ change: (inout LoadPlan) -> Void = { _ in }) -> LoadFixture {
        LoadFixture(.connect, connected: []) {
            $0.connectionCount = 3
            change(&$0)
        }
    }

    @Test("Attempts in progress at the end are timeouts, or lost if the run is cut short")
    func attempts() {
        for isLate in [true, false] {
            let fixture = makeFixture()
            fixture.workload.goOn()
            #expect(fixture.host.attempts.count == 3)
            #expect(!fixture.workload.isAnswered)
            fixture.workload.stopWaiting(isLate: isLate)
            let tally = fixture.tally
            #expect((tally.sent, tally.timeouts, tally.lost) == (3, isLate ? 3 : 0, isLate ? 0 : 3))
            #expect(fixture.workload.isAnswered)
        }
    }

    @Test("Only a successful attempt has a latency; both outcomes make room for another")
    func outcomes() {
        let fixture = makeFixture()
        fixture.workload.goOn()
        fixture.context.now += 2500
        fixture.host.attempts[0](true)
        fixture.host.attempts[1](false)
        #expect(fixture.tally.received == 1)
        fixture.workload.goOn()
        #expect(fixture.host.attempts.count == 5)
        #expect(fixture.largestLatency() == 2500)
    }

    @Test("A message count limits the attempts")
    func number() {
        let fixture = makeFixture { $0.messageCount = 2 }
        fixture.workload.goOn()
        #expect(fixture.host.attempts.count == 2)
    }

    @Test("Each connection is closed as soon as it is open")
    func closing() {
        let fixture = makeFixture()
        let connection = fixture.workload.makeConnection(0)
        #expect(connection.isClosing)
        fixture.workload.opened(connection)
        fixture.workload.ended(connection)
        #expect(fixture.host.requests == ["close 0", "wake soon"])
    }

    @Test("A ramp requires a rate")
    func plans() {
        var plan = LoadPlan(.connect)
        plan.pace.ramp = .seconds(1)
        #expect(plan.problem?.option == "--ramp")
        plan.pace.rate = 10
        #expect(plan.problem == nil)
    }
}
