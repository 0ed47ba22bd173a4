import Testing
import WSCore

@testable import Listen

@Suite struct ReplayProgressTests {
    @Test("Repeated messages get their recorded answers in any order, and others the next in order")
    func matching() {
        #expect(Self.answers(to: ["a", "b", "c"], recorded: ["a", "b", "c"]) == [1, 2, 3])
        #expect(Self.answers(to: ["b", "a", "c"], recorded: ["a", "b", "c"]) == [2, 1, 3])
        #expect(Self.answers(to: ["x", "b", "y"], recorded: ["a", "b", "c"]) == [1, 2, 3])
        #expect(Self.answers(to: ["c", "x", "y"], recorded: ["a", "b", "c"]) == [3, 1, 2])
    }

    @Test("Each answer is used once: equal messages get successive answers, then none")
    func once() {
        #expect(Self.answers(to: ["p", "p", "p", "p"], recorded: ["p", "q", "p"]) == [1, 3, 2, nil])
        #expect(Self.answers(to: ["x", "x"], recorded: []) == [nil, nil])
    }

    @Test("Text and binary messages with the same bytes differ")
    func kinds() {
        let conversation = Self.conversation([("a", .text), ("a", .binary)])
        let progress = ReplayProgress(through: conversation)
        #expect(progress.next(for: Array("a".utf8).span.bytes, as: .binary) == 2)
        #expect(progress.next(for: Array("a".utf8).span.bytes, as: .text) == 1)
    }

    @Test("Many unknown messages are answered in order without a search")
    func unknown() {
        let conversation = Self.conversation((0..<50_000).map { ("\($0)", .text) })
        let progress = ReplayProgress(through: conversation)
        for number in 0..<50_000 {
            guard progress.next(for: Array("x\(number)".utf8).span.bytes, as: .text) == number + 1 else {
                Issue.record("message \(number) is not answered in order")
                return
            }
        }
        #expect(progress.next(for: RawSpan(), as: .text) == nil)
    }

    private static func answers(to messages: [String], recorded: [String]) -> [Int?] {
        let progress = ReplayProgress(through: conversation(recorded.map { ($0, .text) }))
        return messages.map { progress.next(for: Array($0.utf8).span.bytes, as: .text) }
    }

    private static func conversation(_ messages: [(String, MessageKind)]) -> ReplayConversation {
        var payloads: [UInt8] = []
        var exchanges = [ReplayConversation.Exchange(request: nil)]
        for (message, kind) in messages {
            let start = payloads.count
            payloads += Array(message.utf8)
            exchanges.append(.init(request: .init(kind: kind, payload: start..<payloads.count)))
        }
        return ReplayConversation(exchanges, payloads: payloads)
    }
}
