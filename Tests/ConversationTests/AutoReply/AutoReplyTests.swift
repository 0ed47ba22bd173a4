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
        plan.answers = try answers.map { AutoReply.Plan.Answer(try AnswerRule($0, from: .options) { _ in nil }) }
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

    @Test("Answers wait for those of programs to earlier messages, and are counted when they are sent")
    func programs() throws {
        let exchange = try makeExchange(answers: ["^p => exec:sign  --fast", "^t => {{seq}}"])
        var started: [String] = []
        exchange.startProgram = { words, message, ticket in
            let text = message.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            started.append("\(words.joined(separator: " ")) \(text) \(ticket)")
        }
        exchange.begin(connection: 1)
        let sent = Sent()
        for text in ["t", "p1", "t", "p2", "t", "x"] { _ = try receive(text, in: exchange, sent) }
        func waiting() -> [String] { exchange.takeWaiting().map { String(decoding: $0, as: UTF8.self) } }
        expectEqual(started, ["sign --fast p1 1", "sign --fast p2 2"])
        expectEqual(sent.messages, ["1"])
        #expect(waiting() == [] && exchange.sentCount == 1)
        exchange.programEnded(2, with: ["two", ""].map { Array($0.utf8) })
        #expect(waiting() == [])
        exchange.programEnded(1, with: [])
        #expect(waiting() == ["2", "two", "", "3"])
        #expect(exchange.sentCount == 5)
        #expect(try receive("t", in: exchange, sent) == .answered)
        expectEqual(sent.messages, ["1", "6"])
    }

    @Test("Beyond 1 MiB of waiting answers, the peer should pause; the next connection begins without them")
    func waitingAnswers() throws {
        let exchange = try makeExchange(answers: ["^p => exec:x", "^t => $0\(String(repeating: "a", count: 1000))"])
        exchange.begin(connection: 1)
        _ = try receive("p", in: exchange)
        func receiveTexts(_ count: Int) throws {
            for _ in 0..<count {
                exchange.beginReceiving()
                _ = try receive("t", in: exchange)
            }
        }
        try receiveTexts(500)
        #expect(!exchange.holdsMuch)
        try receiveTexts(600)
        #expect(exchange.holdsMuch && exchange.sentCount == 0)
        exchange.begin(connection: 2)
        exchange.programEnded(1, with: [[1]])
        #expect(!exchange.holdsMuch && exchange.takeWaiting() == [] && exchange.sentCount == 0)
    }

    @Test("The records of a message have at most 1 MiB of answers, which is reported once")
    func answersOfRecords() throws {
        let exchange = try makeExchange(answers: ["^t => a"])
        exchange.begin(connection: 1)
        exchange.beginReceiving()
        var (answered, reports) = (0, 0)
        for _ in 0..<2000 {
            do {
                if try receive("t", in: exchange) == .answered { answered += 1 }
            } catch {
                reports += 1
            }
        }
        #expect(answered > 1000 && answered < 1100 && reports == 1)
        exchange.beginReceiving()
        try expectEqual(receive("t", in: exchange), .answered)
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

    @Test("Received messages set variables, unless they have no value or null, also during the opening")
    func extractions() throws {
        var plan = AutoReply.Plan()
        let (own, set) = (try plan.variables.add(own: "own"), try plan.variables.add(own: "sid"))
        var row = DataRow()
        row.append(text: Array("x".utf8))
        plan.row = row
        plan.extractions = [Extraction(slot: set, path: try JSONPath(".s"))]
        plan.ready = "ready"
        plan.answers = [
            AutoReply.Plan.Answer(try AnswerRule("\\? => {{own}} {{sid}}", variables: plan.variables) { _ in nil })
        ]
        expectEqual(own, 0)
        let exchange = AutoReply(AutoReply.Rules(plan), seed: 1)
        exchange.begin(connection: 1)
        let sent = Sent()
        #expect(throws: TemplateValueError.unset("sid")) { try receive("?", in: exchange, sent) }
        for text in [#"{"s":"a\"b"}"#, "?", #"{"s":12.50,"is":"ready"}"#, "?", #"{"s":null}"#, "s", "{}", "?"] {
            _ = try receive(text, in: exchange, sent)
        }
        expectEqual(sent.messages, [#"x a"b"#, "x 12.50", "x 12.50"])
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
