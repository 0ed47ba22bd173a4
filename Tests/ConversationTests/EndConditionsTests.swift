import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct EndConditionsTests {
    @Test("Without conditions no message is the last one")
    func none() {
        var conditions = EndConditions()
        expectNil(conditions.last(of: ["a", ""]))
        expectEqual(conditions.unmetExpectations, [])
    }

    @Test("A message count ends the run")
    func count() {
        var conditions = EndConditions(count: 2)
        expectEqual(conditions.last(of: ["a", "b", "c"]), "b")
    }

    @Test("An omitted message does not count, but it can match")
    func omitted() throws {
        var conditions = EndConditions(
            count: 2, until: [try MessageCondition("x")], expectations: [try MessageCondition("y")])
        for (message, isOmitted, isLast) in [("a", false, false), ("y", true, false), ("b", false, true)] {
            let wasLast = conditions.receive(message, isOmitted: isOmitted)
            expectEqual(wasLast, isLast)
        }
        expectEqual(conditions.unmetExpectations, [])
        conditions = EndConditions(count: 2, until: [try MessageCondition("x")])
        let isLast = conditions.receive("x", isOmitted: true)
        expectTrue(isLast)
    }

    @Test("Each reply counts, but one without the required value is reported")
    func incompleteReplies() {
        var conditions = EndConditions(countsReplies: true, requiredPath: ".a")
        _ = conditions.receive("greeting", isOmitted: true)
        for _ in 1...2 { conditions.messageSent() }
        _ = conditions.inputEnded()
        let results = [conditions.receive("1"), conditions.receive("2", isOmitted: true)]
        expectEqual(results, [false, true])
        expectNil(conditions.unmetGoal)
        expectEqual(conditions.incompleteReplies?.description, "1 of 2 replies has no value at .a (--pick)")
        // Requests know their replies.
        conditions = EndConditions(requiredPath: ".a")
        _ = conditions.receive("push", isOmitted: true, isReply: false)
        expectNil(conditions.incompleteReplies)
        _ = conditions.receive("reply", isOmitted: true)
        expectEqual(conditions.incompleteReplies?.description, "the reply has no value at .a (--pick)")
        conditions = EndConditions(countsReplies: true)
        _ = conditions.receive("reply", isOmitted: true)
        expectNil(conditions.incompleteReplies)
    }

    @Test("Any of several expressions ends the run, and so does the count, whichever is first")
    func until() throws {
        var conditions = EndConditions(until: [try MessageCondition("^x"), try MessageCondition("b+")])
        expectEqual(conditions.last(of: ["a", "ax", "abb", "x"]), "abb")
        conditions = EndConditions(count: 2, until: [try MessageCondition("x")])
        expectEqual(conditions.last(of: ["a", "b", "x"]), "b")
        conditions = EndConditions(count: 2, until: [try MessageCondition("x")])
        expectEqual(conditions.last(of: ["x", "b"]), "x")
    }

    @Test("With one reply per message, the last reply after the end of the input ends the run")
    func replies() {
        var conditions = EndConditions(countsReplies: true)
        for _ in 0..<2 { conditions.messageSent() }
        expectNil(conditions.last(of: ["a"]))
        let isMet = conditions.inputEnded()
        expectFalse(isMet)
        expectEqual(conditions.unmetGoal, UnmetGoal(receivedCount: 1, count: 2, until: [], countsReplies: true))
        expectEqual(conditions.last(of: ["b", "c"]), "b")
        expectNil(conditions.unmetGoal)
    }

    @Test("If all replies have arrived before the end of the input, that end is the end of the run")
    func earlyReplies() {
        var conditions = EndConditions(countsReplies: true)
        conditions.messageSent()
        expectNil(conditions.last(of: ["a", "b"]))
        expectNil(conditions.unmetGoal)
        let isMet = conditions.inputEnded()
        expectTrue(isMet)
    }

    @Test("A message before the first one sent is no reply, unless nothing is sent")
    func greeting() {
        for sendsMessage in [true, false] {
            var conditions = EndConditions(countsReplies: true)
            expectNil(conditions.last(of: ["welcome"]))
            if sendsMessage { conditions.messageSent() }
            let isMet = conditions.inputEnded()
            expectNotEqual(isMet, sendsMessage)
            guard sendsMessage else { continue }
            expectEqual(conditions.unmetGoal?.progress, "0 of 1 replies")
            expectEqual(conditions.last(of: ["reply"]), "reply")
        }
    }

    @Test("Without messages, one reply per message waits for the first message")
    func nothingSent() {
        var conditions = EndConditions(countsReplies: true)
        expectEqual(conditions.unmetGoal?.moment, "before the first message")
        expectEqual(conditions.unmetGoal?.progress, "no message was received")
        let isMet = conditions.inputEnded()
        expectFalse(isMet)
        expectEqual(conditions.last(of: ["a", "b"]), "a")
    }

    @Test("Replies have met a goal if there is one, and as many arrived as messages were sent")
    func metByReplies() throws {
        func areMet(_ conditions: EndConditions, sent: Int, received: [String], isReply: Bool = true) -> Bool {
            var conditions = conditions
            for _ in 0..<sent { conditions.messageSent() }
            _ = conditions.inputEnded()
            for text in received { _ = conditions.receive(text, isReply: isReply) }
            return conditions.areMetByReplies
        }
        let goals = [
            EndConditions(count: 2), EndConditions(countsReplies: true), EndConditions(hasRequests: true),
            EndConditions(until: [try MessageCondition("b")]), EndConditions(expectations: [try MessageCondition("b")]),
        ]
        for goal in goals {
            expectTrue(areMet(goal, sent: 2, received: ["a", "b"]))
            expectFalse(areMet(goal, sent: 3, received: ["a", "b"]))
            expectFalse(areMet(goal, sent: 0, received: ["a", "b"]))
            expectFalse(areMet(goal, sent: 2, received: ["a", "b"], isReply: false))
        }
        expectFalse(areMet(EndConditions(), sent: 1, received: ["a"]))
        expectFalse(areMet(EndConditions(expectations: [try MessageCondition("x")]), sent: 1, received: ["a"]))
    }

    @Test("Each expectation may be met by its own or the same message, including the last one")
    func expectations() throws {
        let patterns = try ["a", "b", "z"].map { try MessageCondition($0) }
        var conditions = EndConditions(count: 2, expectations: patterns)
        expectEqual(conditions.unmetExpectations, ["a", "b", "z"])
        expectNil(conditions.last(of: ["ab"]))
        expectEqual(conditions.unmetExpectations, ["z"])
        expectEqual(conditions.last(of: ["z"]), "z")
        expectEqual(conditions.unmetExpectations, [])
    }

    @Test("A goal is unmet until a message meets it, and either of two is enough")
    func unmetGoal() throws {
        var conditions = EndConditions()
        expectNil(conditions.unmetGoal)
        conditions = EndConditions(count: 3, until: [try MessageCondition("ready"), try MessageCondition("go")])
        expectNil(conditions.last(of: ["a"]))
        expectEqual(conditions.unmetGoal, UnmetGoal(receivedCount: 1, count: 3, until: ["ready", "go"]))
        expectEqual(conditions.last(of: ["go"]), "go")
        expectNil(conditions.unmetGoal)
        conditions = EndConditions(count: 1)
        expectNotNil(conditions.unmetGoal)
        expectEqual(conditions.last(of: ["a"]), "a")
        expectNil(conditions.unmetGoal)
        expectNil(EndConditions(expectations: [try MessageCondition("x")]).unmetGoal)
    }

    @Test(
        "An unmet goal is worded as progress and as the moment of the end",
        arguments: [
            (3, [], "1 of 3 messages", "after 1 of 3 messages"),
            (1, [], "1 of 1 message", "after 1 of 1 message"),
            (nil, ["a"], "no message matched --until 'a'", "before --until 'a' matched"),
            (
                2, ["a", "\u{1B}"], #"1 of 2 messages, and no message matched --until 'a' or '\u{1B}'"#,
                #"after 1 of 2 messages and before --until 'a' or '\u{1B}' matched"#
            ),
        ] as [(Int?, [String], String, String)])
    func words(count: Int?, until: [String], progress: String, moment: String) {
        let goal = UnmetGoal(receivedCount: 1, count: count, until: until)
        expectEqual(goal.progress, progress)
        expectEqual(goal.moment, moment)
    }

    @Test("Invalid UTF-8 is searched, too")
    func bytes() throws {
        var conditions = EndConditions(until: [try MessageCondition("ok")])
        let bytes: [UInt8] = [0xFF, 0x00, 0x6F, 0x6B]
        expectTrue(bytes.withUnsafeBytes { conditions.receive($0.bytes, payload: $0.bytes) })
    }
}

extension EndConditions {
    /// Checks a message.
    fileprivate mutating func receive(_ text: String, isOmitted: Bool = false, isReply: Bool = true) -> Bool {
        Array(text.utf8).withUnsafeBytes {
            receive($0.bytes, payload: $0.bytes, isOmitted: isOmitted, isReply: isReply)
        }
    }

    /// The first message that is the last one that counts.
    fileprivate mutating func last(of messages: [String]) -> String? {
        for message in messages where Array(message.utf8).withUnsafeBytes({ receive($0.bytes, payload: $0.bytes) }) {
            return message
        }
        return nil
    }
}
