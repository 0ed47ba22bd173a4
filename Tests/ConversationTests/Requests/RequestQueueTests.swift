import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct RequestQueueTests {
    @Test("With a window of one, a request waits for the reply to the previous one")
    func sequence() throws {
        var queue = RequestQueue(.init(isSequential: true))
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
        var queue = RequestQueue(.init(isSequential: true, replyTimeout: .seconds(1)))
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 a"])
        expectEqual(queue.expire(at: .seconds(1)).map(\.number), [1])
        expectEqual(queue.expiredCount, 1)
        expectEqual(queue.sendable(), ["2 b"])
    }

    @Test("Replies with keys may arrive in any order, and late")
    func keys() throws {
        var queue = RequestQueue(.init(.keys, replyTimeout: .seconds(1)))
        expectFalse(queue.goesByOrder)
        for text in ["a", "b", "c"] { try queue.add(text) }
        var sent: [Request] = []
        while let next = queue.next(at: .zero) { sent.append(next.message) }
        expectEqual(sent.map(\.number), [1, 2, 3])
        // The second message has no reply.
        queue.sent(sent[0], key: "x", at: .zero)
        queue.sent(sent[2], key: "y", at: .zero)
        expectEqual(queue.unansweredCount, 2)
        expectEqual(queue.received(key: "y", at: .zero).reply?.number, 3)
        expectEqual(queue.received(key: "y", at: .zero), .push)
        expectEqual(queue.expire(at: .seconds(1)).map(\.number), [1])
        let late = queue.received(key: "x", at: .seconds(2))
        expectEqual(late, .lateReply(Reply(number: 1, roundTrip: .seconds(2)), delay: .seconds(1)))
        expectTrue(queue.isSettled)
    }

    @Test("A message that is not final is finished when it may be sent, and stays the same on the next connection")
    func drafts() throws {
        var queue = RequestQueue(.init(isSequential: true, keepsRequests: true))
        queue.append(Array("first".utf8), as: .text, isInitial: true, draftName: "message 1")
        queue.append(Array("second".utf8), as: .text, draftName: "input message 1")
        expectEqual(queue.nextDraft(at: .zero)?.draftName, "message 1")
        queue.finish(Array("1st".utf8))
        expectNil(queue.nextDraft(at: .zero))
        expectEqual(queue.sendable(), ["1 1st"])
        // The second one has to wait for the reply to the first one.
        #expect(queue.nextDraft(at: .zero) == nil && queue.isFull)
        queue.connectionLost()
        expectNil(queue.nextDraft(at: .zero))
        expectEqual(queue.sendable(), ["1 1st *"])
        expectEqual(queue.received("x"), true)
        expectNil(queue.nextDraft(at: .zero, isInitial: true))
        expectEqual(queue.nextDraft(at: .zero)?.number, 2)
        queue.dropDraft()
        expectTrue(queue.isSettled)
    }

    @Test(
        "An error without an id answers the only call in flight, so nothing waits for its timeout",
        arguments: [#"{"jsonrpc":"2.0","error":{"code":-32700},"id":null}"#, #"{"jsonrpc":"2.0","error":{"code":1}}"#])
    func errorWithoutID(error: String) throws {
        var queue = RequestQueue(.init(.calls()))
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
        var queue = RequestQueue(.init(.id(at: "id"), isSequential: true))
        for text in ["{}", #"{"id":1}"#, "x", #"{"id":2}"#] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 {} -", #"2 {"id":1}"#])
        expectEqual(queue.received("{}"), false)
        expectEqual(queue.received(#"{"id":1}"#), true)
        expectEqual(queue.sendable(), ["3 x -", #"4 {"id":2}"#])
    }

    @Test("At most 65,536 requests are in flight")
    func window() throws {
        var queue = RequestQueue(.init(.id(at: "id")))
        for id in 0...RequestQueue.maximumInFlight { try queue.add(#"{"id":\#(id)}"#) }
        expectEqual(queue.sendable().count, RequestQueue.maximumInFlight)
        expectTrue(queue.isFull)
        expectEqual(queue.received(#"{"id":5}"#), true)
        expectEqual(queue.sendable().count, 1)
        expectFalse(queue.isFull)
    }

    @Test("Requests kept for another connection are in flight up to 16 MiB")
    func keptBytes() throws {
        var queue = RequestQueue(.init(.id(at: "id"), keepsRequests: true))
        let padding = String(repeating: "x", count: 1 << 20)
        for id in 0..<20 { try queue.add(#"{"id":\#(id),"x":"\#(padding)"}"#) }
        expectEqual(queue.sendable().count, 16)
    }

    @Test("Lines become calls with their numbers as ids")
    func calls() throws {
        var queue = RequestQueue(.init(.calls()))
        try queue.add("a")
        #expect(throws: JSONRPCCallError.noMethod) { try queue.add(" ") }
        try queue.add("b 1")
        expectEqual(
            queue.sendable(),
            [
                #"1 {"jsonrpc":"2.0","id":1,"method":"a"}"#,
                #"2 {"jsonrpc":"2.0","id":2,"method":"b","params":[1]}"#,
            ])
    }

    @Test("A new connection starts with initial messages, then unanswered ones, then waiting ones")
    func reconnecting() throws {
        var queue = RequestQueue(.init(.id(at: "id"), keepsRequests: true))
        try queue.add(#"{"id":"hello"}"#, isInitial: true)
        try queue.add("{}", isInitial: true)
        for id in 3...5 { try queue.add(#"{"id":\#(id)}"#) }
        expectEqual(queue.sendable(isInitial: true).count, 2)
        expectEqual(queue.sendable().count, 3)
        expectEqual(queue.received(#"{"id":"hello"}"#), true)
        expectEqual(queue.received(#"{"id":4}"#), true)
        try queue.add(#"{"id":6}"#)
        queue.connectionLost()
        expectEqual(queue.sendable(isInitial: true), [#"1 {"id":"hello"} *"#, "2 {} - *"])
        expectEqual(queue.sendable(), [#"3 {"id":3} *"#, #"5 {"id":5} *"#, #"6 {"id":6}"#])
        try queue.add(#"{"id":7}"#)
        expectEqual(queue.sendable(), [#"7 {"id":7}"#])
    }

    @Test("With a window of one, a request keeps its number on a new connection, too")
    func reconnectingInSequence() throws {
        var queue = RequestQueue(.init(isSequential: true, keepsRequests: true))
        try queue.add("hello", isInitial: true)
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 hello"])
        expectEqual(queue.received(""), true)
        expectEqual(queue.sendable(), ["2 a"])
        queue.connectionLost()
        expectEqual(queue.sendable(isInitial: true), ["1 hello *"])
        expectEqual(queue.sendable(), [])
        expectEqual(queue.received(""), true)
        expectEqual(queue.sendable(), ["2 a *"])
        expectEqual(queue.received(""), true)
        expectEqual(queue.sendable(), ["3 b"])
    }

    @Test("A request that ends every connection is sent alone, and then given up")
    func givenUp() throws {
        var queue = RequestQueue(.init(.id(at: "id"), keepsRequests: true))
        for id in 1...3 { try queue.add(#"{"id":\#(id)}"#) }
        for _ in 1...2 {
            queue.connectionOpened(at: .zero)
            expectEqual(queue.sendable().count, 3)
            let givenUp = queue.connectionLost()
            expectNil(givenUp)
        }
        for turn in 1...2 {
            queue.connectionOpened(at: .zero)
            let firstTime = turn == 1 ? ResendingCaution.firstLineDelay : ResendingCaution.lastAttemptDelay
            #expect(queue.next(at: firstTime - .milliseconds(1)) == nil && queue.nextTime(after: .zero) == firstTime)
            let next = queue.next(at: firstTime)
            #expect(next?.message.number == 1 && next?.wasSent == true)
            expectNil(queue.next(at: .seconds(1)))
            let givenUp = queue.connectionLost()
            expectEqual(givenUp?.number, (turn == 1 ? nil : 1))
        }
        #expect(queue.kept.map(\.number) == [1] && queue.unconfirmedCount == 3)
        queue.connectionOpened(at: .zero)
        expectEqual(queue.next(at: .seconds(1))?.message.number, 2)
        expectEqual(queue.received(#"{"id":2}"#), true)
        queue.retryKept()
        expectEmpty(queue.kept)
        expectEqual(queue.next(at: .seconds(1))?.message.number, 3)
        expectEqual(queue.received(#"{"id":3}"#), true)
        expectEqual(queue.next(at: .seconds(1))?.message.number, 1)
        expectEqual(queue.received(#"{"id":1}"#), true)
        expectTrue(queue.isSettled)
    }

    @Test("Requests go carefully after lost connections only until one that was sent before is answered")
    func endOfCaution() throws {
        var queue = RequestQueue(.init(.id(at: "id"), keepsRequests: true))
        try queue.add(#"{"id":1}"#)
        for _ in 1...2 {
            expectEqual(queue.sendable().count, 1)
            queue.connectionLost()
        }
        for id in 2...3 { try queue.add(#"{"id":\#(id)}"#) }
        expectEqual(queue.sendable(), [#"1 {"id":1} *"#])
        expectEqual(queue.received(#"{"id":1}"#), true)
        expectEqual(queue.sendable().count, 2)
    }

    @Test("After abandoning, only the initial messages are sent")
    func abandoning() throws {
        var queue = RequestQueue(.init(isSequential: true))
        try queue.add("hello", isInitial: true)
        for text in ["a", "b"] { try queue.add(text) }
        expectEqual(queue.sendable(), ["1 hello"])
        queue.abandon()
        expectEqual(queue.unansweredCount, 1)
        expectEqual(queue.sendable(), ["1 hello *"])
        expectEqual(queue.received(""), true)
        expectTrue(queue.isSettled)
    }
}

extension RequestQueue {
    fileprivate mutating func add(_ text: String, isInitial: Bool = false) throws(JSONRPCCallError) {
        var problem: JSONRPCCallError?
        Array(text.utf8).withUnsafeBytes { bytes in
            do throws(JSONRPCCallError) {
                append(try message(for: bytes.bytes), as: .text, isInitial: isInitial)
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
    }

    /// The numbers of messages that may be sent now, with a hyphen if no reply is expected, and with a star if they
    /// were sent before.
    fileprivate mutating func sendable(isInitial: Bool = false) -> [String] {
        var sent: [String] = []
        while let (message, isAwaited, wasSent) = next(at: .zero, isInitial: isInitial) {
            let text = String(decoding: message.payload, as: UTF8.self)
            sent.append("\(message.number) \(text)\(isAwaited ? "" : " -")\(wasSent ? " *" : "")")
        }
        return sent
    }

    /// Whether a message is a reply.
    fileprivate mutating func received(_ text: String) -> Bool {
        let finding = Array(text.utf8).withUnsafeBytes { received($0.bytes, at: .zero) }
        if case .reply = finding { return true }
        return false
    }
}
