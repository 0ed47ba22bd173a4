import Conversation
import Formats
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ScenarioWorkloadTests {
    private static let start = LoadFixture.start
    private static let second: UInt64 = 1_000_000_000

    private static let ask = #"{"type":"message","direction":"out","data":"ask {{seq}}"}"#
    private static let reply =
        #"{"type":"message","direction":"in","match":"^reply","expect":"ok$","name":"query","timeout":"2s"}"#
    private static let unnamed = #"{"type":"message","direction":"in","match":"^done"}"#
    private static let login = #"{"type":"message","direction":"in","match":"^welcome","name":"login"}"#
    private static let again = #"{"type":"repeat"}"#

    static func scenario(_ lines: [String], name: String? = nil) throws -> LoadScenario {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        let options: @Sendable () -> ScenarioOptions = {
            ScenarioOptions(
                parseDuration: { text in text.hasSuffix("s") ? Int(text.dropLast()).map { .seconds($0) } : nil },
                parseRange: { text in
                    let bounds = text.split(separator: "-").compactMap { Int($0.dropLast()) }
                    guard let first = bounds.first, let last = bounds.last, first <= last else { return nil }
                    return .seconds(first) ... .seconds(last)
                })
        }
        return LoadScenario(try Scenario(bytes.span.bytes, options()), name: name) {
            do throws(ScenarioError) {
                return try Scenario(bytes.span.bytes, options())
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    /// Starts a load on one connection.
    private func load(_ lines: String..., change: (inout LoadPlan) -> Void = { _ in }) throws -> LoadFixture {
        let scenario = try Self.scenario(lines)
        let fixture = LoadFixture(.scenario) { plan in
            plan.conversation.scenarios = ScenarioMix(scenario)
            change(&plan)
        }
        fixture.workload.sendDue()
        return fixture
    }

    private func receive(_ text: String, on fixture: LoadFixture, at time: UInt64 = start) throws {
        let connection: ScenarioConnection = try fixture.connection(0)
        fixture.context.now = time
        Array(text.utf8).withUnsafeBytes { connection.receive($0.bytes, as: .text) }
    }

    @Test("A connection that takes the place of another has its own sequence and other random characters")
    func sequence() throws {
        let line = #"{"type":"message","direction":"out","data":"{{connection}}-{{seq}} {{random 16}}"}"#
        let fixture = try load(line, Self.unnamed)
        var texts: [[Substring]] = []
        for _ in 0..<3 {
            fixture.workload.sendDue()
            let sent = try fixture.port().sent.map { String(decoding: $0, as: UTF8.self) }
            texts.append(try #require(sent.last).split(separator: " "))
            let ended: ScenarioConnection = try fixture.connection(0)
            fixture.context.connections[0] = nil
            ended.port = nil
            fixture.workload.ended(ended)
            fixture.context.forget(ended)
            let connection = fixture.workload.makeConnection(0)
            connection.port = RecordingPort()
            fixture.context.connections[0] = connection
            fixture.workload.opened(connection)
            fixture.context.enterIfReady(connection)
            fixture.context.resume(connection)
        }
        expectEqual(texts.map { $0[0] }, ["1-1", "1-1", "1-1"], "a server that plays the scenario counts its messages")
        expectEqual(Set(texts.map { $0[1] }).count, 3)
    }

    private func step(_ name: String, of fixture: LoadFixture) throws -> PartResults {
        try #require(fixture.context.measurement.steps.first { $0.counts.name == name }).results
    }

    // MARK: Iterations

    @Test("In a closed loop, an iteration follows the previous one, and its latency is its duration")
    func closedLoop() throws {
        let fixture = try load(Self.ask, Self.reply)
        try expectEqual(fixture.port().sent.map { String(decoding: $0, as: UTF8.self) }, ["ask 1"])
        try receive("reply ok", on: fixture, at: Self.start + 1500)
        #expect((fixture.tally.sent, fixture.tally.received) == (2, 1))
        expectEqual(fixture.largestLatency(), 1500)
    }

    @Test("A fixed number of iterations ends with the last one")
    func count() throws {
        let fixture = try load(Self.ask, Self.reply) {
            $0.duration = nil
            $0.messageCount = 2
        }
        try receive("reply ok", on: fixture)
        #expect((fixture.tally.sent, fixture.host.requests.last) == (2, "drain"))
        expectFalse(fixture.workload.isAnswered)
        try receive("reply ok", on: fixture)
        #expect((fixture.tally.sent, fixture.tally.received, fixture.workload.isAnswered) == (2, 2, true))
    }

    @Test("In an open loop, a busy connection owes the iteration, and its latency counts from its due time")
    func openLoop() throws {
        let fixture = try load(Self.ask, Self.reply) { $0.pace.rate = .constant(1) }
        fixture.context.now = Self.start + Self.second
        fixture.workload.sendDue()
        expectEqual(fixture.tally.sent, 1)
        try receive("reply ok", on: fixture, at: Self.start + Self.second + 500)
        #expect((fixture.tally.sent, fixture.tally.received) == (2, 1))
        try receive("reply ok", on: fixture, at: Self.start + 3 * Self.second)
        expectEqual(fixture.tally.received, 2)
        expectEqual(fixture.largestLatency(), 2 * Self.second)
    }

    @Test("A scenario that never waits yields to other connections")
    func endless() throws {
        let fixture = try load(Self.ask)
        expectEqual(fixture.tally.sent, 256)
        expectEqual(fixture.host.requests.last, "fill 0")
    }

    @Test("Iterations of the warm-up do not count, nor do their steps")
    func warmup() throws {
        let fixture = try load(Self.ask, Self.reply) { $0.warmup = .seconds(1) }
        try receive("push", on: fixture)
        try receive("reply bad", on: fixture)
        let query = try step("query", of: fixture)
        #expect((fixture.tally.sent, fixture.tally.mismatched, fixture.tally.pushes, query.sent) == (0, 0, 0, 0))
    }

    // MARK: Steps

    @Test("A binary message that no codec recognizes is an error only if no step expects it")
    func undecodable() throws {
        let expected = #"{"type":"message","direction":"in","base64":"wf8="}"#
        let fixture = try load(Self.ask, expected) {
            $0.conversation.codecs = MessageCodecs(decoders: [.auto], encoders: [], limitBytes: 1000)
        }
        let connection: ScenarioConnection = try fixture.connection(0)
        func receive(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { connection.receive($0.bytes, as: .binary) }
        }
        receive([0xC1, 0xFF])
        expectEqual(fixture.tally.received, 1)
        expectEmpty(fixture.host.problems)
        receive([0xC1])
        expectEqual(fixture.tally.pushes, 1)
        expectEqual(fixture.host.problems, [.undecodable("\(CodecError.notDetected)")])
    }

    @Test("Each step that waits is part of the results")
    func steps() throws {
        let fixture = try load(Self.ask, Self.reply, Self.unnamed, Self.reply)
        for text in ["reply ok", "done", "push", "reply ok"] { try receive(text, on: fixture) }
        expectEqual(fixture.context.measurement.steps.map(\.counts.name), ["query", "line 3"])
        let (query, unnamed) = (try step("query", of: fixture), try step("line 3", of: fixture))
        #expect((query.sent, query.received, query.isNamed) == (2, 2, true))
        #expect((unnamed.sent, unnamed.received, unnamed.isNamed) == (1, 1, false))
        expectEqual(fixture.tally.pushes, 1)
    }

    @Test("A wrong message fails the iteration, and its connection is closed and replaced")
    func wrong() throws {
        let fixture = try load(Self.ask, Self.reply)
        try receive("reply bad", on: fixture)
        let tally = fixture.tally
        #expect((tally.sent, tally.mismatched, tally.lost) == (1, 1, 0))
        try expectEqual(step("query", of: fixture).mismatched, 1)
        expectEqual(
            fixture.host.failures,
            [
                "line 2 (query): the message is wrong: expected a match of 'ok$', received reply bad"
            ])
        expectEqual(fixture.host.requests.last, "close 0")
        let connection: ScenarioConnection = try fixture.connection(0)
        connection.beginClosing()
        connection.ended(with: .closed(CloseFrame(code: .normalClosure)))
        fixture.workload.ended(connection)
        expectEqual(fixture.host.requests.last, "reopen 0 after 0.0 seconds")
        #expect((fixture.tally.mismatched, fixture.tally.lost) == (1, 0))
    }

    @Test("A step times out at its own deadline")
    func timeout() throws {
        let fixture = try load(Self.ask, Self.reply)
        expectEqual(fixture.host.requests, ["deadline \(Self.start + 2 * Self.second)"])
        fixture.context.now = Self.start + 2 * Self.second
        fixture.context.deadlinePassed()
        let (tally, query) = (fixture.tally, try step("query", of: fixture))
        #expect((tally.lost, tally.errors[.timeout], tally.mismatched) == (1, 1, 0))
        #expect((query.lost, query.timeouts, query.closed) == (1, 1, 0))
    }

    @Test("Without a time limit of its own, a step has that of replies")
    func defaultTimeout() throws {
        let fixture = try load(Self.ask, Self.unnamed) { $0.replies.timeout = .seconds(3) }
        expectEqual(fixture.host.requests, ["deadline \(Self.start + 3 * Self.second)"])
    }

    @Test("The deadline of a step that has ended does not fail a later one")
    func oldDeadline() throws {
        let fixture = try load(Self.ask, Self.reply)
        try receive("reply ok", on: fixture, at: Self.start + Self.second)
        fixture.context.now = Self.start + 2 * Self.second
        fixture.context.deadlinePassed()
        expectEqual(fixture.tally.lost, 0)
        expectEqual(fixture.host.requests.last, "deadline \(Self.start + 3 * Self.second)")
    }

    @Test("A pause ends at its deadline, and the next iteration follows")
    func pause() throws {
        let fixture = try load(Self.ask, #"{"type":"pause","for":"1s"}"#)
        fixture.context.now = Self.start + Self.second
        fixture.context.deadlinePassed()
        #expect((fixture.tally.sent, fixture.tally.received) == (1, 1))
        expectEqual(fixture.host.requests.last, "fill 0")
        fixture.context.resume(try fixture.connection(0, as: ScenarioConnection.self))
        expectEqual(fixture.tally.sent, 2)
    }

    @Test("The end of a connection loses its iteration")
    func closed() throws {
        let fixture = try load(Self.ask, Self.reply)
        let connection: ScenarioConnection = try fixture.connection(0)
        connection.ended(with: .closed(CloseFrame(code: .goingAway)))
        let query = try step("query", of: fixture)
        #expect((fixture.tally.lost, query.closed, connection.isClosing) == (1, 1, false))
        expectEqual(fixture.host.failures, ["line 2 (query): the connection ended with 1001"])
    }

    @Test("An expected end completes the iteration, and the next one has another connection")
    func expectedEnd() throws {
        let fixture = try load(Self.ask, #"{"type":"close","direction":"in","code":1001,"name":"bye"}"#)
        let connection: ScenarioConnection = try fixture.connection(0)
        connection.ended(with: .closed(CloseFrame(code: .goingAway)))
        #expect((fixture.tally.received, fixture.tally.lost, connection.isEndExpected) == (1, 0, true))
        fixture.workload.ended(connection)
        expectEqual(fixture.host.requests.last, "reopen 0 after 0.0 seconds")
    }

    @Test("No connection is opened for more iterations than are left")
    func surplus() throws {
        let scenario = try Self.scenario([Self.ask, #"{"type":"close","direction":"in","name":"bye"}"#])
        let fixture = LoadFixture(.scenario, connected: [0, 1, 2]) { plan in
            plan.conversation.scenarios = ScenarioMix(scenario)
            plan.connections.count = 3
            plan.duration = nil
            plan.messageCount = 4
        }
        fixture.workload.sendDue()
        #expect((fixture.tally.sent, fixture.context.remainingMessages) == (3, 1))
        for number in 0..<3 as Range<UInt64> {
            let connection: ScenarioConnection = try fixture.connection(number)
            connection.ended(with: .closed(CloseFrame(code: .normalClosure)))
            fixture.context.connections[number] = nil
            connection.port = nil
            fixture.workload.ended(connection)
            fixture.context.forget(connection)
        }
        expectEqual(fixture.host.requests.filter { $0.hasPrefix("reopen") }, ["reopen 0 after 0.0 seconds"])
        expectFalse(fixture.workload.isDeserted)
    }

    @Test("A failed connection is not replaced if the others start all iterations that are left")
    func surplusAfterFailure() throws {
        let scenario = try Self.scenario([Self.ask, Self.reply])
        let fixture = LoadFixture(.scenario, connected: [0, 1]) { plan in
            plan.conversation.scenarios = ScenarioMix(scenario)
            plan.connections.count = 2
            plan.duration = nil
            plan.messageCount = 3
        }
        fixture.workload.sendDue()
        try receive("reply bad", on: fixture)
        let failed: ScenarioConnection = try fixture.connection(0)
        expectFalse(failed.mayStartIteration)
        fixture.context.connections[0] = nil
        failed.port = nil
        fixture.workload.ended(failed)
        expectFalse(fixture.host.requests.contains { $0.hasPrefix("reopen") })
    }

    @Test("A step that closes the connection follows the message before it")
    func closing() throws {
        let fixture = try load(Self.ask, Self.reply, #"{"type":"close","direction":"out","code":1000}"#)
        try receive("reply ok", on: fixture)
        try expectEqual(fixture.port().closeFrame?.code, .normalClosure)
        let connection: ScenarioConnection = try fixture.connection(0)
        connection.ended(with: .closed(CloseFrame(code: .normalClosure)))
        expectEqual(fixture.tally.received, 1)
    }

    @Test("A close frame without an answer fails its step, and the end of the connection is counted once")
    func unansweredClose() throws {
        let fixture = try load(Self.ask, #"{"type":"close","direction":"out","code":1000,"name":"bye"}"#)
        let connection: ScenarioConnection = try fixture.connection(0)
        connection.ended(with: .unanswered)
        let bye = try step("bye", of: fixture)
        #expect((fixture.tally.lost, fixture.tally.errors[.timeout], connection.isEndExpected) == (1, 0, true))
        #expect((bye.lost, bye.timeouts) == (1, 1))
    }

    @Test("A step that sends is part of the results only if it fails")
    func sending() throws {
        let fixture = try load(Self.reply, #"{"type":"message","direction":"out","data":"{{last:/sid}}"}"#)
        try receive("reply ok", on: fixture)
        expectEqual(fixture.tally.mismatched, 1)
        expectEqual(fixture.context.measurement.steps.map(\.counts.name), ["query", "line 2"])
    }

    // MARK: Opening steps

    /// Opens a connection during the load.
    private func reopened(_ lines: String..., messageCount: Int? = nil) throws -> LoadFixture {
        let scenario = try Self.scenario(lines)
        let fixture = LoadFixture(.scenario, connected: []) {
            $0.conversation.scenarios = ScenarioMix(scenario)
            $0.messageCount = messageCount
        }
        fixture.context.reopen(0, after: .zero)
        let connection = fixture.workload.makeConnection(0)
        connection.port = RecordingPort()
        fixture.context.connections[0] = connection
        fixture.workload.opened(connection)
        fixture.context.enterIfReady(connection)
        return fixture
    }

    @Test("A connection takes part in the load when its opening steps have passed")
    func opening() throws {
        let fixture = try reopened(Self.login, Self.again, Self.ask, Self.reply)
        expectEqual(fixture.context.connections.unready, [0])
        expectEmpty(fixture.context.senders)
        try receive("welcome", on: fixture, at: Self.start + 700)
        expectEqual(fixture.context.senders.map(\.number), [0])
        expectEqual(fixture.context.measurement.times[.login].maximum, 700)
        #expect((fixture.tally.sent, try step("login", of: fixture).received) == (0, 1))
        fixture.workload.sendDue()
        #expect((fixture.tally.sent, fixture.tally.received) == (1, 0))
    }

    @Test("A failed opening step is an error, and the connection is opened again after a while")
    func failedOpening() throws {
        let fixture = try reopened(
            #"{"type":"message","direction":"in","match":"^welcome","strict":true,"name":"login"}"#, Self.again,
            Self.ask)
        try receive("go away", on: fixture)
        let tally = fixture.tally
        #expect((tally.errors[.login], tally.mismatched, tally.lost, tally.sent) == (1, 0, 0, 0))
        try expectEqual(step("login", of: fixture).mismatched, 1)
        fixture.workload.ended(try fixture.connection(0, as: ScenarioConnection.self))
        expectEqual(fixture.host.requests.last, "reopen 0 after 1.0 seconds")
    }

    @Test("The connection for the last iteration is opened again until its opening steps pass")
    func failedOpeningOfLastConnection() throws {
        let fixture = try reopened(Self.login, Self.again, Self.ask, messageCount: 1)
        for count in 1...2 {
            let connection: ScenarioConnection = try fixture.connection(0)
            connection.ended(with: .closed(CloseFrame(code: .goingAway)))
            fixture.workload.ended(connection)
            expectEqual(fixture.host.requests.filter { $0 == "reopen 0 after 1.0 seconds" }.count, count)
        }
        expectFalse(fixture.workload.isDeserted)
    }

    @Test("Heartbeats begin at the end of the opening steps")
    func heartbeats() throws {
        let message = try LoadFixture.template("beat")
        let fixture = try load(Self.login, Self.again, Self.ask, Self.reply) { plan in
            var exchange = AutoReply.Plan()
            exchange.heartbeat = AutoReply.Plan.Heartbeat(message, every: .seconds(2))
            plan.conversation.exchange = exchange
        }
        /// The number of heartbeats sent until a time after the start.
        func count(after seconds: UInt64) throws -> Int {
            fixture.context.now = Self.start + seconds * Self.second
            fixture.context.deadlinePassed()
            return try fixture.port().sent.filter { $0 == Array("beat".utf8) }.count
        }
        try expectEqual(count(after: 3), 0)
        try receive("welcome", on: fixture, at: Self.start + 3 * Self.second)
        try expectEqual(count(after: 4), 0)
        try expectEqual(count(after: 5), 1)
    }

    @Test("The end of the run is no fault of an opening step, but loses an iteration")
    func endOfRun() throws {
        let opening = try reopened(Self.login, Self.again, Self.ask, Self.reply)
        let unready: ScenarioConnection = try opening.connection(0)
        unready.beginClosing()
        unready.ended(with: .closed(CloseFrame(code: .normalClosure)))
        try expectEqual(step("login", of: opening).sent, 0)
        let fixture = try load(Self.ask, Self.reply)
        let connection: ScenarioConnection = try fixture.connection(0)
        connection.beginClosing()
        connection.ended(with: .closed(CloseFrame(code: .normalClosure)))
        #expect((fixture.tally.lost, try step("query", of: fixture).closed) == (1, 1))
        expectEmpty(fixture.host.failures)
    }

    // MARK: Plans

    private func problem(_ lines: String..., change: (inout LoadPlan) -> Void = { _ in }) throws -> String? {
        var plan = LoadPlan(.scenario)
        if !lines.isEmpty { plan.conversation.scenarios = ScenarioMix(try Self.scenario(lines)) }
        change(&plan)
        return plan.problem.map { "\($0.option): \($0.reason)" }
    }

    @Test("A plan needs a scenario that can be repeated, and no other login")
    func plans() throws {
        try expectNil(problem(Self.ask))
        try expectEqual(problem(), "--mode scenario: no file is given; add --scenario FILE")
        var exchange = AutoReply.Plan()
        exchange.ready = "x"
        try expectEqual(
            problem(Self.ask) { $0.conversation.exchange = exchange }?.hasPrefix("--scenario: --first-message and"),
            true)
    }

    @Test("The wait for the last iterations covers all time limits")
    func replyWait() throws {
        let fixture = try load(Self.login, Self.again, Self.ask, Self.reply, #"{"type":"pause","for":"1s-4s"}"#) {
            $0.duration = nil
        }
        expectEqual(fixture.workload.replyWait, .seconds(2 + 4 + 1))
    }

    // MARK: End of the load

    private func endSending(of fixture: LoadFixture, at time: UInt64) {
        fixture.context.now = time
        fixture.context.endSending(isCutShort: false)
        fixture.context.phase = .draining
        fixture.workload.sendingEnded(isTimed: true)
    }

    private static let pause = #"{"type":"pause","for":"25s"}"#

    @Test("A pause does not extend the load: its iteration is interrupted, and its connection is closed")
    func longPause() throws {
        let fixture = try load(Self.ask, Self.pause)
        expectFalse(fixture.workload.isAnswered)
        endSending(of: fixture, at: Self.start + 10 * Self.second)
        expectTrue(fixture.workload.isAnswered)
        #expect((fixture.tally.sent, fixture.tally.interrupted, fixture.tally.lost) == (1, 1, 0))
        expectEqual(fixture.host.requests.suffix(2), ["close 0", "close if answered"])
        fixture.context.now += 25 * Self.second
        fixture.context.deadlinePassed()
        #expect((fixture.tally.received, fixture.tally.isFlawless) == (0, true))
    }

    @Test("A pause that an iteration reaches after the end of the load interrupts it")
    func laterPause() throws {
        let fixture = try load(Self.ask, Self.reply, Self.pause)
        endSending(of: fixture, at: Self.start + Self.second)
        expectFalse(fixture.workload.isAnswered)
        try receive("reply ok", on: fixture, at: Self.start + 2 * Self.second)
        #expect((fixture.tally.interrupted, fixture.workload.isAnswered) == (1, true))
    }

    @Test("A step's timeout does not extend the wait after the load")
    func longTimeout() throws {
        let long = #"{"type":"message","direction":"in","match":"^reply","timeout":"25s"}"#
        try expectEqual(load(Self.ask, long, Self.pause).workload.replyWait, .seconds(10))
        // A number of iterations has to be completed.
        let fixture = try load(Self.ask, long, Self.pause) { $0.duration = nil }
        expectEqual(fixture.workload.replyWait, .seconds(51))
    }

    @Test("After the wait, only iterations whose peer had the time to answer are lost")
    func wait() throws {
        let long = #"{"type":"message","direction":"in","match":"^reply","timeout":"25s"}"#
        let fixture = try load(Self.ask, long, Self.ask, long)
        endSending(of: fixture, at: Self.start + 10 * Self.second)
        try receive("reply", on: fixture, at: Self.start + 11 * Self.second)
        fixture.context.now = Self.start + 20 * Self.second
        fixture.workload.stopWaiting(isLate: true)
        #expect((fixture.tally.interrupted, fixture.workload.isAnswered) == (1, true))
        let other = try load(Self.ask, long)
        endSending(of: other, at: Self.start + 10 * Self.second)
        other.workload.stopWaiting(isLate: true)
        #expect((other.tally.interrupted, other.workload.isAnswered) == (0, false))
    }

    // MARK: Due times

    @Test("The first step that waits counts from the due time of its iteration, and the others from their beginning")
    func dueTime() throws {
        let named = { (name: String) in #"{"type":"message","direction":"in","match":"a","name":"\#(name)"}"# }
        let fixture = try load(Self.ask, named("first"), Self.ask, named("second")) { $0.pace.rate = .constant(1) }
        var samples = ""
        fixture.context.measurement.samples = LatencySamples(.csv, oneOf: 1, seed: 0) {
            samples += String(decoding: $0, as: UTF8.self)
            return true
        }
        fixture.context.now = Self.start + Self.second
        fixture.workload.sendDue()
        for time in [2, 3, 4, 5] as [UInt64] { try receive("a", on: fixture, at: Self.start + time * Self.second) }
        // The second iteration was due after 1 s, but started after 3 s.
        expectEqual(fixture.tally.waited, 1)
        let first = try step("first", of: fixture).histogram()
        expectEqual([first.minimum, first.maximum], [2 * Self.second, 3 * Self.second])
        let second = try step("second", of: fixture).histogram()
        expectEqual([second.minimum, second.maximum], [Self.second, Self.second])
        let (shortest, longest) = (
            fixture.context.measurement.times[.service].minimum, fixture.context.measurement.times[.service].maximum
        )
        expectEqual([shortest, longest], [2 * Self.second, 3 * Self.second])
        fixture.context.measurement.flushSamples()
        expectEqual(
            samples.split(separator: "\n").filter { $0.hasSuffix("first") },
            ["0.000,1,2000000.000,0.000,first", "1000000.000,1,3000000.000,2000000.000,first"])
    }
}
