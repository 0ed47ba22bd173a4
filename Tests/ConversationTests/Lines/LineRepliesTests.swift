import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct LineRepliesTests {
    @Test("Without a field, messages answer requests in order, and are pushes if none is in flight")
    func order() {
        var tracker = LineQueue(.init(.order))
        expectEqual(tracker.received("a", 0), .push)
        expectEqual(tracker.sent(1, "x", 1), true)
        expectEqual(tracker.sent(2, "y", 2), true)
        expectEqual(tracker.unansweredCount, 2)
        expectEqual(tracker.received("", 4), .reply(1, 3))
        expectEqual(tracker.received("{}", 7), .reply(2, 5))
        expectEqual(tracker.received("a", 9), .push)
        expectEqual(tracker.unansweredCount, 0)
    }

    @Test("With a field, the reply is the message with the same value, in any order")
    func correlation() {
        var tracker = Self.correlating()
        expectEqual(tracker.sent(1, #"{"id":1}"#, 0), true)
        expectEqual(tracker.sent(2, #"{"id":"1"}"#, 1), true)
        expectEqual(tracker.sent(3, #"{"id":3.0}"#, 2), true)
        expectEqual(tracker.received(#"{"id":2}"#, 3), .push)
        expectEqual(tracker.received("text", 3), .push)
        expectEqual(tracker.received(#"{"id":"\u0031"}"#, 5), .reply(2, 4))
        expectEqual(tracker.received(#"{"id":3}"#, 5), .reply(3, 3))
        expectEqual(tracker.received(#"{"id":1.0}"#, 5), .reply(1, 5))
        expectEqual(tracker.received(#"{"id":1}"#, 6), .push)
    }

    @Test("The reply has the id at the first of several locations where a request in flight has it")
    func severalLocations() {
        var tracker = LineQueue(.init(.id(at: "/1=/2,/1"), replyTimeout: .seconds(30)))
        for number in [7, 48, 9_007_199_254_740_992] {
            expectEqual(tracker.sent(number % 100, "[48,\(number),{}]", 0), true)
        }
        // An ERROR of WAMP has the type of the request before its id.
        expectEqual(tracker.received("[8,48,7,{}]", 1), .reply(7, 1))
        expectEqual(tracker.received("[33,48,551]", 2), .reply(48, 2))
        expectEqual(tracker.received("[50,9007199254740993,{}]", 2), .push)
        expectEqual(tracker.received("[50,9007199254740992,{},[5]]", 3), .reply(92, 3))
        expectEqual(tracker.received("[8,48,7,{}]", 4), .push)
        expectEqual(tracker.unansweredCount, 0)
    }

    @Test("A request in flight counts before one that has timed out, wherever its id is")
    func lateAtAnotherLocation() {
        var tracker = LineQueue(.init(.id(at: "id=a,b"), replyTimeout: .seconds(10)))
        expectEqual(tracker.sent(1, #"{"id":1}"#, 0), true)
        expectEqual(tracker.expire(10), ["1 1"])
        expectEqual(tracker.sent(2, #"{"id":2}"#, 11), true)
        expectEqual(tracker.received(#"{"a":1,"b":2}"#, 12), .reply(2, 1))
        expectEqual(tracker.received(#"{"a":3,"b":1}"#, 13), .late(1, 13, by: 3))
        expectEqual(tracker.received(#"{"a":3,"b":1}"#, 14), .push)
    }

    @Test("The id of a request in its own reply location answers nothing")
    func otherLocation() {
        var tracker = LineQueue(.init(.id(at: "/header/msg_id=/parent_header/msg_id"), replyTimeout: .seconds(30)))
        expectEqual(tracker.sent(1, #"{"header":{"msg_id":"a"}}"#, 0), true)
        expectEqual(tracker.received(#"{"header":{"msg_id":"a"},"parent_header":{}}"#, 1), .push)
        expectEqual(tracker.received(#"{"header":{"msg_id":"b"},"parent_header":{"msg_id":"a"}}"#, 2), .reply(1, 2))
    }

    @Test(
        "A message without the field expects no reply", arguments: ["text", "{}", #"{"id":null}"#, #"{"id":1"#, "[]"])
    func notifications(text: String) {
        var tracker = Self.correlating()
        expectEqual(tracker.sent(1, text, 0), false)
        expectEqual(tracker.unansweredCount, 0)
        expectNil(tracker.nextExpiry())
    }

    @Test("The first of several requests with the same id is answered first")
    func repeatedIDs() {
        var tracker = Self.correlating()
        for number in 1...3 { expectEqual(tracker.sent(number, #"{"id":7}"#, number), true) }
        expectEqual(tracker.received(#"{"id":7}"#, 10), .reply(1, 9))
        expectEqual(tracker.sent(4, #"{"id":7}"#, 10), true)
        for number in 2...4 {
            expectEqual(tracker.received(#"{"id":7}"#, 10), .reply(number, number == 4 ? 0 : 10 - number))
        }
        expectEqual(tracker.received(#"{"id":7}"#, 10), .push)
    }

    @Test("A batch expects a reply per id, and a batch of replies answers several requests")
    func batches() {
        var tracker = Self.correlating()
        expectEqual(tracker.sent(1, #"[{"id":1},{"method":"x"},{"id":2}]"#, 0), true)
        expectEqual(tracker.sent(2, #"{"id":3}"#, 1), true)
        expectEqual(tracker.unansweredCount, 3)
        expectEqual(tracker.received(#"[{"id":9},{"id":3},{"id":2}]"#, 5), .reply(2, 4))
        expectEqual(tracker.unansweredCount, 1)
        expectEqual(tracker.received(#"{"id":1}"#, 6), .reply(1, 6))
    }

    @Test("Requests time out in order, each after its own time limit")
    func expiry() {
        var tracker = Self.correlating(timeout: 10)
        for number in 1...3 { expectEqual(tracker.sent(number, #"{"id":"\#(number)"}"#, number), true) }
        expectEqual(tracker.nextExpiry(), .seconds(11))
        expectEqual(tracker.received(#"{"id":"1"}"#, 5), .reply(1, 4))
        expectEqual(tracker.nextExpiry(), .seconds(12))
        expectEqual(tracker.expire(11), [])
        expectEqual(tracker.expire(12), [#"2 "2""#])
        expectEqual(tracker.expire(60), [#"3 "3""#])
        expectNil(tracker.nextExpiry())
        expectEqual(tracker.expire(61), [])
    }

    @Test("A reply to a request that timed out is late, once")
    func lateReplies() {
        var tracker = Self.correlating(timeout: 10)
        expectEqual(tracker.sent(1, #"{"id":1}"#, 0), true)
        expectEqual(tracker.expire(10), ["1 1"])
        expectEqual(tracker.received(#"{"id":1}"#, 13), .late(1, 13, by: 3))
        expectEqual(tracker.received(#"{"id":1}"#, 14), .push)
    }

    @Test("A reused id belongs to the newer request")
    func reusedIDs() {
        var tracker = Self.correlating(timeout: 10)
        expectEqual(tracker.sent(1, #"{"id":1}"#, 0), true)
        expectEqual(tracker.expire(10), ["1 1"])
        expectEqual(tracker.sent(2, #"{"id":1}"#, 11), true)
        expectEqual(tracker.received(#"{"id":1}"#, 12), .reply(2, 1))
        expectEqual(tracker.received(#"{"id":1}"#, 13), .push)
        // A request that times out while another one with its id is in flight leaves the reply to that one.
        expectEqual(tracker.sent(3, #"{"id":1}"#, 20), true)
        expectEqual(tracker.sent(4, #"{"id":1}"#, 25), true)
        expectEqual(tracker.expire(30), ["3 1"])
        expectEqual(tracker.received(#"{"id":1}"#, 31), .reply(4, 6))
        expectEqual(tracker.received(#"{"id":1}"#, 32), .push)
    }

    @Test("Without a field a late reply is an ordinary message")
    func lateWithoutField() {
        var tracker = LineQueue(.init(.order, replyTimeout: .seconds(10)))
        expectEqual(tracker.sent(1, "x", 0), true)
        expectEqual(tracker.expire(10), ["1"])
        expectEqual(tracker.received("a", 11), .push)
    }

    @Test("Requests that timed out long ago are forgotten, to bound the memory")
    func forgetting() {
        var tracker = Self.correlating(timeout: 1)
        for number in 1...100_000 { expectEqual(tracker.sent(number, #"{"id":\#(number)}"#, 0), true) }
        expectEqual(tracker.expire(at: .seconds(1)).count, 100_000)
        expectEqual(tracker.received(#"{"id":1}"#, 2), .push)
        expectEqual(tracker.received(#"{"id":100000}"#, 2), .late(100_000, 2, by: 1))
        expectEqual(tracker.received(#"{"id":70000}"#, 2), .late(70_000, 2, by: 1))
    }

    @Test("No request times out while nothing can be read")
    func holding() {
        var tracker = Self.correlating(timeout: 10)
        expectEqual(tracker.sent(1, #"{"id":1}"#, 0), true)
        tracker.holdExpiry(at: .seconds(9))
        expectEqual(tracker.sent(2, #"{"id":2}"#, 12), true)
        expectEqual(tracker.nextExpiry(), .seconds(19))
        expectEqual(tracker.expire(18), [])
        expectEqual(tracker.expire(19), ["1 1"])
        expectEqual(tracker.nextExpiry(), .seconds(22))
    }

    @Test("Unanswered requests are sent again, in order and once each")
    func takingBack() {
        var tracker = LineQueue(.init(.id(at: "id"), replyTimeout: .seconds(10), keepsLines: true))
        for (number, text) in [#"{"id":1}"#, #"[{"id":2},{"id":3}]"#, #"{"id":4}"#].enumerated() {
            _ = tracker.sent(number + 1, text, 0)
        }
        expectEqual(tracker.received(#"{"id":1}"#, 1), .reply(1, 1))
        expectEqual(tracker.received(#"{"id":2}"#, 1), .reply(2, 1))
        tracker.connectionEnded()
        expectNil(tracker.nextExpiry())
        expectEqual(tracker.received(#"{"id":4}"#, 1), .push)
        var numbers: [Int] = []
        while let line = tracker.next(at: .zero) { numbers.append(line.number) }
        expectEqual(numbers, [2, 3])
        expectEqual(tracker.byteCount, 0)
    }

    private static func correlating(timeout: Int = 30) -> LineQueue {
        LineQueue(.init(.id(at: "id"), replyTimeout: .seconds(timeout)))
    }
}

// Times are in seconds, and payloads are text.
extension LineQueue {
    fileprivate mutating func sent(_ number: Int, _ text: String, _ seconds: Int) -> Bool {
        sent(Line(Array(text.utf8), as: .text, number: number), at: .seconds(seconds))
    }

    fileprivate mutating func received(_ text: String, _ seconds: Int) -> Finding {
        Array(text.utf8).withUnsafeBytes { received($0.bytes, at: .seconds(seconds)) }
    }

    fileprivate mutating func expire(_ seconds: Int) -> [String] {
        expire(at: .seconds(seconds)).map { "\($0.number)" + ($0.id.map { " \($0)" } ?? "") }
    }
}

extension LineQueue.Finding {
    fileprivate static func reply(_ number: Int, _ seconds: Int) -> Self {
        .reply(Reply(number: number, roundTrip: .seconds(seconds)))
    }

    fileprivate static func late(_ number: Int, _ seconds: Int, by delay: Int) -> Self {
        .lateReply(Reply(number: number, roundTrip: .seconds(seconds)), delay: .seconds(delay))
    }
}
