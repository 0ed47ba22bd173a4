import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct MatcherTests {
    @Test(
        "A string is a regular expression",
        arguments: [(#""^ready""#, "ready now", true), (#""^ready""#, "not ready", false), (#""\\d\"""#, #"7""#, true)])
    func patterns(json: String, message: String, isMatch: Bool) throws {
        try expectEqual(Expectation(json).matches(message), isMatch)
    }

    static let fieldsCases: [(String, String, Bool)] = [
        (#"{"/type":"ready"}"#, #"{"type":"ready","x":1}"#, true),
        (#"{"/type":"ready"}"#, #"{"type":"\u0072eady"}"#, true),
        (#"{"/type":"ready"}"#, #"{"type":"Ready"}"#, false), (#"{"/type":"ready"}"#, "{}", false),
        (#"{"/type":"ready"}"#, "ready", false), (#"{"/type":"ready"}"#, #"{"type":"ready""#, false),
        (#"{"/a":1,".b[0]":true}"#, #"{"a":1.0,"b":[true]}"#, true),
        (#"{"/a":1,".b[0]":true}"#, #"{"a":1,"b":[1]}"#, false),
        (#"{"/a":1}"#, #"{"a":"1"}"#, false), (#"{"/a":"1"}"#, #"{"a":1}"#, false),
        (#"{"/a":12345678901234567890}"#, #"{"a":12345678901234567891}"#, false),
        (#"{"/a":1e2}"#, #"{"a":100}"#, true), (#"{"/a":null}"#, #"{"a":null}"#, true),
        (#"{"/a":null}"#, "{}", false), (#"{"/a":false}"#, #"{"a":null}"#, false),
        (#"{"/a":{"x":[1,"b"],"y":{}}}"#, #"{"a":{"y":{},"x":[1.0,"b"]}}"#, true),
        (#"{"/a":{"x":1}}"#, #"{"a":{"x":1,"y":2}}"#, false), (#"{"/a":{"x":1}}"#, #"{"a":{"y":1}}"#, false),
        (#"{"/a":[1]}"#, #"{"a":[1,2]}"#, false), (#"{"/a":[1]}"#, #"{"a":{"0":1}}"#, false),
        (#"{"":7}"#, "7", true), (#"{"":7}"#, "8", false), (#"{"/a":"é"}"#, "{\"a\":\"e\u{301}\"}", false),
    ]

    @Test("An object lists the values of a JSON message", arguments: Self.fieldsCases)
    func fields(json: String, message: String, isMatch: Bool) throws {
        let expectation = try Expectation(json)
        try expectEqual(expectation.matches(message), isMatch)
        try expectEqual((expectation.difference(message) == nil), isMatch)
    }

    static let templatesCases: [(String, String, Bool)] = [
        (#"{"/id":"{{seq}}"}"#, #"{"id":42}"#, true), (#"{"/id":"{{seq}}"}"#, #"{"id":"42"}"#, true),
        (#"{"/id":"{{seq}}"}"#, #"{"id":43}"#, false), (#"{"/id":"{{seq}}"}"#, #"{"id":[42]}"#, false),
        (#"{"/id":"{{seq}}"}"#, "{}", false), (#"{"/p":[{"id":"m{{seq}}"}]}"#, #"{"p":[{"id":"m42"}]}"#, true),
        (#"{"/u":"{{user}}"}"#, #"{"u":"A\"da"}"#, true), (#"{"/u":"{{user}}"}"#, #"{"u":"Bo"}"#, false),
        (#"{"/u":"{{env:FLAG}}"}"#, #"{"u":true}"#, true), (#"{"/u":"{{{{x"}"#, #"{"u":"{{x"}"#, true),
    ]

    @Test("A string with placeholders equals a value with its text, at any depth", arguments: Self.templatesCases)
    func templates(json: String, message: String, isMatch: Bool) throws {
        try expectEqual(Expectation(json).matches(message), isMatch)
    }

    @Test("An expected variable without a value is an error")
    func unset() throws {
        let expectation = try Expectation(#"{"/u":"{{other}}"}"#)
        #expect(throws: TemplateValueError.unset("other")) { try expectation.matches(#"{"u":1}"#) }
        #expect(throws: TemplateValueError.unset("other")) { try expectation.difference(#"{"u":1}"#) }
    }

    @Test("A binary message that is not UTF-8 matches no values, and shows a difference")
    func binary() throws {
        let expectation = try Expectation(#"{"/a":"x"}"#)
        let message = Array(#"{"a":"x","b":""#.utf8) + [0xFF] + Array("\"}".utf8)
        try expectFalse(expectation.matches(message))
        try expectEqual(expectation.difference(message)?.expected, "JSON")
    }

    static let dataCases: [(String, String, Bool)] = [
        ("hello", "hello", true), ("hello", "hello ", false), ("", "", true), ("1", "1.0", true),
        ("1.0", " 1\n", true), ("1e2", "100", true), ("1", "2", false), ("1", #""1""#, false),
        (#""\u0061""#, #""a""#, true), (#""a""#, #""b""#, false), (#""a""#, "a", false), ("null", " null", true),
        ("true", "false", false), ("01", "1", false), ("12345678901234567890", "12345678901234567891", false),
        (#"{"a":1,"b":[true,"é"]}"#, #"{ "b": [true, "\u00e9"], "a": 1.0 }"#, true),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, false), (#"{"a":1}"#, "{}", false), ("[1,2]", "[2,1]", false),
        ("[1]", #"{"0":1}"#, false), ("{", "{ ", false), ("m{{seq}}", "m42", true),
        (#"{"id":{{seq}}}"#, #"{"id": 42}"#, true),
    ]

    @Test("Data equals the same bytes, or JSON with the same values", arguments: Self.dataCases)
    func data(expected: String, message: String, isMatch: Bool) throws {
        let expectation = Expectation(Matcher(equalTo: try Template(expected)))
        try expectEqual(expectation.matches(message), isMatch)
        try expectEqual((expectation.difference(message) == nil), isMatch)
    }

    @Test(
        "Ignored values may differ or be missing",
        arguments: [
            (#"{"a":1,"time":5}"#, #"{"a":1,"time":6}"#, true), (#"{"a":1,"time":5}"#, #"{"a":1}"#, true),
            (#"{"a":1}"#, #"{"a":1,"time":{"x":1}}"#, true), (#"{"a":1,"time":5}"#, #"{"a":2,"time":5}"#, false),
            (#"{"a":{"time":5}}"#, #"{"a":{"time":6}}"#, false), (#"[{"x~/y":1}]"#, #"[{"x~/y":2}]"#, true),
        ])
    func ignoring(expected: String, message: String, isMatch: Bool) throws {
        let template = Template(literal: Array(expected.utf8))
        let expectation = Expectation(Matcher(equalTo: template, ignoring: ["/time", "/0/x~0~1y"]))
        try expectEqual(expectation.matches(message), isMatch)
    }

    @Test(
        "The first difference names the location and both values",
        arguments: [
            (#""^a""#, "b\u{1B}", #"expected a match of '^a', received b\u{1B}"#),
            (#"{"/a":1,"/id":"{{seq}}"}"#, #"{"a":1,"id":41}"#, "/id: expected 42, received 41"),
            (#"{"/id":"{{seq}}"}"#, #"{"id":"x"}"#, #"/id: expected "42", received "x""#),
            (#"{"/id":"{{seq}}"}"#, "{}", "/id: expected 42, received no value"),
            (#"{"/a": [1, 2]}"#, #"{"a": {"b" : "c d"}}"#, #"/a: expected [1,2], received {"b":"c d"}"#),
            (#"{"/a":"x"}"#, "hello", "expected JSON, received hello"),
            // Values of the environment may be secrets.
            (#"{"/u":"{{env:FLAG}}"}"#, #"{"u":"x"}"#, #"/u: expected "{{env:FLAG}}", received "x""#),
        ])
    func differences(json: String, message: String, description: String) throws {
        try expectEqual(Expectation(json).difference(message).map { "\($0)" }, description)
    }

    @Test(
        "The first difference of data is found in order of the names",
        arguments: [
            ("hello", "hallo", "expected hello, received hallo"),
            (#"{"b":{"x/y":[1,2]},"c":1}"#, #"{"c":2,"b":{"x/y":[1,3]}}"#, "/b/x~1y/1: expected 2, received 3"),
            (#"{"a":"x"}"#, "{}", #"/a: expected "x", received no value"#),
            ("{}", #"{"a":[]}"#, "/a: expected no value, received []"),
            (#"{"a":{"b":1}}"#, #"{"a":[1]}"#, "/a: expected an object, received an array"),
            ("[1]", "[1,null]", "/1: expected no value, received null"), ("[1]", "{}", "expected [1], received {}"),
        ])
    func dataDifferences(expected: String, message: String, description: String) throws {
        let expectation = Expectation(Matcher(equalTo: Template(literal: Array(expected.utf8))))
        try expectEqual(expectation.difference(message).map { "\($0)" }, description)
    }

    @Test("Differences of long messages are truncated")
    func longDifferences() throws {
        let expectation = Expectation(Matcher(equalTo: Template(literal: [UInt8](repeating: 0x78, count: 10_000))))
        let difference = try #require(try expectation.difference(String(repeating: "y", count: 10_000)))
        #expect("\(difference)".count < 300)
    }

    @Test(
        "An invalid matcher is reported with its reason and offset",
        arguments: [
            ("{", .notJSON(.truncated), 0), ("[]", .noFields, 0), ("{}", .noFields, 0), ("7", .noFields, 0),
            (#"{"/a":1,"/b":"{{seq"}"#, .template(TemplateError(.notClosed, at: 0)), 14),
            (
                #"{"/b":[{"x":"a{{y}}"}]}"#,
                .template(TemplateError(.unknownName("y", variables: ["user", "other"]), at: 1)), 6
            ),
            (#""a\n{{seq}}""#, .placeholderInPattern, 4), (#""{{user}}""#, .placeholderInPattern, 1),
            (#"{"/a":1,"/b":2,"/\u0061":3}"#, .duplicate("/a"), 15),
        ] as [(String, MatcherError.Reason, Int)])
    func mistakes(json: String, reason: MatcherError.Reason, offset: Int) {
        #expect(throws: MatcherError(reason, at: offset)) { try Expectation(json) }
    }

    @Test("The remedy for a placeholder in a regular expression is valid JSON")
    func placeholderRemedy() {
        let description = MatcherError(.placeholderInPattern, at: 0).description
        #expect(description.hasSuffix(#"or '\\{\\{' for literal braces"#))
    }

    @Test(
        "A regular expression may match braces",
        arguments: [#""\\{\\{seq}}""#, #""{{""#, #""seq}}{{""#, #""(a{2}){3}""#, #""x{{2}}""#, #""{{other words}}""#])
    func braces(json: String) throws {
        _ = try Expectation(json)
    }

    @Test("Member names with the same look but other characters differ")
    func composedNames() throws {
        let (composed, decomposed) = ("{\"a\":{\"é\":1}}", "{\"a\":{\"e\u{301}\":1}}")
        let equal = Expectation(Matcher(equalTo: Template(literal: Array(composed.utf8))))
        try expectTrue(equal.matches(composed))
        try expectFalse(equal.matches(decomposed))
        try expectEqual(equal.difference(decomposed)?.path, "/a/e\u{301}")
        let both = "{\"é\":1,\"e\u{301}\":1}"
        try expectFalse(Expectation(Matcher(equalTo: Template(literal: Array(both.utf8)))).matches("{\"é\":1}"))
        try expectFalse(Expectation(#"{"/a":{"é":1}}"#).matches(decomposed))
        let ignoring = Matcher(equalTo: Template(literal: Array("{\"é\":1}".utf8)), ignoring: ["/e\u{301}"])
        try expectFalse(Expectation(ignoring).matches("{\"é\":2}"))
    }

    @Test("An invalid path or regular expression is reported with its reason")
    func paths() throws {
        for (json, offset, description) in [
            (#"{"/a":1,"b":2}"#, 8, "expected a JSON Pointer such as /user/name"),
            (#"{"/~":2}"#, 1, "invalid escape at character 2; write '~' as ~0 and '/' as ~1"),
            (#""(""#, 0, "missing closing parenthesis at the end of the regular expression"),
        ] {
            do throws(MatcherError) {
                _ = try Expectation(json)
                Issue.record("accepted")
            } catch {
                expectEqual(error.byteOffset, offset)
                expectEqual("\(error)", description)
            }
        }
    }
}

/// A matcher, for a connection whose 42nd message was the last one.
private struct Expectation {
    private let matcher: Matcher
    private static let stamp = Template.Stamp(sequence: 42, connection: 1, time: 0, seed: 0)

    init(_ matcher: Matcher) {
        self.matcher = matcher
    }

    init(_ json: String) throws(MatcherError) {
        var names = VariableNames()
        do throws(VariableNameError) {
            names = try VariableNames(["user", "other"])
        } catch {
            Issue.record("\(error)")
        }
        let bytes = Array(json.utf8)
        matcher = try Matcher(parsing: bytes.span.bytes, variables: names) { $0 == "FLAG" ? "true" : nil }
    }

    private static func variables() throws -> TemplateVariables {
        var variables = TemplateVariables(try VariableNames(["user", "other"]))
        variables.set(0, to: #"A"da"#)
        return variables
    }

    func matches(_ message: String) throws -> Bool {
        try matches(Array(message.utf8))
    }

    func matches(_ message: [UInt8]) throws -> Bool {
        var scratch = ByteBuffer()
        return try matcher.matches(
            message.span.bytes, stamp: Self.stamp, variables: Self.variables(), scratch: &scratch)
    }

    func difference(_ message: String) throws -> MessageDifference? {
        try difference(Array(message.utf8))
    }

    func difference(_ message: [UInt8]) throws -> MessageDifference? {
        try matcher.difference(message.span.bytes, stamp: Self.stamp, variables: Self.variables())
    }
}
