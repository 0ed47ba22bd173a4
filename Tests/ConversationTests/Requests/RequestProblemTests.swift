import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct RequestProblemTests {
    private func problem(
        _ text: String, field: String = "id", makesCalls: Bool = false
    ) -> RequestProblem? {
        let queue = LineQueue.Settings(makesCalls ? .calls() : .id(at: field))
        return queue.problem(with: Array(text.utf8).span.bytes)
    }

    @Test("Without a field, every message is a request")
    func noField() {
        expectNil(LineQueue.Settings().problem(with: Array("x".utf8).span.bytes))
    }

    @Test(
        "A message without a string or number in the field of --correlate could not get its reply",
        arguments: [
            (#"{"id":1}"#, nil), (#"{"id":"x"}"#, nil), (#"{"id":0.5}"#, nil), (#"[{"id":1},{"id":2}]"#, nil),
            (#"{"ID":1}"#, .noField("id", similar: "ID")), (#"{"x":1}"#, .noField("id", similar: nil)),
            (#"{"a":{"id":1}}"#, .noField("id", similar: nil)), ("[]", .noField("id", similar: nil)),
            ("{}", .noField("id", similar: nil)), ("1", .noField("id", similar: nil)),
            (#"[{"id":1},{"x":2}]"#, .noField("id", similar: nil)), (#"[{"id":1},3]"#, .noField("id", similar: nil)),
            (#"{"id":null}"#, .notAScalar("id")), (#"{"id":{"a":1}}"#, .notAScalar("id")),
            (#"{"id":[1]}"#, .notAScalar("id")), (#"{"id":1,"id":null}"#, .notAScalar("id")),
            ("text", .notJSON(field: "id")), ("", .notJSON(field: "id")), (#"{"id":1"#, .notJSON(field: "id")),
            (#"{"id":1} x"#, .notJSON(field: "id")),
        ] as [(String, RequestProblem?)])
    func fields(text: String, expected: RequestProblem?) {
        expectEqual(problem(text), expected)
    }

    @Test(
        "A JSON Pointer names a nested field",
        arguments: [
            (#"{"a":{"id":1}}"#, nil), (#"{"a":[1]}"#, .noField("/a/id", similar: nil)),
            (#"{"a":{"id":{}}}"#, .notAScalar("/a/id")), (#"[{"a":{"id":1}}]"#, .noField("/a/id", similar: nil)),
        ] as [(String, RequestProblem?)])
    func pointers(text: String, expected: RequestProblem?) {
        expectEqual(problem(text, field: "/a/id"), expected)
    }

    @Test("A message that is not UTF-8 has no field")
    func bytes() {
        let queue = LineQueue.Settings(.id(at: "id"))
        expectEqual(queue.problem(with: ([0xFF] as [UInt8]).span.bytes), .notJSON(field: "id"))
    }

    @Test(
        "JSON-RPC calls have an id, and notifications have a method (JSON-RPC 2.0 §4)",
        arguments: [
            (#"{"id":1,"method":"a"}"#, nil), (#"{"method":"a"}"#, nil), (#"[{"method":"a"},{"id":1}]"#, nil),
            (#"{"ID":1,"method":"a"}"#, .noField("id", similar: "ID")), (#"{"x":1}"#, .notACall),
            (#"{"method":1}"#, .notACall), (#"{"id":null,"method":"a"}"#, .notAScalar("id")),
            (#"[{"method":"a"},{"Id":1}]"#, .noField("id", similar: "Id")), ("[]", .notACall), ("[1]", .notACall),
            (#"{"id":1"#, .notJSON(field: "id")),
        ] as [(String, RequestProblem?)])
    func calls(text: String, expected: RequestProblem?) {
        expectEqual(problem(text, makesCalls: true), expected)
    }

    @Test("The words name the field and a similar member")
    func words() {
        let problem = RequestProblem.noField("id", similar: "ID")
        expectEqual("\(problem)", "it has no 'id' to match its reply; rename 'ID'")
    }
}
