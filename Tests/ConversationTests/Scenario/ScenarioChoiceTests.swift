import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

/// Optional steps, steps in any order, replies of several messages, and the reasons of failures.
@Suite struct ScenarioChoiceTests {
    /// Records what the player does.
    private final class Port: ScenarioPlayer.Port {
        private(set) var log: [String] = []

        func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
            log.append("send " + payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            return true
        }
        func send(control opcode: Opcode, _ payload: RawSpan) -> Bool { true }
        func close(_ frame: CloseFrame) -> Bool { true }
        func drop() {}
        func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) {
            log.append("\(index)" + (reply.map { " with \($0.messageCount), gap \($0.longestGap)" } ?? ""))
        }
        func stepSkipped(_ index: Int) { log.append("no \(index)") }
        func messageSkipped() { log.append("skip") }
    }

    private static let second: UInt64 = 1_000_000_000

    private func player(_ lines: [String], playsPeer: Bool = false) throws -> ScenarioPlayer {
        var options = ScenarioFixture.options
        options.playsPeer = playsPeer
        let bytes = Array(lines.joined(separator: "\n").utf8)
        return ScenarioPlayer(
            try Scenario(bytes.span.bytes, options), connection: 1, defaultTimeout: .seconds(5), repeats: false,
            clockOffset: 0, seed: 1)
    }

    /// Plays a scenario with messages, one per nanosecond, and returns what happened.
    private func play(
        _ lines: String..., messages: [String], endingAt end: UInt64? = nil, closing: Bool = false,
        playsPeer: Bool = false
    ) throws -> [String] {
        var player = try player(lines, playsPeer: playsPeer)
        let port = Port()
        player.start(at: 0, port)
        for (number, message) in messages.enumerated() {
            let now = UInt64(number + 1)
            Array(message.utf8).withUnsafeBytes { player.received($0.bytes, as: .text, at: now, port) }
            player.advance(at: now, port)
        }
        if let end { player.timePassed(at: end, port) }
        if closing { player.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: 99, port) }
        switch player.phase {
        case .over: return port.log + ["over"]
        case .failed(let failure): return port.log + ["\(failure)"]
        default: return port.log
        }
    }

    private static func awaiting(_ pattern: String, _ more: String = "") -> String {
        #"{"type":"message","direction":"in","match":"\#(pattern)"\#(more)}"#
    }

    private static let ask = #"{"type":"message","direction":"out","data":"ask"}"#
    private static let anyOrder =
        #"{"type":"anyOrder","steps":[\#(awaiting("^a", #","name":"first""#)),\#(awaiting("^b"))]}"#

    // MARK: Optional steps

    @Test("An optional message is taken, or the next step takes its message")
    func optional() throws {
        let optional = Self.awaiting("^welcome", #","optional":true"#)
        try expectEqual(play(optional, Self.awaiting("^ok"), messages: ["welcome", "ok"]), ["0", "1", "over"])
        try expectEqual(
            play(optional, Self.awaiting("^ok"), messages: ["noise", "ok"]), ["skip", "no 0", "1", "over"])
        try expectEqual(
            play(optional, optional, Self.awaiting("^ok"), Self.ask, messages: ["ok"]),
            ["no 0", "no 1", "2", "send ask", "3", "over"])
    }

    @Test("An optional message that does not arrive within its time limit is skipped")
    func optionalTimeout() throws {
        let optional = Self.awaiting("^welcome", #","optional":true,"timeout":"1s""#)
        try expectEqual(
            play(optional, Self.ask, messages: [], endingAt: Self.second), ["no 0", "send ask", "1", "over"])
        try expectEqual(play(Self.ask, optional, messages: [], closing: true), ["send ask", "0", "no 1", "over"])
    }

    @Test("A step after an optional one has its own failure")
    func failureAfterOptional() throws {
        let log = try play(
            Self.awaiting("^welcome", #","optional":true"#), Self.awaiting("^ok", #","expect":"fine""#),
            messages: ["ok, bad"])
        expectEqual(log, ["line 2: the message is wrong: expected a match of 'fine', received ok, bad"])
    }

    // MARK: Any order

    @Test("Steps in any order take their messages as they arrive")
    func anyOrder() throws {
        try expectEqual(play(Self.anyOrder, Self.ask, messages: ["a", "b"]), ["0", "1", "send ask", "2", "over"])
        try expectEqual(
            play(Self.anyOrder, Self.ask, messages: ["b", "x", "a"]), ["1", "skip", "0", "send ask", "2", "over"])
        // The second message of a kind is for no step.
        try expectEqual(play(Self.anyOrder, Self.ask, messages: ["b", "b"]), ["1", "skip"])
    }

    @Test("A missing message of any order fails its step")
    func anyOrderTimeout() throws {
        let log = try play(Self.anyOrder, messages: ["b"], endingAt: 5 * Self.second)
        expectEqual(log, ["1", "line 1 (first): nothing arrived within 5 s"])
    }

    @Test("Only optional messages of any order may be missing")
    func optionalInAnyOrder() throws {
        let group =
            #"{"type":"anyOrder","timeout":"1s","steps":[\#(Self.awaiting("^a", #","optional":true"#)),"#
            + Self.awaiting("^b") + "]}"
        try expectEqual(play(group, messages: ["b"], endingAt: Self.second), ["1", "no 0", "over"])
        try expectEqual(play(group, Self.awaiting("^c"), messages: ["b", "c"]), ["1", "no 0", "2", "over"])
        try expectEqual(play(group, messages: [], endingAt: Self.second), ["line 1: nothing arrived within 1 s"])
    }

    // MARK: Replies of several messages

    private static let stream =
        #"{"type":"message","direction":"in","replyEnd":"json:.done","expect":"ok","set":{"n":"/n"}}"#
    private static let useOfN = #"{"type":"message","direction":"out","data":"{{n}}"}"#

    @Test("A reply consists of all messages up to the end, which is checked and sets variables")
    func reply() throws {
        let log = try play(
            Self.stream, Self.useOfN, messages: ["part", #"{"n":1}"#, #"{"n":2,"done":"ok"}"#])
        expectEqual(log, ["0 with 3, gap 1", "send 2", "1", "over"])
        let wrong = try play(Self.stream, messages: [#"{"n":2,"done":true}"#])
        expectEqual(wrong.last?.hasPrefix("line 1: the message is wrong"), true)
    }

    @Test("With a matcher, other messages do not belong to the reply")
    func matchedReply() throws {
        let step = Self.awaiting("^part", #","replyEnd":"end$""#)
        try expectEqual(play(step, messages: ["part", "tick", "the end"]), ["skip", "0 with 2, gap 2", "over"])
    }

    @Test("A reply without its end fails")
    func endlessReply() throws {
        let log = try play(Self.stream, messages: ["a", "b"], endingAt: 5 * Self.second)
        expectEqual(log, ["line 1: the reply did not end within 5 s, after 2 messages"])
        let optional = Self.awaiting("^part", #","replyEnd":"end$","optional":true"#)
        try expectEqual(
            play(optional, Self.ask, messages: ["part"], endingAt: 5 * Self.second).last?.hasPrefix("line 1"), true)
    }

    // MARK: The peer

    private static let sent =
        #"{"type":"message","direction":"out","data":"x","match":{"/op":"join"},"set":{"r":"/room"}}"#
    private static let joined = #"{"type":"message","direction":"in","data":"joined {{r}}","match":"joined"}"#

    @Test("A server matches the client's message, and uses its values")
    func peerMatches() throws {
        let message = #"{"op":"join","room":"blue","time":7}"#
        try expectEqual(
            play(Self.sent, Self.joined, messages: [message], playsPeer: true), ["0", "send joined blue", "1", "over"])
        let log = try play(Self.sent, messages: [#"{"op":"leave"}"#], playsPeer: true)
        expectEqual(log, [#"line 1: another message arrived: /op: expected "join", received "leave""#])
    }

    @Test("A client that sends a message sets the same variables")
    func clientSets() throws {
        let send = #"{"type":"message","direction":"out","data":"{\"room\":\"blue\"}","set":{"r":"/room"}}"#
        try expectEqual(
            play(send, Self.useOfN.replacing("{{n}}", with: "{{r}}"), messages: []),
            [#"send {"room":"blue"}"#, "0", "send blue", "1", "over"])
    }

    @Test("A server takes messages in any order, and does without optional ones")
    func peerChoices() throws {
        func out(_ data: String, _ more: String = "") -> String {
            #"{"type":"message","direction":"out","data":"\#(data)"\#(more)}"#
        }
        let group = #"{"type":"anyOrder","steps":[\#(out("a")),\#(out("b"))]}"#
        try expectEqual(
            play(group, Self.joinedLine, messages: ["b", "a"], playsPeer: true),
            [
                "1", "0", "send j", "2", "over",
            ])
        let optional = out("x", #","optional":true"#)
        try expectEqual(play(optional, out("a"), messages: ["a"], playsPeer: true), ["no 0", "1", "over"])
        try expectEqual(
            play(optional, Self.joinedLine, messages: [], endingAt: Self.second, playsPeer: true),
            ["no 0", "send j", "1", "over"])
        // The closest step is at fault.
        let pair = #"{"type":"anyOrder","steps":[\#(out(#"{\"a\":1}"#)),\#(out(#"{\"b\":1,\"c\":2}"#))]}"#
        let log = try play(pair, messages: [#"{"b":1,"c":3}"#], playsPeer: true)
        expectEqual(log, ["line 1: another message arrived: /c: expected 2, received 3"])
    }

    private static let joinedLine = #"{"type":"message","direction":"in","data":"j"}"#

    // MARK: Failures

    @Test("A failure names the closest message, not the last one")
    func closest() throws {
        let step = #"{"type":"message","direction":"in","match":{"/type":"reply","/id":7}}"#
        let messages = [#"{"type":"reply","id":6}"#] + Array(repeating: #"{"type":"tick"}"#, count: 100)
        let log = try play(step, messages: messages, endingAt: 5 * Self.second)
        expectEqual(
            log.last, "line 1: no matching message within 5 s; the closest message differs: /id: expected 7, received 6"
        )
    }

    @Test("A failure names the step that skipped a matching message")
    func skippedEarlier() throws {
        let log = try play(
            Self.awaiting("^first"), Self.awaiting("^second"), messages: ["second", "first"], endingAt: 6 * Self.second)
        expectEqual(
            log.last, "line 2: no matching message within 5 s; the step in line 1 skipped a message that matches")
    }

    // MARK: Files

    private func problem(_ line: String, playsPeer: Bool = false) throws -> String? {
        do throws(ScenarioError) {
            var options = ScenarioFixture.options
            options.playsPeer = playsPeer
            _ = try Scenario(Array(line.utf8).span.bytes, options)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("Mistakes in steps of any order have their column")
    func mistakes() throws {
        try expectEqual(problem(#"{"type":"anyOrder"}"#)?.hasPrefix("line 1, column 1: 'anyOrder' has no steps"), true)
        try expectEqual(problem(#"{"type":"anyOrder","steps":[]}"#)?.hasPrefix("line 1, column 28: 'anyOrder'"), true)
        try expectEqual(
            problem(#"{"type":"anyOrder","steps":7}"#), "line 1, column 28: 'steps' is not an array of steps")
        try expectEqual(
            problem(#"{"type":"anyOrder","steps":[{"type":"ping","direction":"in"}]}"#)?
                .hasPrefix("line 1, column 37: only messages may have any order"), true)
        try expectEqual(
            problem(#"{"type":"anyOrder","steps":[{"type":"message","direction":"in","mtch":"x"}]}"#)?
                .hasPrefix("line 1, column 64: unknown member 'mtch'"), true)
        try expectNotNil(problem(#"{"type":"anyOrder","steps":[\#(Self.awaiting("a", #","replyEnd":"b""#))]}"#))
        try expectNotNil(problem(#"{"type":"anyOrder","steps":[\#(Self.awaiting("a")),\#(Self.ask)]}"#))
    }

    @Test("A server sends an optional message only if the file has it")
    func optionalOfServer() throws {
        let optional = Self.awaiting("^welcome", #","optional":true"#)
        try expectNotNil(problem(Self.awaiting("^welcome"), playsPeer: true))
        try expectEqual(play(optional, Self.joinedLine, messages: [], playsPeer: true), ["send j", "0", "over"])
    }

    @Test("The subprotocol of a recorded connection is known")
    func subprotocol() throws {
        let lines = [
            #"{"type":"open","time":"2026-01-01T00:00:00Z","url":"ws://a/","subprotocol":"mqtt"}"#, Self.ask,
        ]
        let scenario = try Scenario(Array(lines.joined(separator: "\n").utf8).span.bytes, ScenarioFixture.options)
        expectEqual(scenario.subprotocol, "mqtt")
    }
}
