import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct RequestLinesTests {
    @Test("With a window of one, a request waits for the reply to the previous one")
    func sequence() throws {
        var queue = LineQueue(.init(.order, isSequential: true))
        expectTrue(queue.isSettled)
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 a"])
        expectTrue(queue.isFull)
        expectEqual(queue.unansweredCount, 2)
        expectEqual(queue.received("x"), true)
        expectEqual(queue.sendable(), ["2 b"])
        expectFalse(queue.isFull)
        expectFalse(queue.isSettled)
        expectEqual(queue.received("y"), true)
        expectTrue(queue.isSettled)
    }

    @Test("A request that times out makes room and is counted")
    func expiry() throws {
        var queue = LineQueue(.init(.order, isSequential: true, replyTimeout: .seconds(1)))
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 a"])
        expectEqual(queue.expire(at: .seconds(1)).map(\.number), [1])
        expectEqual(queue.expiredCount, 1)
        expectEqual(queue.sendable(), ["2 b"])
    }

    @Test("Replies with keys may arrive in any order, and late")
    func keys() throws {
        var queue = LineQueue(.init(.keys, replyTimeout: .seconds(1)))
        for text in ["a", "b", "c"] { try queue.add(text) }
        for (number, key) in [(1, "x"), (2, nil), (3, "y")] {
            let taken = queue.next(at: .zero)
            let line = try #require(taken)
            expectEqual(line.number, number)
            // The second message has no reply.
            let isAwaited = queue.sent(line, LineReceipt(key: key), at: .zero)
            expectEqual(isAwaited, key != nil)
        }
        expectEqual(queue.unansweredCount, 2)
        expectEqual(queue.received(key: "y", at: .zero).reply?.number, 3)
        expectEqual(queue.received(key: "y", at: .zero), .push)
        expectEqual(queue.expire(at: .seconds(1)).map(\.number), [1])
        let late = queue.received(key: "x", at: .seconds(2))
        expectEqual(late, .lateReply(Reply(number: 1, roundTrip: .seconds(2)), delay: .seconds(1)))
        expectTrue(queue.isSettled)
    }

    @Test("A line whose reply is optional is confirmed by a pong, and its reply is matched on the next connection")
    func optionalReplies() throws {
        var queue = LineQueue(.init(.keys, needsReplies: false, keepsLines: true))
        queue.connectionOpened(at: .zero)
        for (text, confirmation) in [("a", .acknowledgementOrPong("1")), ("b", .acknowledgement("2"))]
            as [(String, LineConfirmation)]
        {
            let line = queue.request(Array(text.utf8), as: .text)
            queue.sent(line, LineReceipt(key: confirmation.key, confirmedBy: confirmation), at: .zero)
        }
        expectEqual(queue.unansweredCount, 0)
        expectEqual(queue.unconfirmedCount, 2)
        queue.pongReceived(queue.makePing().span.bytes)
        expectEqual(queue.unconfirmedCount, 1)
        expectEqual(queue.received(key: "1", at: .zero).reply?.number, 1)
        queue.connectionEnded()
        let taken = queue.next(at: .zero)
        let line = try #require(taken)
        #expect(line.number == 2 && line.wasSent)
        queue.sent(line, LineReceipt(key: "3", confirmedBy: .acknowledgement("3")), at: .zero)
        queue.acknowledged("3")
        expectEqual(queue.received(key: "3", at: .zero).reply?.number, 2)
        expectEqual(queue.unconfirmedCount, 0)
    }

    @Test("A message that is not final is finished when it may be sent, and an operand again on the next connection")
    func drafts() throws {
        let first = Line(Array("first".utf8), as: .text, number: 1, from: .operand, draft: .template("message 1"))
        var queue = LineQueue(.init(.order, isSequential: true, keepsLines: true), operands: [first])
        queue.append(queue.request(Array("second".utf8), as: .text, draft: .template("input message 1")))
        let taken = queue.next(at: .zero)
        let draft = try #require(taken)
        expectEqual(draft.draft, .template("message 1"))
        queue.sent(draft.finished(Array("1st".utf8)), at: .zero)
        // The second one has to wait for the reply to the first one.
        expectNil(queue.next(at: .zero))
        expectTrue(queue.isFull)
        queue.connectionEnded()
        let repeated = queue.next(at: .zero)
        let again = try #require(repeated)
        #expect(again.draft == .template("message 1") && again.wasSent && again.payload == draft.payload)
        queue.sent(again.finished(Array("1st again".utf8)), at: .zero)
        expectEqual(queue.received("x"), true)
        expectEqual(queue.next(at: .zero)?.draft, .template("input message 1"))
        expectTrue(queue.isSettled)
    }

    @Test(
        "An error without an id answers the only call in flight, so nothing waits for its timeout",
        arguments: [#"{"jsonrpc":"2.0","error":{"code":-32700},"id":null}"#, #"{"jsonrpc":"2.0","error":{"code":1}}"#])
    func errorWithoutID(error: String) throws {
        var queue = LineQueue(.init(.calls()))
        try queue.add("first")
        _ = queue.sendable()
        expectEqual(queue.received(error), true)
        expectTrue(queue.isSettled)
        // With several, nothing says which one it answers.
        try queue.add("second")
        try queue.add("third")
        _ = queue.sendable()
        expectEqual(queue.received(error), false)
        expectEqual(queue.unansweredCount, 2)
    }

    @Test("Notifications are counted, do not wait, and delay nothing")
    func notifications() throws {
        var queue = LineQueue(.init(.id(at: "id"), isSequential: true))
        for text in ["{}", #"{"id":1}"#, "x", #"{"id":2}"#] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 {} -", #"2 {"id":1}"#])
        expectEqual(queue.received("{}"), false)
        expectEqual(queue.received(#"{"id":1}"#), true)
        expectEqual(queue.sendable(), ["3 x -", #"4 {"id":2}"#])
    }

    @Test("At most 65,536 requests are in flight")
    func window() throws {
        var queue = LineQueue(.init(.id(at: "id")))
        for id in 0...LineQueue.maximumInFlight { try queue.add(#"{"id":\#(id)}"#) }
        expectEqual(queue.sendable().count, LineQueue.maximumInFlight)
        expectTrue(queue.isFull)
        expectEqual(queue.received(#"{"id":5}"#), true)
        expectEqual(queue.sendable().count, 1)
        expectFalse(queue.isFull)
    }

    @Test("Requests kept for another connection are in flight up to 16 MiB")
    func keptBytes() throws {
        var queue = LineQueue(.init(.id(at: "id"), keepsLines: true))
        let padding = String(repeating: "x", count: 1 << 20)
        for id in 0..<20 { try queue.add(#"{"id":\#(id),"x":"\#(padding)"}"#) }
        expectEqual(queue.sendable().count, 16)
    }

    @Test("Lines become calls with their numbers as ids")
    func calls() throws {
        var queue = LineQueue(.init(.calls()))
        try queue.add("a")
        expectNil(try? queue.add(" "))
        try queue.add("b 1")
        expectEqual(
            queue.sendable(),
            [
                #"1 {"jsonrpc":"2.0","id":1,"method":"a"}"#,
                #"2 {"jsonrpc":"2.0","id":2,"method":"b","params":[1]}"#,
            ])
    }

    @Test("A new connection starts with the operands, then unanswered requests, then waiting ones")
    func reconnecting() throws {
        var queue = LineQueue(.init(.id(at: "id"), keepsLines: true), operands: operands(#"{"id":"hello"}"#, "{}"))
        for id in 3...5 { try queue.add(#"{"id":\#(id)}"#) }
        expectEqual(queue.sendable().count, 5)
        expectEqual(queue.received(#"{"id":"hello"}"#), true)
        expectEqual(queue.received(#"{"id":4}"#), true)
        try queue.add(#"{"id":6}"#)
        queue.connectionEnded()
        expectEqual(
            queue.sendable(),
            [#"1 {"id":"hello"} *"#, "2 {} - *", #"3 {"id":3} *"#, #"5 {"id":5} *"#, #"6 {"id":6}"#])
        try queue.add(#"{"id":7}"#)
        expectEqual(queue.sendable(), [#"7 {"id":7}"#])
    }

    @Test("Notifications and requests are sent again in their order")
    func mixed() throws {
        var queue = LineQueue(.init(.id(at: "id"), keepsLines: true))
        for text in [#"{"id":1}"#, "x", #"{"id":3}"#] { try queue.add(text) }
        _ = queue.sendable()
        expectEqual(queue.unansweredCount, 2)
        expectEqual(queue.unconfirmedCount, 1)
        queue.connectionEnded()
        expectEqual(queue.sendable(), [#"1 {"id":1} *"#, "0 x - *", #"3 {"id":3} *"#])
    }

    @Test("With a window of one, a request keeps its number on a new connection, too")
    func reconnectingInSequence() throws {
        var queue = LineQueue(.init(.order, isSequential: true, keepsLines: true), operands: operands("hello"))
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 hello"])
        expectEqual(queue.received(""), true)
        expectEqual(queue.sendable(), ["2 a"])
        queue.connectionEnded()
        expectEqual(queue.sendable(), ["1 hello *"])
        expectEqual(queue.received(""), true)
        expectEqual(queue.sendable(), ["2 a *"])
        expectEqual(queue.received(""), true)
        expectEqual(queue.sendable(), ["3 b"])
    }

    @Test("A request that ends every connection is sent alone, and then given up")
    func givenUp() throws {
        var queue = LineQueue(.init(.id(at: "id"), keepsLines: true))
        for id in 1...3 { try queue.add(#"{"id":\#(id)}"#) }
        for _ in 1...2 {
            queue.connectionOpened(at: .zero)
            expectEqual(queue.sendable().count, 3)
            let givenUp = queue.connectionEnded()
            expectNil(givenUp)
        }
        for turn in 1...2 {
            queue.connectionOpened(at: .zero)
            let firstTime = turn == 1 ? LineQueue.Caution.firstLineDelay : LineQueue.Caution.lastAttemptDelay
            expectNil(queue.next(at: firstTime - .milliseconds(1)))
            expectEqual(queue.nextDueTime(after: .zero), firstTime)
            let taken = queue.next(at: firstTime)
            let next = try #require(taken)
            #expect(next.number == 1 && next.wasSent)
            queue.sent(next, at: firstTime)
            expectNil(queue.next(at: .seconds(1)))
            let givenUp = queue.connectionEnded()
            expectEqual(givenUp?.number, (turn == 1 ? nil : 1))
        }
        expectEqual(queue.kept.map(\.number), [1])
        expectEqual(queue.unansweredSentCount, 3)
        queue.connectionOpened(at: .zero)
        for number in [2, 3, 1] {
            let taken = queue.next(at: .seconds(1))
            let next = try #require(taken)
            expectEqual(next.number, number)
            queue.sent(next, at: .seconds(1))
            if number == 2 { queue.retryKept(at: .seconds(1)) }
            expectEqual(queue.received(#"{"id":\#(number)}"#), true)
        }
        expectTrue(queue.isSettled)
    }

    @Test("Requests go carefully after lost connections only until one that was sent before is answered")
    func endOfCaution() throws {
        var queue = LineQueue(.init(.id(at: "id"), keepsLines: true))
        try queue.add(#"{"id":1}"#)
        for _ in 1...2 {
            expectEqual(queue.sendable().count, 1)
            queue.connectionEnded()
        }
        for id in 2...3 { try queue.add(#"{"id":\#(id)}"#) }
        expectEqual(queue.sendable(), [#"1 {"id":1} *"#])
        expectEqual(queue.received(#"{"id":1}"#), true)
        expectEqual(queue.sendable().count, 2)
    }

    @Test("After abandoning, only the operands are sent")
    func abandoning() throws {
        var queue = LineQueue(.init(.order, isSequential: true), operands: operands("hello"))
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 hello"])
        queue.connectionEnded(isInterruption: false)
        expectEqual(queue.unansweredCount, 3)
        queue.abandonRequests()
        expectEqual(queue.unansweredCount, 0)
        queue.connectionOpened(at: .zero)
        expectEqual(queue.sendable(), ["1 hello *"])
        expectEqual(queue.received(""), true)
        expectTrue(queue.isSettled)
    }

    private func operands(_ texts: String...) -> [Line] {
        texts.enumerated().map { Line(Array($1.utf8), as: .text, number: $0 + 1, from: .operand) }
    }
}

extension LineQueue {
    fileprivate mutating func add(_ text: String) throws(JSONRPCCallError) {
        let number = messageCount + 1
        append(request(try settings.message(for: Array(text.utf8).span.bytes, number: number), as: .text))
    }

    /// The numbers of messages that may be sent now, with a hyphen if no reply is expected, and with a star if they
    /// were sent before.
    fileprivate mutating func sendable() -> [String] {
        var result: [String] = []
        while let line = next(at: .zero) {
            let isAwaited = sent(line, at: .zero)
            let text = String(decoding: line.payload, as: UTF8.self)
            result.append("\(line.number) \(text)\(isAwaited ? "" : " -")\(line.wasSent ? " *" : "")")
        }
        return result
    }

    /// Whether a message is a reply.
    fileprivate mutating func received(_ text: String) -> Bool {
        let finding = Array(text.utf8).withUnsafeBytes { received($0.bytes, at: .zero) }
        if case .reply = finding { return true }
        return false
    }
}
