import Testing
import WSCore

@testable import wsx

@Suite struct EndConditionsTests {
    @Test("without conditions no message is the last one")
    func none() {
        var conditions = EndConditions()
        #expect(conditions.last(of: ["a", ""]) == nil)
        #expect(conditions.unmetExpectations == [])
    }

    @Test("a number of messages")
    func count() {
        var conditions = EndConditions(count: 2)
        #expect(conditions.last(of: ["a", "b", "c"]) == "b")
    }

    @Test("any of the expressions to wait for will do, and of these and the number the first")
    func until() throws {
        var conditions = EndConditions(until: [try Pattern("^x"), try Pattern("b+")])
        #expect(conditions.last(of: ["a", "ax", "abb", "x"]) == "abb")
        conditions = EndConditions(count: 2, until: [try Pattern("x")])
        #expect(conditions.last(of: ["a", "b", "x"]) == "b")
        conditions = EndConditions(count: 2, until: [try Pattern("x")])
        #expect(conditions.last(of: ["x", "b"]) == "x")
    }

    @Test("each expectation is met by a message of its own or the same, also by the last one")
    func expectations() throws {
        let patterns = try ["a", "b", "z"].map { try Pattern($0) }
        var conditions = EndConditions(count: 2, expectations: patterns)
        #expect(conditions.unmetExpectations == ["a", "b", "z"])
        #expect(conditions.last(of: ["ab"]) == nil)
        #expect(conditions.unmetExpectations == ["z"])
        #expect(conditions.last(of: ["z"]) == "z")
        #expect(conditions.unmetExpectations == [])
    }

    @Test("bytes that are not text are searched, too")
    func bytes() throws {
        var conditions = EndConditions(until: [try Pattern("ok")])
        let bytes: [UInt8] = [0xFF, 0x00, 0x6F, 0x6B]
        #expect(bytes.withUnsafeBytes { conditions.isLast($0.bytes) })
    }
}

extension EndConditions {
    /// The first of the messages that is the last one that counts.
    fileprivate mutating func last(of messages: [String]) -> String? {
        for message in messages where Array(message.utf8).withUnsafeBytes({ isLast($0.bytes) }) { return message }
        return nil
    }
}
