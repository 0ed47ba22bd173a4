import Conversation
import Formats
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ProtocolLoadTests {
    private static let start = LoadFixture.start

    /// Starts a load whose connection has logged in, unless `greeting` is `nil`.
    private func load(
        _ mode: BenchMode = .request, _ messages: [String] = ["list"], interval: UInt64? = nil,
        greeting: String? = "welcome", _ change: (inout LoadPlan) -> Void = { _ in }
    ) throws -> LoadFixture {
        let templates = try messages.map { try LoadFixture.template($0) }
        let fixture = LoadFixture(mode) { plan in
            plan.messages.templates = templates
            plan.conversation.applicationProtocol = Self.application(interval: interval)
            change(&plan)
        }
        if let greeting { try receive(greeting, on: fixture) }
        fixture.context.begin(fixture.workload, at: Self.start)
        fixture.workload.sendDue()
        return fixture
    }

    private static func application(interval: UInt64? = nil) -> LoadProtocol {
        LoadProtocol(name: "scripted") { _, _, _ in ScriptedSession(interval: interval) }
    }

    /// Passes messages to the connection. Returns what it sends while it receives.
    @discardableResult
    private func receive(
        _ texts: String..., on fixture: LoadFixture, kind: MessageKind = .text, at time: UInt64 = start
    ) throws -> String {
        fixture.context.now = time
        let connection = try #require(fixture.context.connections[0])
        let sentCount = try sent(fixture).count
        for text in texts {
            Array(text.utf8).withUnsafeBytes { bytes in
                switch connection {
                case let connection as ProtocolRequestConnection:
                    connection.receive(bytes.bytes, as: kind)
                case let connection as RequestConnection:
                    connection.receive(bytes.bytes, as: kind)
                case let connection as ScenarioConnection:
                    connection.receive(bytes.bytes, as: kind)
                default:
                    fixture.context.receive(bytes.bytes, as: kind, on: connection) { _ in }
                }
            }
        }
        return try sent(fixture).dropFirst(sentCount).joined()
    }

    private func sent(_ fixture: LoadFixture) throws -> [String] {
        try fixture.port().sent.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Login

    @Test("The opening of the protocol is the login, and requests follow it")
    func login() throws {
        let fixture = try load(greeting: nil)
        try expectEqual(sent(fixture), ["login"])
        expectEqual(fixture.context.connections.unready, [0])
        try receive("welcome", on: fixture, at: Self.start + 5000)
        expectEmpty(fixture.context.connections.unready)
        expectEqual(fixture.context.measurement.times[.login].totalCount, 1)
        try expectEqual(sent(load()), ["login", "1:list"])
    }

    @Test("A refused login is reported in the server's words, and closes the connection")
    func refusal() throws {
        let fixture = try load(greeting: nil)
        try receive("refuse", "welcome", on: fixture)
        expectEqual(fixture.host.problems, [.refused("wrong token", afterLogin: false)])
        expectEmpty(fixture.context.connections.unready)
        expectEqual(fixture.context.connections.usableCount, 0)
        let connection: ProtocolRequestConnection = try fixture.connection(0)
        expectTrue(connection.isEndExpected)
        connection.finishTurn()
        expectEqual(fixture.host.requests.last, "close 0")
    }

    @Test("An unusable connection is ended and reported once")
    func lost() throws {
        let fixture = try load()
        try receive("lost", "lost", on: fixture)
        expectEqual(fixture.host.problems, [.unusable("silence")])
    }

    @Test("A message that is not understood is reported once per connection")
    func unknown() throws {
        let fixture = try load()
        try receive("what", "why", on: fixture)
        expectEqual(fixture.host.problems, [.notUnderstood("no word")])
    }

    // MARK: Requests

    @Test("Replies find their requests by key, in any order")
    func replies() throws {
        let fixture = try load {
            $0.pace.inFlight = 2
            $0.messageCount = 2
        }
        try expectEqual(sent(fixture), ["login", "1:list", "2:list"])
        try receive("reply 2 b", "reply 1 a", on: fixture, at: Self.start + 1500)
        #expect((fixture.tally.received, fixture.tally.sent, fixture.tally.pushes) == (2, 2, 0))
        expectTrue(fixture.tally.isFlawless)
    }

    @Test("The next request follows the reply")
    func closedLoop() throws {
        let fixture = try load()
        #expect(try receive("reply 1 a", on: fixture).hasSuffix("2:list"))
        #expect((fixture.tally.received, fixture.tally.sent) == (1, 2))
    }

    @Test("Error replies, and replies that --expect rejects, are mismatched")
    func mismatched() throws {
        let fixture = try load {
            $0.pace.inFlight = 3
            $0.messageCount = 3
            $0.replies.expectations = ["ok"]
        }
        try receive("error 1 ok", "reply 2 no", "reply 3 ok", on: fixture)
        #expect((fixture.tally.received, fixture.tally.mismatched) == (1, 2))
    }

    @Test("Events are pushes; pings and notices are not counted; refusals are errors")
    func events() throws {
        let fixture = try load()
        let output = try receive("event x", "ping", "notice", "reply 9 x", "refusal room", on: fixture)
        #expect(output.hasSuffix("pong"))
        #expect((fixture.tally.received, fixture.tally.pushes) == (0, 2))
        expectEqual(fixture.host.problems, [.error("no room")])
    }

    @Test("Late replies are pushes, and lost requests are counted at the end of the connection")
    func late() throws {
        let fixture = try load { $0.replies.timeout = .milliseconds(1) }
        fixture.context.now = Self.start + 2_000_000
        fixture.context.giveUpReplies(before: Self.start + 1)
        expectEqual(fixture.tally.errors[.timeout], 1)
        try expectEqual(sent(fixture), ["login", "1:list", "2:list"])
        fixture.workload.ended(try fixture.connection(0, as: ProtocolRequestConnection.self))
        expectEqual(fixture.tally.lost, 2)
    }

    @Test("A request that cannot be sent is reported")
    func unsendable() throws {
        let fixture = try load(.request, ["silent"])
        expectEqual(
            fixture.host.problems, [.unsendable("request 1 of connection 1: it has no reply, so there is no latency")])
    }

    // MARK: Plan

    @Test(
        "Messages that cannot be sent, or have no reply, are reported before the load",
        arguments: [
            (["bad"], "--message 'bad': write something good"),
            (["list", "silent"], "--message 'silent': scripted has no reply"),
        ])
    func problems(_ messages: [String], _ words: String) throws {
        var plan = LoadPlan(.request)
        plan.messages.templates = try messages.map { try LoadFixture.template($0) }
        plan.conversation.applicationProtocol = Self.application()
        let problem = try #require(plan.problem)
        #expect("\(problem.option): \(problem.reason)".hasPrefix(words))
        plan.conversation.applicationProtocol = nil
        expectNil(plan.problem)
    }

    @Test("Binary messages are not lines")
    func binary() throws {
        var plan = LoadPlan(.receive)
        plan.messages.templates = [try LoadFixture.template("a")]
        plan.conversation.applicationProtocol = Self.application()
        expectNil(plan.problem)
        plan.messages.kind = .binary
        expectEqual(plan.problem?.option, "--binary")
    }

    // MARK: Other modes

    @Test("Receive mode counts events, and sends lines without asking for replies")
    func receiving() throws {
        let fixture = try load(.receive, ["join"])
        try expectEqual(sent(fixture), ["login", "join"])
        try receive("event a", "notice", "ping", "event b", on: fixture)
        expectEqual(fixture.tally.received, 2)
    }

    @Test("Idle mode counts events as pushes")
    func idle() throws {
        let fixture = try load(.idle)
        try receive("event a", on: fixture)
        expectEqual(fixture.tally.pushes, 1)
    }

    // MARK: Keepalive

    @Test("Heartbeats are sent at their deadline, with one entry per connection")
    func heartbeats() throws {
        let fixture = try load(.idle, interval: 100)
        expectEqual(fixture.host.requests.first, "deadline 100")
        fixture.context.now = Self.start + 1000
        fixture.context.deadlinePassed()
        try expectEqual(sent(fixture).last, "beat")
        expectEqual(fixture.host.requests.last, "deadline \(Self.start + 1100)")
        let count = fixture.host.requests.count
        try receive("event a", on: fixture, at: Self.start + 1050)
        expectFalse(fixture.host.requests.dropFirst(count).contains { $0.hasPrefix("deadline") })
    }

    @Test("The deadline of a full connection waits, because the connection is not read")
    func full() throws {
        let fixture = try load(.idle, interval: 100)
        try fixture.port().room = 0
        fixture.context.now = Self.start + 1000
        fixture.context.deadlinePassed()
        try expectFalse(sent(fixture).contains("beat"))
        expectEqual(fixture.host.requests.last, "deadline \(Self.start + 100_001_000)")
    }

    // MARK: Scenarios

    private static let scenario = """
        {"type":"message","direction":"out","data":"hello"}
        {"type":"message","direction":"in","match":{"/id":7},"set":{"id":"/id"}}
        {"type":"repeat"}
        {"type":"message","direction":"out","data":"get {{id}}"}
        {"type":"message","direction":"in","match":"^news x$","name":"news"}

        """

    private func play(_ text: String, greeting: String? = "welcome") throws -> LoadFixture {
        let read: @Sendable () -> Scenario = {
            do throws(ScenarioError) {
                return try Scenario(
                    Array(text.utf8).span.bytes, ScenarioOptions(parseDuration: { _ in nil }, parseRange: { _ in nil }))
            } catch {
                preconditionFailure("\(error)")
            }
        }
        return try load(.scenario, [], greeting: greeting) {
            $0.conversation.scenarios = ScenarioMix(LoadScenario(read(), compile: read))
        }
    }

    @Test("The steps follow the login; patterns match lines, and pointers match payloads")
    func scenario() throws {
        let fixture = try play(Self.scenario, greeting: nil)
        try expectEqual(sent(fixture), ["login"])
        #expect(try receive("welcome", on: fixture).hasSuffix("1:hello"))
        expectEqual(fixture.context.measurement.times[.login].totalCount, 0)
        try receive(#"reply 1 {"id":7}"#, on: fixture)
        expectEqual(fixture.context.measurement.times[.login].totalCount, 1)
        let connection: ScenarioConnection = try fixture.connection(0)
        _ = connection.send(dueAt: Self.start)
        try expectEqual(sent(fixture).last, "2:get 7")
        try receive("event y", "notice", "ping", "event x", on: fixture)
        #expect((fixture.tally.received, fixture.tally.pushes) == (1, 1))
    }

    @Test("A line that cannot be sent fails its step")
    func badStep() throws {
        let fixture = try play(
            """
            {"type":"message","direction":"out","data":"bad"}
            {"type":"message","direction":"in","match":"x"}

            """)
        expectEqual(fixture.host.failures, ["line 1: the message cannot be sent: write something good"])
    }

    @Test("The sequence of a protocol in a file begins with 1 on each connection, also on one opened again")
    func sequence() throws {
        let source = Array(#"{"name":"counting","prefix":"{\"id\":{{seq}},","suffix":"}","id":"/id"}"#.utf8)
        let descriptor = try DeclarativeProtocol(source, environment: { _ in nil }, parseDuration: { _ in nil })
            .applicationProtocol
        let template = try LoadFixture.template(#""op":"list""#)
        let fixture = LoadFixture(.request) { plan in
            plan.messages.templates = [template]
            plan.pace.inFlight = 2
            plan.conversation.applicationProtocol = LoadProtocol(name: "counting") { number, _, _ in
                do throws(ProtocolParameterError) {
                    var parameters = ProtocolParameters()
                    parameters.connection = number
                    return try descriptor.session(parameters)
                } catch {
                    preconditionFailure("\(error)")
                }
            }
        }
        let requests = [#"{"id":1,"op":"list"}"#, #"{"id":2,"op":"list"}"#]
        fixture.workload.sendDue()
        try expectEqual(sent(fixture), requests)
        let ended = try #require(fixture.context.connections[0])
        fixture.context.remember(ended)
        let connection = fixture.workload.makeConnection(0)
        connection.port = RecordingPort()
        fixture.context.connections[0] = connection
        fixture.context.openPipeline(of: connection, subprotocol: nil)
        fixture.context.beginPipeline(of: connection)
        fixture.context.resume(connection)
        try expectEqual(sent(fixture), requests)
    }

    // MARK: Codecs

    @Test("Requests are encoded, and replies are decoded before they are matched and checked")
    func codecs() throws {
        let template = try LoadFixture.template(#"{"id":{{seq}}}"#)
        let fixture = LoadFixture(.request) { plan in
            plan.messages.templates = [template]
            plan.messageCount = 2
            plan.replies.correlation = Correlation("id")
            plan.replies.expectations = [#"^\{"id""#]
            plan.conversation.codecs = MessageCodecs(
                decoders: [.messagePack], encoders: [.messagePack], limitBytes: 1000)
        }
        fixture.workload.sendDue()
        let request: [UInt8] = [0x81, 0xA2, 0x69, 0x64, 0x01]
        try expectEqual(fixture.port().sent, [request])
        let connection: RequestConnection = try fixture.connection(0)
        request.withUnsafeBytes { connection.receive($0.bytes, as: .binary) }
        #expect((fixture.tally.received, fixture.tally.mismatched, fixture.tally.sent) == (1, 0, 2))
        try expectEqual(fixture.port().sent.last, [0x81, 0xA2, 0x69, 0x64, 0x02])
        [0xC1].withUnsafeBytes { connection.receive($0.bytes, as: .binary) }
        guard case .undecodable? = fixture.host.problems.first else {
            Issue.record("not reported: \(fixture.host.problems)")
            return
        }
        expectEqual(fixture.host.problems.count, 1)
        expectEqual(fixture.tally.pushes, 1)
    }

    @Test("A binary reply in no format that 'auto' knows is reported")
    func undetected() throws {
        let template = try LoadFixture.template("list")
        let fixture = LoadFixture(.request) { plan in
            plan.messages.templates = [template]
            plan.conversation.codecs = MessageCodecs(decoders: [.auto], encoders: [], limitBytes: 1000)
        }
        fixture.workload.sendDue()
        let connection: RequestConnection = try fixture.connection(0)
        for payload in [[0xC1, 0xFF], [0xC1]] as [[UInt8]] {
            payload.withUnsafeBytes { connection.receive($0.bytes, as: .binary) }
        }
        expectEqual(fixture.host.problems, [.undecodable("\(CodecError.notDetected)")])
    }

    @Test("Messages that are not JSON cannot be encoded")
    func unencodable() throws {
        var plan = LoadPlan(.request)
        plan.messages.templates = [try LoadFixture.template("list")]
        plan.conversation.codecs = MessageCodecs(decoders: [], encoders: [.cbor], limitBytes: 1000)
        let problem = try #require(plan.problem)
        #expect("\(problem.option): \(problem.reason)".hasPrefix("--encode: message 1: cbor: "))
        plan.replies.correlation = Correlation("id")
        expectEqual(plan.problem, problem)
    }
}
