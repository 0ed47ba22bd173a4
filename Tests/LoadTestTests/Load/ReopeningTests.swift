import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ReopeningTests {
    private static let start = LoadFixture.start
    private static let second: UInt64 = 1_000_000_000

    /// Ends a connection, which is opened again, as the host does.
    private func end(_ number: UInt64, of fixture: LoadFixture, after delay: Duration = .zero) throws {
        let connection: EchoConnection = try fixture.connection(number)
        fixture.context.connections[number] = nil
        fixture.context.reopen(connection, after: delay)
        fixture.context.forget(connection)
    }

    /// Adds the new connection, as the host does.
    private func add(_ number: UInt64, to fixture: LoadFixture) {
        let connection = fixture.workload.makeConnection(number)
        connection.port = RecordingPort()
        fixture.context.connections[number] = connection
        fixture.context.enterIfReady(connection)
    }

    private func fixture(_ change: (inout LoadPlan) -> Void = { _ in }) -> LoadFixture {
        let fixture = LoadFixture(.echo, connected: [0, 1, 2]) {
            $0.connections.count = 3
            change(&$0)
        }
        fixture.workload.sendDue()
        return fixture
    }

    @Test("A connection that is opened again takes its place and sends")
    func closedLoop() throws {
        let fixture = fixture()
        try end(1, of: fixture, after: .seconds(1))
        expectEqual(fixture.host.requests, ["reopen 1 after 1.0 seconds"])
        expectEqual(fixture.context.senders.map(\.number), [0, 2])
        add(1, to: fixture)
        expectEqual(fixture.context.senders.map(\.number), [0, 1, 2])
        expectEqual(fixture.host.requests.suffix(2), ["fill 1", "wake soon"])
        fixture.context.resume(try fixture.connection(1, as: EchoConnection.self))
        try expectEqual(fixture.port(1).sent.count, 1)
    }

    @Test("The last connection starts at the next wake-up")
    func lastConnection() throws {
        let fixture = fixture()
        try end(2, of: fixture)
        add(2, to: fixture)
        expectEqual(fixture.host.requests.last, "wake soon")
        fixture.workload.sendDue()
        try expectEqual(fixture.port(2).sent.count, 1)
    }

    @Test("A ramp still delays connections that are opened again")
    func ramp() throws {
        let fixture = fixture { $0.pace.ramp = .seconds(3) }
        try end(2, of: fixture)
        add(2, to: fixture)
        fixture.workload.sendDue()
        try expectEqual(fixture.port(2).sent.count, 0)
        fixture.context.now = Self.start + 2 * Self.second
        fixture.workload.sendDue()
        try expectEqual(fixture.port(2).sent.count, 1)
    }

    @Test("Messages that wait for a connection pass to the new one")
    func backlog() throws {
        let fixture = fixture { $0.pace.rate = .constant(3) }
        try fixture.port(0).room = 0
        fixture.context.now = Self.start + Self.second
        fixture.workload.sendDue()
        let backlog = try fixture.connection(0, as: EchoConnection.self).backlog
        expectEqual(backlog, [Self.start + Self.second])
        try end(0, of: fixture)
        expectEqual(fixture.tally.unsent, 0)
        add(0, to: fixture)
        fixture.context.resume(try fixture.connection(0, as: EchoConnection.self))
        let connection: EchoConnection = try fixture.connection(0)
        expectEqual(connection.ledger.sendTime(of: 0), Self.start + Self.second)
        try expectEqual(fixture.port(0).sent.count, 1)
        expectEqual(fixture.context.openLoop?.backlogCount, 0)
    }

    @Test("Messages that wait for a connection stay unsent if it is not open at the end")
    func unsent() throws {
        let fixture = fixture { $0.pace.rate = .constant(3) }
        try fixture.port(0).room = 0
        fixture.context.now = Self.start + Self.second
        fixture.workload.sendDue()
        try end(0, of: fixture)
        fixture.context.endSending(isCutShort: true)
        expectEqual(fixture.tally.unsent, 1)
        expectEqual(fixture.context.connections.reopening.count, 0)
    }

    @Test("A load is not deserted while a connection is being opened")
    func deserted() throws {
        let fixture = LoadFixture(.echo)
        try end(0, of: fixture)
        expectFalse(fixture.workload.isDeserted)
        add(0, to: fixture)
        expectEqual(fixture.context.senders.map(\.number), [0])
        fixture.context.forget(try fixture.connection(0, as: EchoConnection.self))
        expectTrue(fixture.workload.isDeserted)
    }

    @Test("A connection enters when its server is ready")
    func readiness() throws {
        let fixture = fixture()
        try end(1, of: fixture)
        fixture.context.connections.unready.insert(1)
        add(1, to: fixture)
        expectEqual(fixture.context.senders.map(\.number), [0, 2])
        fixture.context.now = Self.start + 500
        fixture.context.becameReady(try fixture.connection(1, as: EchoConnection.self))
        expectEqual(fixture.context.senders.map(\.number), [0, 1, 2])
        expectEqual(fixture.context.measurement.times[.login].maximum, 500)
    }

    @Test("After the end of sending, no connection is opened")
    func draining() throws {
        let fixture = fixture()
        fixture.context.phase = .draining
        try end(1, of: fixture)
        expectEqual(fixture.host.requests, [])
    }

    @Test("A fixed number of messages ends if no connection can be opened for the reply timeout")
    func standstill() throws {
        let fixture = LoadFixture(.echo) {
            $0.duration = nil
            $0.messageCount = 10
        }
        try end(0, of: fixture)
        var detector = StandstillDetector()
        var checks = [detector.check(fixture.context)]
        fixture.context.now += 11 * Self.second
        checks.append(detector.check(fixture.context))
        expectEqual(checks, [false, true])
    }

    @Test("A lifetime also reopens connections that failed to open before the load")
    func failedBefore() {
        let fixture = LoadFixture(.echo, connected: [0]) {
            $0.connections.count = 3
            $0.connections.lifetime = .seconds(60) ... .seconds(60)
        }
        expectEqual(
            fixture.host.requests.filter { $0.hasPrefix("reopen") },
            [
                "reopen 1 after 1.0 seconds", "reopen 2 after 1.0 seconds",
            ])
    }
}
