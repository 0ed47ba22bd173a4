import Formats
import Testing
import WSCore

@testable import Conversation

@Suite struct EndConditionsTests {
    @Test("Without conditions no message is the last one")
    func none() {
        var conditions = EndConditions()
        #expect(conditions.last(of: ["a", ""]) == nil)
        #expect(conditions.unmetExpectations == [])
    }

    @Test("A message count ends the run")
    func count() {
        var conditions = EndConditions(count: 2)
        #expect(conditions.last(of: ["a", "b", "c"]) == "b")
    }

    @Test("Any of several expressions ends the run, and so does the count, whichever is first")
    func until() throws {
        var conditions = EndConditions(until: [try Pattern("^x"), try Pattern("b+")])
        #expect(conditions.last(of: ["a", "ax", "abb", "x"]) == "abb")
        conditions = EndConditions(count: 2, until: [try Pattern("x")])
        #expect(conditions.last(of: ["a", "b", "x"]) == "b")
        conditions = EndConditions(count: 2, until: [try Pattern("x")])
        #expect(conditions.last(of: ["x", "b"]) == "x")
    }

    @Test("Each expectation may be met by its own or the same message, including the last one")
    func expectations() throws {
        let patterns = try ["a", "b", "z"].map { try Pattern($0) }
        var conditions = EndConditions(count: 2, expectations: patterns)
        #expect(conditions.unmetExpectations == ["a", "b", "z"])
        #expect(conditions.last(of: ["ab"]) == nil)
        #expect(conditions.unmetExpectations == ["z"])
        #expect(conditions.last(of: ["z"]) == "z")
        #expect(conditions.unmetExpectations == [])
    }

    @Test("A goal is unmet until a message meets it, and either of two is enough")
    func unmetGoal() throws {
        var conditions = EndConditions()
        #expect(conditions.unmetGoal == nil)
        conditions = EndConditions(count: 3, until: [try Pattern("ready"), try Pattern("go")])
        #expect(conditions.last(of: ["a"]) == nil)
        #expect(conditions.unmetGoal == UnmetGoal(receivedCount: 1, count: 3, until: ["ready", "go"]))
        #expect(conditions.last(of: ["go"]) == "go")
        #expect(conditions.unmetGoal == nil)
        conditions = EndConditions(count: 1)
        #expect(conditions.unmetGoal != nil)
        #expect(conditions.last(of: ["a"]) == "a")
        #expect(conditions.unmetGoal == nil)
        #expect(EndConditions(expectations: [try Pattern("x")]).unmetGoal == nil)
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
        #expect(goal.progress == progress)
        #expect(goal.moment == moment)
    }

    @Test("Invalid UTF-8 is searched, too")
    func bytes() throws {
        var conditions = EndConditions(until: [try Pattern("ok")])
        let bytes: [UInt8] = [0xFF, 0x00, 0x6F, 0x6B]
        #expect(bytes.withUnsafeBytes { conditions.isLast($0.bytes) })
    }
}

extension EndConditions {
    /// The first message that is the last one that counts.
    fileprivate mutating func last(of messages: [String]) -> String? {
        for message in messages where Array(message.utf8).withUnsafeBytes({ isLast($0.bytes) }) { return message }
        return nil
    }
}
