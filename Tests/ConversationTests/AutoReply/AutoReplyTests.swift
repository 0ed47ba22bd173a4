import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct AutoReplyTests {
    /// Collects sent messages.
    private final class Sent {
        var messages: [String] = []
        func callAsFunction(_ payload: RawSpan) {
            messages.append(payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
    }

    private func makeExchange(
        first: [String] = [], ready: String? = nil, answers: [String] = []
    ) throws -> AutoReply {
        var plan = AutoReply.Plan()
        plan.firstMessages = try first.map { try Template($0) { _ in nil } }
        plan.ready = ready
        plan.answers = try answers.map { AutoReply.Plan.Answer(try AnswerRule($0) { _ in nil }) }
        return AutoReply(AutoReply.Rules(plan), seed: 1)
    }

    private func receive(
        _ text: String, in exchange: AutoReply, _ sent: Sent = Sent()
    ) throws -> AutoReply.Finding {
        try Array(text.utf8).withUnsafeBytes { try exchange.receive($0.bytes, at: 5000) { sent($0) } }
    }

    @Test("First messages are sent in order and numbered, again on each connection")
    func firstMessages() throws {
        let exchange = try makeExchange(first: ["hello {{connection}}", "{{seq}} at {{time}}"])
        let sent = Sent()
        exchange.begin(connection: 1)
        try exchange.sendFirstMessages(at: 1000) { sent($0) }
        exchange.begin(connection: 2)
        try exchange.sendFirstMessages(at: 2000) { sent($0) }
        expectEqual(sent.messages, ["hello 1", "2 at 1000", "hello 2", "2 at 2000"])
        let isReady = exchange.isReady
        expectTrue(isReady)
    }

    @Test("The opening ends with the message that matches, and begins again with each connection")
    func readiness() throws {
        let exchange = try makeExchange(ready: "^ready$")
        for number: UInt64 in 1...2 {
            exchange.begin(connection: number)
            var findings: [AutoReply.Finding] = []
            for text in ["not ready", "ready", "ready", "other"] {
                findings.append(try receive(text, in: exchange))
            }
            expectEqual(findings, [.opening, .ready, .none, .none])
        }
    }

    @Test("A peer that is ready before the first messages are sent stays ready")
    func early() throws {
        let exchange = try makeExchange(first: ["login"], ready: "ready")
        exchange.begin(connection: 1)
        try expectEqual(receive("hello", in: exchange), .opening)
        try expectEqual(receive("ready", in: exchange), .ready)
        let sent = Sent()
        try exchange.sendFirstMessages(at: 0) { sent($0) }
        expectEqual(sent.messages, ["login"])
        let isReady = exchange.isReady
        expectTrue(isReady)
    }

    @Test("The first matching rule answers, also during the opening")
    func answers() throws {
        let exchange = try makeExchange(
            ready: "welcome", answers: [#"^challenge (\w+)$ => response $1"#, "c => never", "ping => {{seq}}"])
        exchange.begin(connection: 1)
        let sent = Sent()
        try expectEqual(receive("challenge xyz", in: exchange, sent), .answered)
        try expectEqual(receive("welcome", in: exchange, sent), .ready)
        try expectEqual(receive("ping", in: exchange, sent), .answered)
        try expectEqual(receive("data", in: exchange, sent), .none)
        try expectEqual(receive("ping", in: exchange, sent), .answered)
        expectEqual(sent.messages, ["response xyz", "2", "3"])
    }

    @Test("An answer inserts values of the message it answers")
    func values() throws {
        let exchange = try makeExchange(answers: [#""type":"ping" => {"pong":{{last:/id}},"to":{{json:last:/from}}}"#])
        exchange.begin(connection: 1)
        let sent = Sent()
        try expectEqual(receive(#"{"type":"ping","id":7,"from":"a\"b"}"#, in: exchange, sent), .answered)
        expectEqual(sent.messages, [#"{"pong":7,"to":"a\"b"}"#])
        #expect(throws: TemplateValueError.missing(path: "/id")) {
            try receive(#"{"type":"ping"}"#, in: exchange, sent)
        }
        expectEqual(sent.messages.count, 1)
    }
}
