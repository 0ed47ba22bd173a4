import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct ScenarioPlayerTests {
    /// Records what the player does.
    private final class Port: ScenarioPlayer.Port {
        var log: [String] = []
        var isOpen = true

        func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { note("send \(text(payload))") }
        func send(control opcode: Opcode, _ payload: RawSpan) -> Bool { note("\(opcode) \(text(payload))") }
        func close(_ frame: CloseFrame) -> Bool { note("close \(frame.code?.rawValue ?? 0)") }
        func drop() { log.append("drop") }
        func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) {
            let messages = reply.map { ", \($0.messageCount) messages, gap \($0.longestGap)" } ?? ""
            log.append("\(index) after \(nanoseconds)\(messages)")
        }
        func stepSkipped(_ index: Int) { log.append("without \(index)") }
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
        Array(text.utf8).withUnsafeBytes { player.received($0.bytes, as: .text, at: now, port) }
        player.advance(at: now, port)
    }

    private static let ask = #"{"type":"message","direction":"out","data":"ask {{seq}} of {{connection}}"}"#
    private static let reply = #"{"type":"message","direction":"in","match":"^reply","name":"answer"}"#

    @Test("Steps are carried out until one waits, and its message continues")
    func order() throws {
        var player = try player(Self.ask, Self.reply, Self.ask)
        let port = Port()
        player.start(at: 100, port)
        expectEqual(port.take(), ["send ask 1 of 7", "0 after 0"])
        expectEqual(player.deadline, 5_000_000_100)
        receive("noise", &player, at: 300, port)
        expectEqual(port.take(), [])
        receive("reply", &player, at: 600, port)
        expectEqual(port.take(), ["1 after 500", "send ask 2 of 7", "2 after 0", "again"])
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test("The steps after repeat are repeated")
    func repetition() throws {
        var player = try player(Self.reply, #"{"type":"repeat"}"#, Self.ask, Self.reply, repeats: true)
        let port = Port()
        player.start(at: 0, port)
        for _ in 0..<3 {
            receive("reply", &player, port)
        }
        expectEqual(
            port.take(),
            [
                "0 after 0", "send ask 1 of 7", "1 after 0", "2 after 0", "again", "send ask 2 of 7", "1 after 0",
                "2 after 0", "again", "send ask 3 of 7", "1 after 0",
            ])
        let phase = player.phase
        expectEqual(phase, .step(2))
    }

    @Test("A scenario that never waits returns after each iteration")
    func endless() throws {
        var player = try player(Self.ask, repeats: true)
        let port = Port()
        player.start(at: 0, port)
        expectEqual(port.take(), [])
        let isBetweenIterations = player.isBetweenIterations
        expectTrue(isBetweenIterations)
        player.advance(at: 1, port)
        expectEqual(port.take(), ["send ask 1 of 7", "0 after 0", "again"])
        player.advance(at: 2, port)
        expectEqual(port.take(), ["send ask 2 of 7", "0 after 0", "again"])
    }

    @Test("Messages that arrive during a pause wait for their step")
    func pause() throws {
        var player = try player(#"{"type":"pause","for":"1s"}"#, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        receive("noise", &player, at: 5, port)
        receive("reply", &player, at: 6, port)
        expectEqual(port.take(), [])
        player.timePassed(at: 999_999_999, port)
        let phase = player.phase
        expectEqual(phase, .step(0))
        player.timePassed(at: 1_000_000_000, port)
        expectEqual(port.take(), ["0 after 1000000000", "1 after 0", "again"])
    }

    @Test("Messages that arrive before the start wait for their step")
    func early() throws {
        var player = try player(Self.reply)
        let port = Port()
        Array("reply".utf8).withUnsafeBytes { player.received($0.bytes, as: .text, at: 0, port) }
        player.start(at: 0, port)
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test("More messages than the limit during a pause fail the step")
    func flood() throws {
        var player = try player(#"{"type":"pause","for":"1s"}"#, Self.reply)
        let port = Port()
        player.start(at: 0, port)
        for _ in 0..<100_000 { player.received(RawSpan(), as: .text, at: 0, port) }
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1: more than 1 MiB of messages arrived while no step waited for them")
    }

    @Test("Messages that no later step waits for are not kept")
    func uselessFlood() throws {
        var player = try player(Self.reply, #"{"type":"close","direction":"in"}"#)
        let port = Port()
        player.start(at: 0, port)
        receive("reply", &player, port)
        for _ in 0..<100_000 { player.received(RawSpan(), as: .text, at: 0, port) }
        player.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 1, port)
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test("A recorded text message does not equal a binary message")
    func kinds() throws {
        var player = try player(#"{"type":"message","direction":"in","data":"a","strict":true}"#)
        let port = Port()
        player.start(at: 0, port)
        Array("a".utf8).withUnsafeBytes { player.received($0.bytes, as: .binary, at: 0, port) }
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1: another message arrived: expected a text message, received a binary message")
    }

    @Test("Pings that arrive between steps wait for their step")
    func earlyPing() throws {
        var player = try player(#"{"type":"pause","for":"1s"}"#, #"{"type":"ping","direction":"in"}"#)
        let port = Port()
        player.start(at: 0, port)
        player.received(control: .ping, at: 5, port)
        player.timePassed(at: 1_000_000_000, port)
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test("A pause is random within its range")
    func randomPause() throws {
        var player = try player(#"{"type":"pause","for":"1s-3s"}"#, Self.ask)
        player.start(at: 0, Port())
        let deadline = player.deadline ?? 0
        #expect((1_000_000_000...3_000_000_000).contains(deadline))
    }

    @Test("A step without its message fails with the difference to the closest one")
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
        expectEqual(
            "\(failure)",
            "line 1 (query): no matching message within 2 s; the closest message differs: /id: expected 1, received 2")
        let deadline = player.deadline
        expectNil(deadline)
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
        expectEqual("\(difference)", "/a: expected 1, received 2")
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
        expectEqual(port.take().dropFirst(), [#"send {"sid":"a\"b","id":1}"#, "1 after 0"])
        receive(#"{"id":1}"#, &player, port)
        let phase = player.phase
        expectEqual(phase, .over)
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
        expectEqual(failure.reason, .missing(.notJSON))
    }

    @Test("The failure of 'set' with the whole message says that the message is not JSON")
    func wholeMessageIsNotJSON() throws {
        var player = try player(#"{"type":"message","direction":"in","match":"hello","set":{"all":""},"name":"x"}"#)
        player.start(at: 0, Port())
        receive("hello", &player, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1 (x): the received message is not JSON")
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
        expectEqual(phase, .step(1))
        player.received(control: .pong, at: 2, port)
        player.advance(at: 2, port)
        player.received(control: .ping, at: 3, port)
        let finalPhase = player.phase
        expectEqual(finalPhase, .over)
    }

    @Test("A close of either end is a step")
    func closing() throws {
        let port = Port()
        var player = try player(
            Self.ask, #"{"type":"close","direction":"out","code":1000}"#, #"{"type":"close","direction":"in"}"#)
        player.start(at: 0, port)
        expectEqual(port.take().last, "close 1000")
        player.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 5, port)
        let phase = player.phase
        expectEqual(phase, .over)
        var waiting = try self.player(#"{"type":"close","direction":"in","code":4001}"#, repeats: true)
        waiting.start(at: 0, port)
        waiting.advance(at: 0, port)
        waiting.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 5, port)
        guard case .failed(let failure) = waiting.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1: the connection ended with 1000 instead of 4001")
    }

    @Test("An unexpected end fails the current step")
    func unexpectedEnd() throws {
        var player = try player(Self.reply)
        player.start(at: 0, Port())
        player.connectionEnded(.lost(nil), at: 5, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1 (answer): the connection ended without a close frame")
    }

    /// The words of the failure after a message that does not match.
    private func failure(after end: (inout ScenarioPlayer, Port) -> Void) throws -> String? {
        var player = try player(#"{"type":"message","direction":"in","match":{"/id":2},"name":"answer"}"#)
        let port = Port()
        player.start(at: 0, port)
        receive(#"{"id":1}"#, &player, at: 1, port)
        end(&player, port)
        if case .failed(let failure) = player.phase { return "\(failure)" }
        return nil
    }

    @Test("A server that closes after a wrong reply is reported with the difference")
    func endAfterWrongReply() throws {
        let words = try failure { player, port in
            player.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 2, port)
        }
        expectEqual(
            words,
            "line 1 (answer): the connection ended with 1000; the closest message differs: "
                + "/id: expected 2, received 1")
    }

    @Test("The time limit of a run names the step, and what it waits for")
    func runTimeout() throws {
        let words = try failure { player, _ in player.runTimedOut(after: .seconds(3)) }
        expectEqual(
            words,
            "line 1 (answer): timed out after 3 s (--timeout): no matching message; the closest message differs: "
                + "/id: expected 2, received 1")
        var pausing = try player(#"{"type":"pause","for":"1s"}"#)
        pausing.start(at: 0, Port())
        pausing.runTimedOut(after: .seconds(3))
        guard case .failed(let failure) = pausing.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1: timed out after 3 s (--timeout)")
        expectTrue(failure.reason.isRunTimeout)
    }

    @Test(
        "The reason of an unexpected end is part of the failure",
        arguments: [
            (
                .closed(CloseFrame(code: CloseCode(rawValue: 4001), reason: "bye")),
                #"the connection ended with 4001: "bye""#
            ),
            (.closed(CloseFrame(code: nil)), "the connection ended with 1005"),
            (.lost("connection reset by peer"), "the connection ended without a close frame: connection reset by peer"),
            (.violation(.invalidText), "the peer violated the WebSocket protocol: a text message is not valid UTF-8"),
            (.violation(.messageTooBig(limit: 5)), "a message is larger than 5 bytes"),
        ] as [(ScenarioFailure.Ending, String)])
    func reasonOfEnd(_ end: ScenarioFailure.Ending, _ words: String) throws {
        var player = try player(Self.reply)
        player.start(at: 0, Port())
        player.connectionEnded(end, at: 5, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        #expect("\(failure.reason)".hasPrefix(words))
    }

    @Test("A close frame without an answer fails the step")
    func unansweredClose() throws {
        let close = #"{"type":"close","direction":"out","timeout":"3s"}"#
        var player = try player(close)
        player.start(at: 0, Port())
        player.connectionEnded(.unanswered, at: 5, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectTrue(failure.reason.isUnansweredClose)
        var late = try self.player(close)
        late.start(at: 0, Port())
        late.timePassed(at: 3_000_000_000, Port())
        guard case .failed(let lateFailure) = late.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(lateFailure)", "line 1: the peer did not answer the close frame within 3 s")
        expectTrue(lateFailure.reason.isUnansweredClose)
    }

    @Test("A peer that drops the connection after a close frame completes the step")
    func droppedAfterClose() throws {
        var player = try player(#"{"type":"close","direction":"out"}"#)
        player.start(at: 0, Port())
        player.connectionEnded(.lost(nil), at: 5, Port())
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test(
        "A step that times out names what it waited for",
        arguments: [
            (#"{"type":"message","direction":"in","match":"x"}"#, "nothing arrived within 5 s"),
            (#"{"type":"ping","direction":"in"}"#, "no ping arrived within 5 s"),
            (#"{"type":"pong","direction":"in"}"#, "no pong arrived within 5 s"),
            (#"{"type":"close","direction":"in"}"#, "the peer did not close the connection within 5 s"),
        ])
    func awaited(_ step: String, _ words: String) throws {
        var player = try player(step)
        player.start(at: 0, Port())
        player.timePassed(at: 5_000_000_000, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure.reason)", words)
    }

    @Test("A long message that was skipped is not reported as silence")
    func longSkippedMessage() throws {
        var player = try player(Self.reply)
        let port = Port()
        player.start(at: 0, port)
        receive(String(repeating: "x", count: 70_000), &player, port)
        player.timePassed(at: 5_000_000_000, port)
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure.reason)", "no matching message within 5 s; the last message has 70000 bytes")
    }

    @Test("A connection without a closing handshake is dropped once")
    func drop() throws {
        var player = try player(#"{"type":"close","direction":"out","code":1006}"#)
        let port = Port()
        player.start(at: 0, port)
        expectEqual(port.take(), [])
        player.timePassed(at: 0, port)
        player.timePassed(at: 1, port)
        expectEqual(port.take(), ["drop"])
        player.connectionEnded(.lost(nil), at: 5, port)
        let phase = player.phase
        expectEqual(phase, .over)
    }

    // MARK: The peer

    private func peer(_ lines: String..., number: UInt64 = 7) throws -> ScenarioPlayer {
        var options = ScenarioFixture.options
        options.playsPeer = true
        let bytes = Array(lines.joined(separator: "\n").utf8)
        let scenario = try Scenario(bytes.span.bytes, options)
        return ScenarioPlayer(
            scenario, connection: number, defaultTimeout: .zero, repeats: scenario.hasRepetition, clockOffset: 0,
            seed: 1)
    }

    private static let answer = #"{"type":"message","direction":"in","match":"^reply","data":"reply {{seq}}"}"#

    @Test("The peer awaits what the client sends, and sends what the client awaits")
    func peerOrder() throws {
        var player = try peer(Self.ask, Self.answer, Self.ask, Self.answer)
        let port = Port()
        player.start(at: 0, port)
        let deadline = player.deadline
        expectNil(deadline)
        receive("ask 1 of 7", &player, port)
        receive("ask 2 of 7", &player, port)
        expectEqual(port.take().filter { $0.hasPrefix("send") }, ["send reply 1", "send reply 2"])
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test("A message that the peer does not expect fails, also after the last step")
    func peerStrictness() throws {
        var player = try peer(Self.ask, Self.answer)
        player.start(at: 0, Port())
        receive("noise", &player, Port())
        guard case .failed(let failure) = player.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 1: another message arrived: expected ask 1 of 7, received noise")
        var finished = try peer(Self.ask, Self.answer)
        finished.start(at: 0, Port())
        receive("ask 1 of 7", &finished, Port())
        receive("more", &finished, Port())
        guard case .failed(let failure) = finished.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 2: another message arrived after the last step")
    }

    @Test("The peer knows the values that the client takes from its messages")
    func peerVariables() throws {
        var player = try peer(
            #"{"type":"message","direction":"in","data":"{\"s\":\"k{{random 4}}\"}","set":{"sid":"/s"}}"#,
            #"{"type":"message","direction":"out","data":"{{sid}} {{last:/s}}"}"#)
        let port = Port()
        player.start(at: 0, port)
        let sent = String(port.take()[0].dropFirst(#"send {"s":""#.count).dropLast(2))
        receive("\(sent) \(sent)", &player, port)
        let phase = player.phase
        expectEqual(phase, .over)
    }

    @Test("The client may leave between two iterations, but not within one")
    func peerRepetition() throws {
        let lines = [#"{"type":"repeat"}"#, Self.ask, Self.answer]
        var player = try peer(lines[0], lines[1], lines[2])
        let port = Port()
        player.start(at: 0, port)
        receive("ask 1 of 7", &player, port)
        player.advance(at: 0, port)
        receive("ask 2 of 7", &player, port)
        player.advance(at: 0, port)
        expectEqual(port.take().filter { $0.hasPrefix("send") }, ["send reply 1", "send reply 2"])
        player.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 0, port)
        let phase = player.phase
        expectEqual(phase, .over)
        var early = try peer(lines[0], lines[1], lines[1], lines[2])
        early.start(at: 0, port)
        receive("ask 1 of 7", &early, port)
        early.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 0, port)
        guard case .failed(let failure) = early.phase else {
            Issue.record("the scenario should have failed")
            return
        }
        expectEqual("\(failure)", "line 3: the connection ended with 1000")
    }

    @Test("A message of the client ends a pause of its peer")
    func peerPause() throws {
        var player = try peer(Self.ask, Self.answer, #"{"type":"pause","for":"1s"}"#, Self.ask, Self.answer)
        let port = Port()
        player.start(at: 0, port)
        receive("ask 1 of 7", &player, port)
        let deadline = player.deadline
        expectEqual(deadline, 1_000_000_000)
        receive("ask 2 of 7", &player, at: 5, port)
        expectEqual(port.take().last, "again")
        let phase = player.phase
        expectEqual(phase, .over)
    }
}
