import Testing
import WSCore

@testable import Listen
@testable import Peer

@Suite struct DelayQueueTests {
    @Test("An item leaves when it is due, and not earlier")
    func due() {
        var line = DelayQueue()
        line.append("a", dueTime: .seconds(3))
        #expect(line.nextDueTime == .seconds(3))
        #expect(line.take(at: .seconds(2)) == [])
        #expect(line.take(at: .seconds(3)) == ["a"])
        #expect(line.nextDueTime == nil)
        #expect(line.queuedBytes == 0)
    }

    @Test("The order is kept: no item is due before an earlier one")
    func order() {
        var line = DelayQueue()
        line.append("a", dueTime: .seconds(5))
        line.append("b", dueTime: .seconds(1))
        line.append("", dueTime: .seconds(1))
        line.append("c", dueTime: .seconds(9))
        #expect(line.take(at: .seconds(4)) == [])
        #expect(line.take(at: .seconds(5)) == ["a", "b", ""])
        // Items that have left do not delay others.
        line.append("d", dueTime: .seconds(6))
        #expect(line.take(at: .seconds(9)) == ["c", "d"])
        line.append("e", dueTime: .seconds(6))
        #expect(line.take(at: .seconds(6)) == ["e"])
    }

    @Test("Pings and close frames keep their place among messages")
    func items() {
        var line = DelayQueue()
        var taken: [InputItem] = []
        let items: [InputItem] = [
            .message(.binary), .ping, .message(.text), .close(CloseFrame(code: .goingAway, reason: "bye")),
        ]
        for item in items { line.append(item, Array("x".utf8).span.bytes, dueTime: .zero) }
        while line.takeFirst(at: .zero, { item, _, _ in taken.append(item) }) {}
        #expect(taken == items)
    }

    @Test("Thousands of items pass in order, and the memory they use is counted")
    func many() {
        var line = DelayQueue()
        var taken: [String] = []
        for number in 0..<5000 {
            line.append("message \(number)", dueTime: .milliseconds(number))
            if number % 3 == 0 { taken += line.take(at: .milliseconds(number / 2)) }
        }
        #expect(line.queuedBytes > 2000 * "message 1234".utf8.count)
        taken += line.take(at: .seconds(10))
        #expect(taken == (0..<5000).map { "message \($0)" })
        #expect(line.queuedBytes == 0)
    }

    @Test("Empty messages count, too")
    func emptyMessages() {
        var line = DelayQueue()
        for _ in 0..<1000 { line.append("", dueTime: .zero) }
        #expect(line.queuedBytes >= 16_000)
    }

    @Test("Taking all items leaves an empty queue")
    func takeAll() {
        var line = DelayQueue()
        line.append("a", dueTime: .zero)
        var taken = line.takeAll()
        #expect(line.take(at: .zero) == [])
        #expect(taken.take(at: .zero) == ["a"])
    }
}

extension DelayQueue {
    fileprivate mutating func append(_ text: String, dueTime: Duration) {
        append(.message(.text), Array(text.utf8).span.bytes, dueTime: dueTime)
    }

    /// The payloads of all items that are due.
    fileprivate mutating func take(at now: Duration) -> [String] {
        var payloads: [String] = []
        let body: (InputItem, RawSpan, MessageMark?) -> Void = { _, payload, _ in
            payloads.append(payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        while takeFirst(at: now, body) {}
        return payloads
    }
}
