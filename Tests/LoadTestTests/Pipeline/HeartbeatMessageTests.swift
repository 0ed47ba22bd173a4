import Conversation
import TestSupport
import Testing

@testable import LoadTest

@Suite struct HeartbeatMessageTests {
    private static let interval: UInt64 = 20_000_000_000

    /// Starts a load whose connection sends a heartbeat every 20 s. It was opened at the time 0.
    private func load(ready: String? = nil) throws -> LoadFixture {
        let message = try LoadFixture.template("beat {{seq}} of {{connection}}")
        return LoadFixture(.receive) { plan in
            var exchange = AutoReply.Plan()
            exchange.ready = ready
            exchange.heartbeat = AutoReply.Plan.Heartbeat(message, every: .seconds(20))
            plan.conversation.exchange = exchange
        }
    }

    private func pass(to time: UInt64, on fixture: LoadFixture) throws -> [String] {
        fixture.context.now = time
        fixture.context.deadlinePassed()
        return try fixture.port().sent.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Heartbeats are sent at their interval, with placeholders, and are not counted")
    func interval() throws {
        let fixture = try load()
        #expect(fixture.host.requests.contains("deadline \(Self.interval)"))
        try expectEqual(pass(to: Self.interval - 1, on: fixture), [])
        try expectEqual(pass(to: Self.interval, on: fixture), ["beat 1 of 1"])
        try expectEqual(pass(to: 2 * Self.interval + 5, on: fixture), ["beat 1 of 1", "beat 2 of 1"])
        expectEqual(fixture.host.requests.last, "deadline \(3 * Self.interval)")
        #expect((fixture.tally.sent, fixture.tally.received) == (0, 0))
    }

    @Test("Heartbeats that a late thread has missed are skipped")
    func late() throws {
        let fixture = try load()
        try expectEqual(pass(to: 10 * Self.interval, on: fixture), ["beat 1 of 1"])
        expectEqual(fixture.host.requests.last, "deadline \(11 * Self.interval)")
    }

    @Test("Heartbeats begin when the server is ready")
    func ready() throws {
        let fixture = try load(ready: "welcome")
        try expectEqual(pass(to: 2 * Self.interval, on: fixture), [])
        let connection = try #require(fixture.context.connections[0])
        Array("welcome".utf8).withUnsafeBytes {
            fixture.context.receive($0.bytes, as: .text, on: connection) { _ in }
        }
        #expect(fixture.host.requests.contains("deadline \(3 * Self.interval)"))
    }

    @Test("A connection that is closing or full sends no heartbeat")
    func unable() throws {
        let fixture = try load()
        try fixture.port().room = 0
        try expectEqual(pass(to: Self.interval, on: fixture), [])
        try fixture.port().room = .max
        try #require(fixture.context.connections[0]).beginClosing()
        try expectEqual(pass(to: 2 * Self.interval, on: fixture), [])
    }
}
