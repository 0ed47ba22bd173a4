import Formats
import Testing
import WSCore

@testable import Conversation

@Suite struct ScenarioPlayerTests {
    /// Records what the player does.
    private final class Port: ScenarioPlayer.Port {
        var log: [String] = []
        var isOpen = true

        func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { note("send \(text(payload))") }
        func sendPing(_ payload: RawSpan) -> Bool { note("ping \(text(payload))") }
        func sendPong(_ payload: RawSpan) -> Bool { note("pong \(text(payload))") }
        func close(_ frame: CloseFrame) -> Bool { note("close \(frame.code?.rawValue ?? 0)") }
        func stepEnded(_ index: Int, nanoseconds: UInt64) { log.append("\(index) after \(nanoseconds)") }
        func iterationEnded() { log.append("again") }

        private func note(_ words: String) -> Bool {
            if isOpen { log.append(words) }
            return isOpen
        }
        private func text(_ payload: RawSpan) -> String {
            payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        /// Returns what happened since the last call.
        func take() -> [String] {
            defer { log = [] }
            return log
        }
    }

    private func player(_ lines: String..., repeats: Bool = false) throws -> ScenarioPlayer {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        return ScenarioPlayer(
            try Scenario(bytes.span.bytes, ScenarioFixture.options), connection: 7, defaultTimeout: .seconds(5),
            repeats: repeats, clockOffset: 0, seed: 1)
    }

    private func receive(_ text: String, _ player: inout ScenarioPlayer, at now: UInt64 = 0, _ port: Port) {
        Array(text.utf8).withUnsafeBytes { player.received($0.bytes, at: now, port) }
        player.advance(at: now, port)
    }

    private static let ask = #"{"type":"message","direction":"out","data":"ask {{seq}} of {{connection}}"}"#
    private static let reply = #"{"type":"message","direction":"in","match":"^reply","name":"answer"}"#

    @Test("Steps are carried out until one waits, and its message continues")
    func order() throws {
        var player = try player(Self.ask, Self.reply, Self.ask)
        let port = Port()
        player.start(at: 100, port)
        #expect(port.take() == ["send ask 1 of 7", "0 after 0"])
        #expect(player.deadline == 5_000_000_100)
        receive("noise", &player, at: 300, port)
        #expect(port.take() == [])
        receive("reply", &player, at: 600, port)
        #expect(port.take() == ["1 after 500", "send ask 2 of 7", "2 after 0", "again"])
        let phase = player.phase
        #expect(phase == .over)
    }

    @Test("The steps after repeat are repeated")
    func repetition() throws {
        var player = try player(Self.reply, #"{"type":"repeat"}"#, Self.ask, Self.reply, repeats: true)
        let port = Port()
        player.start(at: 0, port)
        for _ in 0..<3 {
            receive("reply", &player, port)
            if player.isAboutToRepeat { player.advance(at: 0, port) }
        }
        #expect(
            port.take() == [
                "0 after 0", "send ask 1 of 7", "1 after 0", "2 after 0", "again", "send ask 2 of 7", "1 after 0",
                "2 after 0", "again", "send ask 3 of 7", "1 after 0",
            ])
        let phase = player.phase
        #expect(phase == .step(2))
    }

    @Test("A scenario that never waits returns after each iteration")
    func endless() throws {
        var player = try player(Self.ask, repeats: true)
        let port = Port()
        player.start(at: 0, port)
        #expect(port.take() == ["send ask 1 of 7", "0 after 0", "again"])
        let isAboutToRepeat = player.isAboutToRepeat
        #expect(isAboutToRepeat)
        player.advance(at: 1, port)
        #expect(port.take() == ["send ask 2 of 7", "0 after 1", "again"])
    }

    @Test("Messages that arrive during a pause wait for their step")
    func pause() throws {
        var player = try player(#"{"type":"pause","for":"1s"}"#, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        receive("noise", &player, at: 5, port)
        receive("reply", &player, at: 6, port)
        #expect(port.take() == [])
        player.timePassed(at: 999_999_999, port)
        let phase = player.phase
        #expect(phase == .step(0))
        player.timePassed(at: 1_000_000_000, port)
        #expect(port.take() == ["0 after 1000000000", "1 after 0", "again"])
    }

    @Test("Messages that arrive before the start wait for their step")
    func early() throws {
        var player = try player(Self.reply)
        let port = Port()
        Array("reply".utf8).withUnsafeBytes { player.received($0.bytes, at: 0, port) }
        player.start(at: 0, port)
        let phase = player.phase
        #expect(phase == .over)
    }

    @Test("A flood of empty messages during a pause is bounded")
    func flood() throws {
        var player = try player(#"{"type":"pause","for":"1s"}"#, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        for _ in 0..<100_000 { player.received(RawSpan(), at: 0, port) }
        Array("reply".utf8).withUnsafeBytes { player.received($0.bytes, at: 0, port) }
        player.timePassed(at: 1_000_000_000, port)
        let phase = player.phase
        #expect(phase == .over)
    }

    @Test("A pause is random within its range")
    func randomPause() throws {
        var player = try player(#"{"type":"pause","for":"1s-3s"}"#, Self.ask)
        player.start(at: 0, Port())
        let deadline = player.deadline ?? 0
        #expect((1_000_000_000...3_000_000_000).contains(deadline))
    }

    @Test("A step without its message fails with the difference to the last one")
    func timeout() throws {
        var player = try player(#"{"type":"message","direction":"in","match":{"/id":1},"name":"query","timeout":"2s"}"#)
        let port = Port()
        player.start(at: 0, port)
        receive(#"{"id":2}"#, &player, port)
        player.timePassed(at: 2_000_000_000, port)
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        #expect(
            "\(failure)"
                == "line 1 (query): no matching message within 2 s; the last one differs: /id: expected 1, received 2")
        let deadline = player.deadline
        #expect(deadline == nil)
    }

    @Test("A strict step accepts no other message")
    func strictness() throws {
        var player = try player(#"{"type":"message","direction":"in","data":"{\"a\":1}","strict":true}"#)
        player.start(at: 0, Port())
        receive(#"{"a":2}"#, &player, Port())
        guard case .failed(let failure) = player.phase, case .unexpected(let difference?) = failure.reason else {
            Issue.record("the scenario should have failed")
            return
        }
        #expect("\(difference)" == "/a: expected 1, received 2")
    }

    @Test("Values of messages are inserted into later ones")
    func extraction() throws {
        var player = try player(
            #"{"type":"message","direction":"in","match":{"/type":"hello"},"set":{"sid":"/session"}}"#,
            #"{"type":"message","direction":"out","data":"{\"sid\":{{json:sid}},\"id\":{{seq}}}"}"#,
            #"{"type":"message","direction":"in","match":{"/id":"{{seq}}"}}"#)
        let port = Port()
        player.start(at: 0, port)
        receive(#"{"type":"hello","session":"a\"b"}"#, &player, port)
        #expect(port.take().dropFirst() == [#"send {"sid":"a\"b","id":1}"#, "1 after 0"])
        receive(#"{"id":1}"#, &player, port)
        let phase = player.phase
        #expect(phase == .over)
    }

    @Test("An expected value that is missing fails the step")
    func missingValue() throws {
        var player = try player(#"{"type":"message","direction":"in","match":"hello","set":{"sid":"/session"}}"#)
        player.start(at: 0, Port())
        receive("hello", &player, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        #expect(failure.reason == .missing(.missing(path: "/session")))
    }

    @Test("Pings and pongs are steps")
    func controls() throws {
        var player = try player(
            #"{"type":"ping","direction":"out","data":"x"}"#, #"{"type":"pong","direction":"in"}"#,
            #"{"type":"ping","direction":"in"}"#)
        let port = Port()
        player.start(at: 0, port)
        player.received(control: .ping, at: 1, port)
        let phase = player.phase
        #expect(phase == .step(1))
        player.received(control: .pong, at: 2, port)
        player.advance(at: 2, port)
        player.received(control: .ping, at: 3, port)
        let finalPhase = player.phase
        #expect(finalPhase == .over)
    }

    @Test("A close of either end is a step")
    func closing() throws {
        let port = Port()
        var player = try player(
            Self.ask, #"{"type":"close","direction":"out","code":1000}"#, #"{"type":"close","direction":"in"}"#)
        player.start(at: 0, port)
        #expect(port.take().last == "close 1000")
        player.connectionEnded(.normalClosure, at: 5, port)
        let phase = player.phase
        #expect(phase == .over)
        var waiting = try self.player(#"{"type":"close","direction":"in","code":4001}"#, repeats: true)
        waiting.start(at: 0, port)
        waiting.connectionEnded(.normalClosure, at: 5, port)
        guard case .failed(let failure) = waiting.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        #expect("\(failure)" == "line 1: the connection ended with 1000 instead of 4001")
    }

    @Test("An unexpected end fails the current step")
    func unexpectedEnd() throws {
        var player = try player(Self.reply)
        player.start(at: 0, Port())
        player.connectionEnded(.abnormalClosure, at: 5, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        #expect("\(failure)" == "line 1 (answer): the connection ended without a close frame")
    }
}
