import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

/// Pauses, lifetimes, and stages.
@Suite struct LoadShapeTests {
    private static let start = LoadFixture.start
    private static let second: UInt64 = 1_000_000_000

    /// Passes all sent messages back to a connection as echoes.
    private func echo(_ number: UInt64, of fixture: LoadFixture) throws {
        let connection: EchoConnection = try fixture.connection(number)
        let sent = try fixture.port(number).sent
        for message in sent.suffix(connection.ledger.unansweredCount) {
            message.withUnsafeBytes { connection.receive($0.bytes, as: .text) }
        }
    }

    /// Ends a connection, as the host does.
    private func end(_ number: UInt64, of fixture: LoadFixture) throws {
        guard let connection = fixture.context.connections[number] else { return }
        fixture.context.connections[number] = nil
        connection.port = nil
        fixture.workload.ended(connection)
        fixture.context.forget(connection)
    }

    /// Adds a connection that was opened during the load, as the host does, and lets it send.
    private func add(_ number: UInt64, to fixture: LoadFixture) {
        let connection = fixture.workload.makeConnection(number)
        connection.port = RecordingPort()
        fixture.context.connections[number] = connection
        fixture.context.enterIfReady(connection)
        fixture.context.resume(connection)
        fixture.workload.sendDue()
    }

    /// Continues at a time after the start, in milliseconds.
    private func run(_ fixture: LoadFixture, at milliseconds: UInt64) {
        fixture.context.now = Self.start + milliseconds * 1_000_000
        fixture.workload.sendDue()
    }

    /// The number of messages sent on a connection.
    private func sentCount(_ number: UInt64, of fixture: LoadFixture) throws -> Int {
        try fixture.port(number).sent.count
    }

    // MARK: Pauses

    @Test("The next message follows a reply after the pause")
    func pause() throws {
        let fixture = LoadFixture(.echo) { $0.pace.think = .seconds(1) ... .seconds(1) }
        run(fixture, at: 0)
        run(fixture, at: 100)
        try echo(0, of: fixture)
        expectEqual(fixture.host.requests, ["wake soon"])
        run(fixture, at: 100)
        expectEqual(fixture.host.requests.last, "wake \(Self.start + Self.second + 100_000_000)")
        run(fixture, at: 1099)
        try expectEqual(sentCount(0, of: fixture), 1)
        run(fixture, at: 1100)
        try expectEqual(sentCount(0, of: fixture), 2)
    }

    @Test("Pauses are within their range, differ, and repeat in every run")
    func range() throws {
        func dueTimes() throws -> [UInt64] {
            let fixture = LoadFixture(.echo, connected: Array(0..<50)) {
                $0.connections.count = 50
                $0.pace.think = .seconds(1) ... .seconds(3)
            }
            run(fixture, at: 0)
            for number in 0..<50 { try echo(UInt64(number), of: fixture) }
            var times: [UInt64] = []
            while fixture.tally.sent < 100 {
                fixture.workload.sendDue()
                let wake = fixture.host.requests.last { $0.hasPrefix("wake ") && $0 != "wake soon" }
                let time = try #require(UInt64(wake?.split(separator: " ").last ?? ""))
                fixture.context.now = time
                fixture.workload.sendDue()
                times.append(time)
            }
            return times
        }
        let times = try dueTimes()
        expectEqual(times.count, 50)
        expectEqual(times, times.sorted())
        #expect(times.allSatisfy { (Self.second...3 * Self.second).contains($0 - Self.start) })
        try expectEqual(dueTimes(), times)
    }

    @Test("Neither room in the queue nor other messages shorten a pause")
    func disturbedPause() throws {
        let fixture = LoadFixture(.echo) { $0.pace.think = .seconds(1) ... .seconds(1) }
        run(fixture, at: 0)
        try echo(0, of: fixture)
        let connection: EchoConnection = try fixture.connection(0)
        fixture.context.resume(connection)
        try fixture.port().sent[0].withUnsafeBytes { connection.receive($0.bytes, as: .text) }
        run(fixture, at: 500)
        try expectEqual(sentCount(0, of: fixture), 1)
        run(fixture, at: 1000)
        try expectEqual(sentCount(0, of: fixture), 2)
    }

    @Test("A reply that times out is followed by a pause, too")
    func timeout() throws {
        let fixture = LoadFixture(.echo) { $0.pace.think = .seconds(1) ... .seconds(1) }
        run(fixture, at: 0)
        fixture.context.now += Self.second
        fixture.context.giveUpReplies(before: fixture.context.now)
        expectEqual(fixture.tally.errors[.timeout], 1)
        try expectEqual(sentCount(0, of: fixture), 1)
        run(fixture, at: 2000)
        try expectEqual(sentCount(0, of: fixture), 2)
    }

    // MARK: Lifetimes

    /// The texts sent on connection 0, which is opened three times.
    private func texts(on fixture: LoadFixture) throws -> [[String]] {
        var texts: [[String]] = []
        for _ in 0..<3 {
            fixture.workload.sendDue()
            texts.append(try fixture.port().sent.map { String(decoding: $0, as: UTF8.self) })
            try end(0, of: fixture)
            add(0, to: fixture)
        }
        return texts
    }

    @Test(
        "The messages of a connection that is opened again continue its sequence",
        arguments: [BenchMode.echo, .request, .receive])
    func sequence(mode: BenchMode) throws {
        let template = try LoadFixture.template("{{connection}}-{{seq}}")
        let fixture = LoadFixture(mode) { plan in
            plan.connections.lifetime = .seconds(1) ... .seconds(1)
            plan.messages.templates = [template]
            plan.pace.inFlight = 2
        }
        let expected =
            mode.rawValue == "receive"
            ? [["1-1"], ["1-2"], ["1-3"]] : [["1-1", "1-2"], ["1-3", "1-4"], ["1-5", "1-6"]]
        try expectEqual(texts(on: fixture), expected)
    }

    @Test("A connection that is opened again begins with the first of several messages")
    func templatesAgain() throws {
        let templates = try ["a {{seq}}", "b {{seq}}"].map { try LoadFixture.template($0) }
        let fixture = LoadFixture(.echo) { plan in
            plan.connections.lifetime = .seconds(1) ... .seconds(1)
            plan.messages.templates = templates
            plan.pace.inFlight = 3
        }
        let expected = [["a 1", "b 2", "a 3"], ["a 5", "b 6", "a 7"], ["a 9", "b 10", "a 11"]]
        try expectEqual(texts(on: fixture), expected)
    }

    @Test("Random characters differ between the connections with a number")
    func randomCharacters() throws {
        let template = try LoadFixture.template("{{random 16}}")
        let fixture = LoadFixture(.echo) { plan in
            plan.connections.lifetime = .seconds(1) ... .seconds(1)
            plan.messages.templates = [template]
        }
        expectEqual(Set(try texts(on: fixture)).count, 3)
    }

    @Test("First messages continue the sequence of those sent automatically")
    func firstMessages() throws {
        let template = try LoadFixture.template("{{seq}} {{random 16}}")
        let fixture = LoadFixture(.receive) { plan in
            plan.connections.lifetime = .seconds(1) ... .seconds(1)
            var exchange = AutoReply.Plan()
            exchange.firstMessages = [template]
            plan.conversation.exchange = exchange
        }
        var texts: [[Substring]] = []
        for _ in 0..<3 {
            let sent = try fixture.port().sent.map { String(decoding: $0, as: UTF8.self) }
            texts.append(try #require(sent.first).split(separator: " "))
            try end(0, of: fixture)
            let connection = fixture.workload.makeConnection(0)
            connection.port = RecordingPort()
            fixture.context.connections[0] = connection
            fixture.context.openPipeline(of: connection, subprotocol: nil)
            fixture.context.beginPipeline(of: connection)
        }
        expectEqual(texts.map { $0[0] }, ["1", "2", "3"])
        expectEqual(Set(texts.map { $0[1] }).count, 3)
    }

    @Test("A connection is closed after its outstanding reply, and opened again")
    func lifetime() throws {
        let fixture = LoadFixture(.echo) { $0.connections.lifetime = .seconds(2) ... .seconds(2) }
        run(fixture, at: 0)
        run(fixture, at: 2000)
        expectFalse(fixture.host.requests.contains("close 0"))
        try echo(0, of: fixture)
        expectFalse(fixture.host.requests.contains("close 0"), "not while it is receiving")
        run(fixture, at: 2000)
        expectEqual(fixture.host.requests.count { $0 == "close 0" }, 1)
        try end(0, of: fixture)
        expectEqual(fixture.host.requests.last, "reopen 0 after 0.0 seconds")
        expectFalse(fixture.workload.isDeserted)
        run(fixture, at: 2100)
        add(0, to: fixture)
        try expectEqual(sentCount(0, of: fixture), 1)
        try echo(0, of: fixture)
        run(fixture, at: 4100)
        expectEqual(fixture.context.connections[0]?.isRetiring, true)
    }

    @Test("A connection whose reply times out is closed")
    func lifetimeWithoutReply() throws {
        let fixture = LoadFixture(.echo) { $0.connections.lifetime = .seconds(2) ... .seconds(2) }
        run(fixture, at: 0)
        run(fixture, at: 2000)
        fixture.context.giveUpReplies(before: fixture.context.now)
        run(fixture, at: 2001)
        #expect(fixture.host.requests.contains("close 0"))
        try end(0, of: fixture)
        #expect((fixture.tally.sent, fixture.tally.lost, fixture.tally.errors[.timeout]) == (1, 1, 1))
    }

    @Test("A lost connection is opened again after a second")
    func lostConnection() throws {
        let fixture = LoadFixture(.echo) { $0.connections.lifetime = .seconds(20) ... .seconds(20) }
        try end(0, of: fixture)
        expectEqual(fixture.host.requests.last, "reopen 0 after 1.0 seconds")
    }

    @Test("Without a lifetime, a lost connection is not opened again")
    func noLifetime() throws {
        let fixture = LoadFixture(.echo)
        try end(0, of: fixture)
        expectEqual(fixture.host.requests, [])
        expectTrue(fixture.workload.isDeserted)
    }

    @Test("At a rate, messages wait for their connection")
    func rate() throws {
        let fixture = LoadFixture(.echo, connected: [0, 1]) {
            $0.connections.count = 2
            $0.pace.rate = .constant(2)
            $0.connections.lifetime = .seconds(1) ... .seconds(1)
        }
        run(fixture, at: 500)
        try echo(0, of: fixture)
        run(fixture, at: 1000)
        try expectEqual(sentCount(0, of: fixture), 1, "it retires")
        try end(0, of: fixture)
        run(fixture, at: 2000)
        add(0, to: fixture)
        try expectEqual(sentCount(0, of: fixture), 2)
        let connection: EchoConnection = try fixture.connection(0)
        expectEqual(connection.ledger.firstTime, Self.start + Self.second)
        expectEqual(fixture.tally.unsent, 0)
        // The second connection waits for its reply and sends nothing more.
        try expectEqual(sentCount(1, of: fixture), 1)
        expectEqual(fixture.context.openLoop?.backlogCount, 1)
    }

    @Test("A connection that is away gets no pings")
    func pings() throws {
        let fixture = LoadFixture(.idle, connected: [0, 1]) {
            $0.connections.count = 2
            $0.pace.heartbeat = .seconds(1)
            $0.connections.lifetime = .milliseconds(900) ... .milliseconds(900)
        }
        for time in [0, 500, 900] as [UInt64] { run(fixture, at: time) }
        expectEqual(fixture.tally.sent, 2)
        try end(0, of: fixture)
        run(fixture, at: 5200)
        expectEqual(fixture.tally.unsent, 0)
        expectEqual(fixture.context.connections.reopening.count, 1)
        expectEqual(fixture.context.connections.reopening[0], [])
        expectEqual(fixture.context.openLoop?.backlogCount, 0, "a retiring connection gets none, either")
    }

    @Test("A subscription is sent again on each connection")
    func subscription() throws {
        let fixture = LoadFixture(.receive, connected: [0]) {
            $0.connections.lifetime = .seconds(1) ... .seconds(1)
            $0.messages.templates = [
                Template(literal: Array("a".utf8)), Template(literal: Array("b".utf8)),
            ]
        }
        run(fixture, at: 0)
        try expectEqual(fixture.port().sent, [Array("a".utf8), Array("b".utf8)])
        run(fixture, at: 1000)
        #expect(fixture.host.requests.contains("close 0"))
        try end(0, of: fixture)
        add(0, to: fixture)
        try expectEqual(fixture.port().sent, [Array("a".utf8), Array("b".utf8)])
    }

    // MARK: Stages

    /// Stages given as targets and seconds.
    private static func stages(_ stages: (target: Int, seconds: Int)...) -> LoadStages {
        LoadStages(stages.map { LoadStages.Stage(target: $0.target, duration: .seconds($0.seconds)) })
    }

    private static func fixture(
        _ stages: LoadStages, _ mode: BenchMode = .echo, shard: Shard = Shard(index: 0, count: 1)
    ) -> LoadFixture {
        LoadFixture(mode, shard: shard, connected: []) {
            $0.connections.count = stages.maximum
            $0.connections.stages = stages
            $0.duration = stages.duration
        }
    }

    @Test("Connections are opened when the number rises, and closed when it falls")
    func rise() throws {
        let fixture = Self.fixture(Self.stages((4, 4), (0, 4)))
        expectFalse(fixture.workload.isDeserted)
        for time in [0, 500, 1500] as [UInt64] { run(fixture, at: time) }
        let reopened = { fixture.host.requests.filter { $0.hasPrefix("reopen") } }
        expectEqual(reopened(), ["reopen 0 after 0.0 seconds", "reopen 1 after 0.0 seconds"])
        run(fixture, at: 3500)
        expectEqual(reopened().count, 4)
        for number in 0..<4 { add(UInt64(number), to: fixture) }
        expectEqual(fixture.tally.sent, 4)
        for number in 0..<3 { try echo(UInt64(number), of: fixture) }
        run(fixture, at: 5500)
        expectFalse(fixture.host.requests.contains("close 3"), "its reply is outstanding")
        try echo(3, of: fixture)
        run(fixture, at: 5501)
        expectEqual(fixture.host.requests.filter { $0.hasPrefix("close") }, ["close 3"])
        try end(3, of: fixture)
        expectEqual(reopened().count, 4)
        expectEqual(fixture.context.senders.map(\.number), [0, 1, 2])
    }

    @Test("A second rise opens the same connections again, or keeps those that are not closed yet")
    func secondRise() throws {
        let fixture = Self.fixture(Self.stages((2, 0), (2, 1), (0, 0), (0, 1), (2, 0), (2, 10)))
        run(fixture, at: 0)
        add(0, to: fixture)
        add(1, to: fixture)
        try echo(1, of: fixture)
        let connection: EchoConnection = try fixture.connection(1)
        connection.ledger = EchoLedger(capacity: 1)
        run(fixture, at: 1001)
        expectEqual(fixture.host.requests.filter { $0.hasPrefix("close") }, ["close 1"])
        try end(1, of: fixture)
        let kept: EchoConnection = try fixture.connection(0)
        expectTrue(kept.isRetiring)
        run(fixture, at: 2001)
        expectFalse(kept.isRetiring)
        #expect(fixture.host.requests.suffix(3).contains("fill 0"))
        expectEqual(fixture.host.requests.count { $0.hasPrefix("reopen 1") }, 2)
        expectEqual(fixture.host.requests.count { $0.hasPrefix("reopen 0") }, 1)
    }

    @Test("A connection that is no longer needed is not opened, or closed at once")
    func lateOpening() throws {
        let fixture = Self.fixture(Self.stages((2, 0), (2, 1), (0, 0), (0, 1)))
        run(fixture, at: 0)
        expectTrue(fixture.context.stillNeeds(0))
        run(fixture, at: 1001)
        expectFalse(fixture.context.stillNeeds(0))
        expectEqual(fixture.context.connections.reopening.count, 1)
        let connection = fixture.workload.makeConnection(1)
        connection.port = RecordingPort()
        fixture.context.connections[1] = connection
        fixture.context.enterIfReady(connection)
        run(fixture, at: 1001)
        #expect(fixture.host.requests.contains("close 1"))
        expectEqual(fixture.context.connections.reopening.count, 0)
    }

    @Test("Each thread has its share of the connections")
    func shares() {
        let numbers = (0..<3).flatMap { index in
            let fixture = Self.fixture(Self.stages((7, 0), (7, 1)), shard: Shard(index: index, count: 3))
            run(fixture, at: 0)
            return fixture.host.requests.filter { $0.hasPrefix("reopen") }.map { $0.split(separator: " ")[1] }
        }
        expectEqual(numbers.sorted(), (0..<7).map { "\($0)" })
    }

    @Test("The thread wakes up for each change")
    func wakeUps() {
        let fixture = Self.fixture(Self.stages((4, 4)))
        run(fixture, at: 0)
        expectEqual(fixture.host.requests.last, "wake \(Self.start + 1)")
        fixture.context.now += 1
        fixture.workload.sendDue()
        expectEqual(fixture.host.requests.last, "wake \(Self.start + Self.second + 1)")
    }

    // MARK: Results

    @Test("Messages count in the stage in which they were due")
    func stageResults() throws {
        let fixture = LoadFixture(.echo, connected: [0]) {
            $0.pace.rate = .stages(Self.stages((2, 0), (2, 2), (2, 2)))
            $0.duration = .seconds(4)
        }
        run(fixture, at: 1000)
        try echo(0, of: fixture)
        run(fixture, at: 1900)
        run(fixture, at: 3000)
        try echo(0, of: fixture)
        run(fixture, at: 3900)
        fixture.context.giveUpReplies(before: .max)
        try end(0, of: fixture)
        let parts = try #require(fixture.context.measurement.latencies.stages?.results(hasLatencies: true))
        expectEqual(parts.map(\.name), ["stage1", "stage2", "stage3"])
        expectEqual(parts.map(\.sent), [0, 4, 4])
        expectEqual(parts.map(\.received), [0, 4, 3])
        expectEqual(parts.map(\.lost), [0, 0, 1])
        expectEqual(parts.map(\.timeouts), [0, 0, 1])
        expectEqual(parts[1].histogram().maximum, 1_500_000_000)
        expectEqual(parts[2].histogram().maximum, 1_000_000_000)
        expectEqual(fixture.tally.sent, 8)
    }

    @Test("A wrong reply counts in the stage of its message")
    func wrongReply() throws {
        let fixture = LoadFixture(.echo, connected: [0]) {
            $0.pace.rate = .stages(Self.stages((1, 0), (1, 1), (1, 1)))
            $0.duration = .seconds(2)
        }
        run(fixture, at: 0)
        run(fixture, at: 1500)
        let connection: EchoConnection = try fixture.connection(0)
        Array("wrong".utf8).withUnsafeBytes { connection.receive($0.bytes, as: .text) }
        let parts = fixture.context.measurement.latencies.stages?.results(hasLatencies: true)
        expectEqual(parts?.map(\.mismatched), [0, 1, 0])
    }
}
