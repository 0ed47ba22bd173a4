import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct ScenarioRepetitionTests {
    /// Counts what the player does.
    private final class Port: ScenarioPlayer.Port {
        private(set) var sent: [String] = []
        private(set) var passed: [Int] = []
        private(set) var skippedCount = 0
        private(set) var iterationCount = 0

        func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
            sent.append(payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            return true
        }
        func send(control opcode: Opcode, _ payload: RawSpan) -> Bool { true }
        func close(_ frame: CloseFrame) -> Bool { true }
        func drop() {}
        func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) { passed.append(index) }
        func messageSkipped() { skippedCount += 1 }
        func iterationEnded() { iterationCount += 1 }
    }

    private func player(_ lines: String..., repeats: Bool = true) throws -> ScenarioPlayer {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        return ScenarioPlayer(
            try Scenario(bytes.span.bytes, ScenarioFixture.options), connection: 1, defaultTimeout: .seconds(5),
            repeats: repeats, clockOffset: 0, seed: 1)
    }

    private func receive(_ text: String, _ player: inout ScenarioPlayer, at now: UInt64 = 0, _ port: Port) {
        Array(text.utf8).withUnsafeBytes { player.received($0.bytes, as: .text, at: now, port) }
    }

    private static let login = #"{"type":"message","direction":"in","match":"^welcome","name":"login"}"#
    private static let ask = #"{"type":"message","direction":"out","data":"ask {{seq}}"}"#
    private static let reply = #"{"type":"message","direction":"in","match":"^reply","name":"query"}"#
    private static let again = #"{"type":"repeat"}"#

    @Test("After the opening steps, the player waits before the first iteration")
    func opening() throws {
        var player = try player(Self.login, Self.again, Self.ask, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        receive("welcome", &player, port)
        let isBetween = player.isBetweenIterations
        let deadline = player.deadline
        #expect((isBetween, deadline) == (true, nil))
        #expect((port.sent, port.passed, port.iterationCount) == ([], [0], 0))
        player.advance(at: 1000, port)
        expectEqual(port.sent, ["ask 1"])
        let stepDeadline = player.deadline
        expectEqual(stepDeadline, 5_000_001_000)
    }

    @Test("Without opening steps, the player waits at once")
    func noOpening() throws {
        var player = try player(Self.ask, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        let isBetween = player.isBetweenIterations
        #expect(isBetween && port.sent == [])
    }

    @Test("Without repetition, 'repeat' makes no difference")
    func once() throws {
        var player = try player(Self.login, Self.again, Self.ask, repeats: false)
        let port = Port()
        player.start(at: 0, port)
        receive("welcome", &player, port)
        player.advance(at: 0, port)
        let phase = player.phase
        #expect((phase, port.iterationCount) == (.over, 1))
    }

    @Test("A message between iterations waits for the next one")
    func between() throws {
        var player = try player(Self.ask, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        receive("reply early", &player, port)
        player.advance(at: 0, port)
        #expect((port.sent, port.iterationCount) == (["ask 1"], 1))
    }

    @Test("Between iterations, the newest messages are kept")
    func flood() throws {
        var player = try player(Self.reply)
        let port = Port()
        player.start(at: 0, port)
        for _ in 0..<20_000 { receive("noise", &player, port) }
        #expect(port.skippedCount > 1000)
        receive("reply", &player, port)
        player.advance(at: 0, port)
        #expect((port.skippedCount, port.iterationCount) == (20_000, 1))
    }

    @Test("Skipped messages are reported")
    func skipped() throws {
        var player = try player(Self.reply)
        let port = Port()
        player.start(at: 0, port)
        player.advance(at: 0, port)
        receive("push", &player, port)
        receive("push", &player, port)
        receive("reply", &player, port)
        #expect((port.skippedCount, port.iterationCount) == (2, 1))
    }

    // MARK: expect

    private static let checked =
        #"{"type":"message","direction":"in","match":{"/id":"{{seq}}"},"expect":{"/ok":true},"name":"query"}"#

    @Test("A message that matches has to meet 'expect', and others are skipped")
    func expected() throws {
        var player = try player(Self.ask, Self.checked, repeats: false)
        let port = Port()
        player.start(at: 0, port)
        receive(#"{"push":1,"ok":false}"#, &player, port)
        receive(#"{"id":1,"ok":true}"#, &player, port)
        let phase = player.phase
        #expect((phase, port.skippedCount) == (.over, 1))
    }

    @Test("A message that does not meet 'expect' fails the step at once")
    func wrong() throws {
        var player = try player(Self.ask, Self.checked)
        let port = Port()
        player.start(at: 0, port)
        player.advance(at: 0, port)
        receive(#"{"id":1,"ok":false}"#, &player, port)
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 2 (query): the message is wrong: /ok: expected true, received false")
    }

    @Test("'expect' needs 'match'")
    func expectAlone() {
        let line = #"{"type":"message","direction":"in","data":"a","expect":"b"}"#
        do throws(ScenarioError) {
            _ = try Scenario(Array(line.utf8).span.bytes, ScenarioFixture.options)
            Issue.record("the scenario should be invalid")
        } catch {
            expectEqual("\(error)", "line 1, column 56: 'expect' checks the message that 'match' selects; add 'match'")
        }
    }

    @Test("Values of the last message are kept for 'match' and 'expect'")
    func lastMessage() throws {
        var player = try player(
            #"{"type":"message","direction":"in","match":{"/n":1}}"#,
            #"{"type":"message","direction":"in","match":{"/id":"{{last:/id}}"}}"#, repeats: false)
        let port = Port()
        player.start(at: 0, port)
        receive(#"{"n":1,"id":"x"}"#, &player, port)
        receive(#"{"id":"x"}"#, &player, port)
        let phase = player.phase
        expectEqual(phase, .over)
    }
}
