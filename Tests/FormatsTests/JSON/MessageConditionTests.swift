import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct MessageConditionTests {
    private func matches(_ source: String, _ message: String, payload: String? = nil) throws -> Bool {
        let condition = try MessageCondition(source)
        let (line, payload) = (Array(message.utf8), Array((payload ?? message).utf8))
        return condition.matches(line.span.bytes, payload: payload.span.bytes)
    }

    @Test("A text is a regular expression, also if it mentions JSON")
    func pattern() throws {
        try expectTrue(matches("^err", "error"))
        try expectFalse(matches("^err", "no error"))
        try expectTrue(matches(#""json":"#, #"{"json":1}"#))
        try expectEqual(MessageCondition("(a)(b)", isCapturing: true).groups?.groupCount, 2)
    }

    @Test("After json:, the condition is about a value, and a message that is not JSON does not meet it")
    func json() throws {
        try expectTrue(matches(#"json:.type=="done""#, #"{"type":"done"}"#))
        try expectFalse(matches(#"json:.type=="done""#, #"{"type":"undone"}"#))
        try expectTrue(matches("json: .price > 10", #"{"price":10.5}"#))
        try expectTrue(matches("json:.code ~ ^4", #"{"code":"404"}"#))
        try expectFalse(matches("json:.a", "a"))
        try expectTrue(matches("json:!.a", "a"))
        try expectNotNil(MessageCondition("json:.code ~ ^4").pattern)
        try expectNil(MessageCondition("json:.code ~ ^4").groups)
    }

    @Test("Of an event, regular expressions search the line, and values are those of the payload")
    func event() throws {
        let (line, payload) = (#"chat {"a":1}"#, #"{"a":1}"#)
        try expectTrue(matches("^chat", line, payload: payload))
        try expectTrue(matches("json:.a==1", line, payload: payload))
        try expectFalse(matches("^\\{", line, payload: payload))
    }

    @Test(
        "An error is that of the part that is invalid",
        arguments: [("(", true), ("json:", false), ("json:.a ~ (", false)])
    func invalid(source: String, isPattern: Bool) {
        do throws(MessageConditionError) {
            _ = try MessageCondition(source)
            Issue.record("no error")
        } catch {
            #expect({ if case .pattern = error { true } else { false } }() == isPattern)
        }
    }
}
