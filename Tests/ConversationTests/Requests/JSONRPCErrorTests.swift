import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct JSONRPCErrorTests {
    private static func errors(_ text: String) -> [JSONRPCError] {
        JSONRPCError.errors(in: Array(text.utf8).span.bytes)
    }

    @Test(
        "An error has the id, the code, and the message of the reply (JSON-RPC 2.0 §5.1)",
        arguments: [
            (#"{"id":1,"error":{"code":-32601,"message":"no method"}}"#, "1", "-32601", "no method"),
            (#"{"id":"a","error":{"code":"E1","message":"m","data":[1]}}"#, "a", "E1", "m"),
            (#"{"id":null,"error":{"code":-32700,"message":"cannot read"}}"#, "null", "-32700", "cannot read"),
            (#"{"id":[1],"error":{}}"#, "null", nil, "no message"),
            (#"{"error":{"code":1}}"#, "null", "1", "no message"),
            (#"{"id":1,"error":{"code":{},"message":[]}}"#, "1", nil, "no message"),
            (#"{"id":1,"result":null,"error":"failed"}"#, "1", nil, "failed"),
            (#"{"type":"error","id":null,"error":"no such frame","message":"m"}"#, "null", "no such frame", "m"),
            (#"{"id":1,"error":"failed","message":"m"}"#, "1", nil, "failed"),
            (#"{"id":1,"error":true}"#, "1", nil, "see the reply"),
            (#"{"id":1,"error":5}"#, "1", nil, "see the reply"),
            (#"{"id":1,"error":["x"]}"#, "1", nil, "see the reply"),
        ] as [(String, String, String?, String)])
    func fields(reply: String, id: String, code: String?, message: String) throws {
        let error = try #require(Self.errors(reply).first)
        expectEqual(error.id, id)
        expectEqual(error.code, code)
        expectEqual(error.message, message)
    }

    static let othersCases: [String] = [
        #"{"id":1,"result":5}"#, #"{"id":1,"result":5,"error":null}"#, #"{"id":1,"error":false}"#,
        #"{"id":1,"error":""}"#, #"{"id":1,"method":"m","error":{"code":1}}"#, "5", "[5]",
        "error", "",
    ]

    @Test("Results, notifications, calls, and other texts are not errors", arguments: Self.othersCases)
    func others(text: String) {
        expectEmpty(Self.errors(text))
    }

    @Test("A batch has one error per failed call")
    func batch() {
        let errors = Self.errors(
            #"[{"id":1,"result":0},{"id":2,"error":{"message":"b"}},{"id":3,"error":{"message":"c"}}]"#)
        expectEqual(errors.map(\.id), ["2", "3"])
    }

    @Test("A message with invalid UTF-8 has no errors")
    func invalidText() {
        let bytes = Array(#"{"id":1,"error":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        expectEmpty(JSONRPCError.errors(in: bytes.span.bytes))
    }

    @Test(
        "The description names the request, and its id if that differs",
        arguments: [
            (#"{"id":1,"error":{"code":-1,"message":"m"}}"#, 1, "request 1: error -1: m"),
            (#"{"id":"x","error":{"code":-1,"message":"m"}}"#, 2, "request 2 (id x): error -1: m"),
            (#"{"id":null,"error":"m"}"#, nil, "reply without an id: error m"),
            (#"{"id":1,"error":{"message":"a\nb\u001b[31m"}}"#, 1, #"request 1: error a\u{A}b\u{1B}[31m"#),
        ] as [(String, Int?, String)])
    func descriptions(reply: String, number: Int?, words: String) throws {
        let error = try #require(Self.errors(reply).first)
        expectEqual(error.description(asReplyTo: number, masking: { $0 }), words)
    }

    @Test("A long message is cut")
    func longMessage() throws {
        let long = String(repeating: "x", count: 201)
        let error = try #require(Self.errors(#"{"id":1,"error":"\#(long)"}"#).first)
        expectEqual(error.description(asReplyTo: 1, masking: { $0 }), "request 1: error \(long.dropLast())…")
        expectEqual(error.message, long)
    }
}
