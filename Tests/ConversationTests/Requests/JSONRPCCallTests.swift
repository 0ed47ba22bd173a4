import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct JSONRPCCallTests {
    static let argumentsCases: [(String, String)] = [
        ("m", ""), ("  m \t ", ""), ("m 1", "[1]"), ("m 1 2.50 -0e1", "[1,2.50,-0e1]"),
        ("m true null", "[true,null]"),
        ("m a b", #"["a","b"]"#), (#"m "a b" 'c d'"#, #"["a b","c d"]"#), ("m '1' '{}'", #"["1","{}"]"#),
        (#"m 'say "hi"\n'"#, #"["say \"hi\"\\n"]"#), ("m ''", #"[""]"#), ("m it's", #"["it's"]"#),
        ("m 01 +1 1.", #"["01","+1","1."]"#), ("m [1, 2] 3", "[[1, 2],3]"),
        (#"m {"a": [1]} "b""#, #"[{"a": [1]},"b"]"#),
        (#"m ["]", "\"]"]"#, #"["]", "\"]"]"#), (#"m a"b c"d"#, #"["a\"b c\"d"]"#),
        ("m [x] {y}", #"["[x]","{y}"]"#),
        ("m a]b }", #"["a]b","}"]"#), ("m 水 'ä ö'", #"["水","ä ö"]"#), ("m 1\n 2\r", "[1,2]"),
        ("m 'a\u{1B}'", #"["a\u001b"]"#), ("m ['] 1", #"["[']",1]"#),
    ]

    @Test("Arguments that are valid JSON are JSON, and others are strings", arguments: Self.argumentsCases)
    func arguments(line: String, params: String) throws {
        try expectEqual(Self.call(line), Self.expected("m", params))
    }

    @Test(
        "A single object or array is the parameters",
        arguments: [
            (#"m {"a":1}"#, #"{"a":1}"#), ("m [1,2]", "[1,2]"), ("m [[1,2]]", "[[1,2]]"), ("m [x]", #"["[x]"]"#),
            ("m '{}'", #"["{}"]"#), ("m {}", "{}"),
        ])
    func whole(line: String, params: String) throws {
        try expectEqual(Self.call(line), Self.expected("m", params))
    }

    static let namesCases: [(String, String)] = [
        ("m a=1 b=x", #"{"a":1,"b":"x"}"#), ("m url=http://h/?q=1&r=2", #"{"url":"http://h/?q=1&r=2"}"#),
        ("m a='1 2' b=\"c d\"", #"{"a":"1 2","b":"c d"}"#), ("m a=[1, 2] b={}", #"{"a":[1, 2],"b":{}}"#),
        ("m a=", #"{"a":""}"#), ("m a==b", #"{"a":"=b"}"#), ("m ü.x-y$_1=1", #"{"ü.x-y$_1":1}"#),
        ("m a=1 2", #"["a=1",2]"#), ("m =1", #"["=1"]"#), ("m a+b=1", #"["a+b=1"]"#), (#"m "a=1""#, #"["a=1"]"#),
        ("m 'a=1'", #"["a=1"]"#), ("m a=it's", #"{"a":"it's"}"#),
    ]

    @Test("If all arguments have names they form an object", arguments: Self.namesCases)
    func names(line: String, params: String) throws {
        try expectEqual(Self.call(line), Self.expected("m", params))
    }

    @Test("The first word is always the method", arguments: [("Page.navigate", "Page.navigate"), ("a\"b", #"a\"b"#)])
    func methods(line: String, method: String) throws {
        try expectEqual(Self.call(line), Self.expected(method, ""))
    }

    @Test("A line that is already JSON is sent unchanged", arguments: [#"{"id":1}"#, "[{}] ", " {broken"])
    func finished(line: String) throws {
        try expectEqual(Self.call(line), line)
    }

    @Test(
        "The error for a malformed line states the position",
        arguments: [
            ("", .noMethod), (" \t", .noMethod), ("m 'a", .openQuote(offset: 2)), (#"m a "b\""#, .openQuote(offset: 4)),
            ("m a='", .openQuote(offset: 4)), (#"m "\"#, .openQuote(offset: 2)), ("m [1 {", .openBracket(offset: 5)),
            ("m [1 2 ", .openBracket(offset: 2)), ("m 'a'b", .afterQuote(offset: 5)),
            ("m ''''", .afterQuote(offset: 4)),
            ("m a=1 b=2 a=3", .repeatedName("a")),
        ] as [(String, JSONRPCCallError)])
    func mistakes(line: String, error: JSONRPCCallError) {
        #expect(throws: error) { try Self.call(line) }
    }

    @Test("Other forms have no version, and calls of WebDriver BiDi always have parameters")
    func forms() throws {
        expectEqual(try Self.call("m", .devTools), #"{"id":5,"method":"m"}"#)
        expectEqual(try Self.call("m", .biDi), #"{"id":5,"method":"m","params":{}}"#)
        expectEqual(try Self.call("m a=1", .biDi), #"{"id":5,"method":"m","params":{"a":1}}"#)
    }

    @Test("Errors are described in words")
    func words() {
        expectEqual("\(JSONRPCCallError.noMethod)", "the method is missing; write METHOD [ARGUMENT...]")
        expectEqual(
            "\(JSONRPCCallError.openQuote(offset: 4))", "the quote at byte 5 is not closed; add the closing quote")
        expectEqual(
            "\(JSONRPCCallError.openBracket(offset: 4))", "the bracket at byte 5 is not closed; add the closing bracket"
        )
        expectEqual(
            "\(JSONRPCCallError.afterQuote(offset: 4))",
            "byte 5 follows a closing quote; write a space between arguments")
        expectEqual("\(JSONRPCCallError.repeatedName("a\u{1B}"))", #"the argument 'a\u{1B}' is repeated; give it once"#)
    }

    private static func call(_ line: String, _ form: JSONRPCCall.Form = .standard) throws -> String {
        let bytes = Array(line.utf8)
        let call = try bytes.withUnsafeBytes { try JSONRPCCall.compose($0.bytes, id: 5, form: form) }
        return String(decoding: call, as: UTF8.self)
    }

    private static func expected(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","id":5,"method":""# + method + "\"" + (params.isEmpty ? "" : ",\"params\":\(params)") + "}"
    }
}
