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
        #expect(try matches("^err", "error"))
        #expect(try !matches("^err", "no error"))
        #expect(try matches(#""json":"#, #"{"json":1}"#))
        #expect(try MessageCondition("(a)(b)", isCapturing: true).groups?.groupCount == 2)
    }

    @Test("After json:, the condition is about a value, and a message that is not JSON does not meet it")
    func json() throws {
        #expect(try matches(#"json:.type=="done""#, #"{"type":"done"}"#))
        #expect(try !matches(#"json:.type=="done""#, #"{"type":"undone"}"#))
        #expect(try matches("json: .price > 10", #"{"price":10.5}"#))
        #expect(try matches("json:.code ~ ^4", #"{"code":"404"}"#))
        #expect(try !matches("json:.a", "a"))
        #expect(try matches("json:!.a", "a"))
        #expect(try MessageCondition("json:.code ~ ^4").pattern != nil)
        #expect(try MessageCondition("json:.code ~ ^4").groups == nil)
    }

    @Test("Of an event, regular expressions search the line, and values are those of the payload")
    func event() throws {
        let (line, payload) = (#"chat {"a":1}"#, #"{"a":1}"#)
        #expect(try matches("^chat", line, payload: payload))
        #expect(try matches("json:.a==1", line, payload: payload))
        #expect(try !matches("^\\{", line, payload: payload))
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
