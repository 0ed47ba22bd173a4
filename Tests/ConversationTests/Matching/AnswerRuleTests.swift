import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct AnswerRuleTests {
    @Test(
        "A message that matches is answered, with the groups of the regular expression",
        arguments: [
            ("^ping$ => pong", "ping", "pong"), ("^ping$ => pong", "pinging", nil),
            (#"^ping (\d+) => pong $1!"#, "ping 17 and more", "pong 17!"), ("(a)|(b) => <$1|$2>", "b", "<|b>"),
            ("b+ => $0", "abbc", "bb"), ("(.)(.)(.)(.)(.)(.)(.)(.)(.)(.) => $9$1 $10", "abcdefghij", "ia a0"),
            ("x => $$1 $ $x $", "x", "$1 $ $x $"), ("a => b => c", "a", "b => c"), ("a => ", "a", ""),
            ("^ => any", "", "any"), ("x =>  y ", "x", " y "),
            (#""name":("[^"]*") => {{json:$1}}"#, #"{"name":"L"}"#, #""\"L\"""#),
            (#"json:.op=="ping" => {"op":"pong","cost":"$1"}"#, #"{"op":"ping"}"#, #"{"op":"pong","cost":"$1"}"#),
            ("json:.op => yes", "op", nil), ("(é.)(.) => $2", "é水🎈", "🎈"),
            ("x => {{seq}} {{$0}} {{user}} {{{{", "x", "42 x Ada {{"),
        ] as [(String, String, String?)])
    func answers(rule: String, message: String, answer: String?) throws {
        try expectEqual(Self.answer(rule, Array(message.utf8)), answer)
    }

    @Test("A group with bytes that are not UTF-8 cannot match")
    func binary() throws {
        try expectEqual(Self.answer("a(.*) => [$1]", [0xFF, 0x61, 0xFF]), "[]")
    }

    @Test(
        "An invalid rule is reported with its reason",
        arguments: [
            ("ping=>pong", "expected 'REGEX => TEXT', with blanks around the arrow"),
            (" => pong", "the regular expression is empty; '^ => TEXT' matches every message"),
            ("(ping => pong", "missing closing parenthesis at the end of the regular expression"),
            ("ping => {{seq", "'{{' begins a placeholder, but '}}' is missing; write '{{{{' for two literal braces"),
            ("(a)(b) => $3", "there is no group $3: the regular expression has 2 groups; write '$$' for a dollar sign"),
            ("a => {{$1}}", "there is no group $1: the regular expression has 0 groups; write '$$' for a dollar sign"),
            ("a => {{$a}}", nil), ("json:.a ~ ( => b", nil),
            (
                "id {{seq}} => b",
                #"a regular expression has no placeholders; write '\{\{' for literal braces"#
            ),
        ] as [(String, String?)])
    func mistakes(rule: String, description: String?) {
        do throws(AnswerRuleError) {
            _ = try AnswerRule(rule) { _ in nil }
            Issue.record("accepted")
        } catch {
            #expect(description == nil || "\(error)" == description)
        }
    }

    @Test("Only a rule of a command that runs programs starts one, and that of a change is a text")
    func programs() throws {
        let text = "a => exec:sign  -x $1"
        #expect(try AnswerRule(text, from: .options) { _ in nil }.program == ["sign", "-x", "$1"])
        #expect(throws: AnswerRuleError.program) { try AnswerRule(text) { _ in nil } }
        #expect(throws: AnswerRuleError.noCommand) { try AnswerRule("a => exec: ", from: .options) { _ in nil } }
        let change = try AnswerRule("a => exec:b", from: .rewriting) { _ in nil }
        #expect(change.program == nil && change.answer == Template(literal: Array("exec:b".utf8)))
        #expect(
            [text, "a => b => exec:c", "exec:a => b", "exec:a"].map(AnswerRule.startsProgram) == [
                true, false, false, false,
            ])
    }

    @Test("The offset of a mistake in the answer is that in the rule")
    func offsets() {
        #expect(throws: AnswerRuleError.answer(TemplateError(.notClosed, at: 7))) {
            try AnswerRule("ä => b{{c") { _ in nil }
        }
        #expect(throws: AnswerRuleError.answer(TemplateError(.noGroup(1, groupCount: 0), at: 6))) {
            try AnswerRule("a => b$1") { _ in nil }
        }
    }

    @Test("A variable without a value is an error")
    func unset() throws {
        let names = try VariableNames(["user"])
        let rule = try AnswerRule("a => {{user}}", variables: names) { _ in nil }
        #expect(throws: TemplateValueError.unset("user")) {
            var buffer = ByteBuffer()
            return try rule.append(
                to: &buffer, answering: Array("a".utf8).span.bytes, stamp: .first, variables: TemplateVariables(names))
        }
    }

    private static func answer(_ rule: String, _ message: [UInt8]) throws -> String? {
        let names = try VariableNames(["user"])
        var variables = TemplateVariables(names)
        variables.set(0, to: "Ada")
        let rule = try AnswerRule(rule, variables: names) { _ in nil }
        let stamp = Template.Stamp(sequence: 42, connection: 1, time: 0, seed: 0)
        var buffer = ByteBuffer()
        let isAnswered = try rule.append(
            to: &buffer, answering: message.span.bytes, stamp: stamp, variables: variables)
        #expect(isAnswered || buffer.isEmpty)
        return isAnswered ? text(of: buffer) : nil
    }
}

@Suite struct ExtractionTests {
    @Test(
        "A value of a message becomes a variable",
        arguments: [
            (#"{"session":"a\"b"}"#, #"a"b "a\"b""#), (#"{"session":17}"#, "17 17"),
            (#"{"session":{"x": [1, "é"]}}"#, #"{"x":[1,"é"]} {"x":[1,"é"]}"#), (#"{"session":null}"#, "null null"),
            (#"{"session":"plain"}"#, #"plain "plain""#), (#"{"session":""}"#, #" """#),
        ])
    func values(message: String, written: String) throws {
        let names = try VariableNames(["sid"])
        var variables = TemplateVariables(names)
        variables.set(0, to: "before")
        let extraction = Extraction(slot: 0, path: try JSONPath("/session"))
        try extraction.apply(to: &variables, from: Array(message.utf8).span.bytes)
        let template = try Template("{{sid}} {{json:sid}}", variables: names)
        try expectEqual(template.text(.first, variables), written)
    }

    @Test(
        "A missing value is an error, and the variable keeps its value",
        arguments: [
            ("x", .notJSON), ("{}", .missing(path: "/session")), (#"{"session":1"#, .notJSON),
        ] as [(String, TemplateValueError)])
    func missing(message: String, error: TemplateValueError) throws {
        let names = try VariableNames(["sid"])
        var variables = TemplateVariables(names)
        variables.set(0, to: "before")
        let extraction = Extraction(slot: 0, path: try JSONPath("/session"))
        var failure: TemplateValueError?
        do throws(TemplateValueError) {
            try extraction.apply(to: &variables, from: Array(message.utf8).span.bytes)
        } catch {
            failure = error
        }
        expectEqual(failure, error)
        let description = "\(TemplateValueError.missing(path: "/session"))"
        expectEqual(description, #"the received message has no value at "/session""#)
        try expectEqual(Template("{{sid}}", variables: names).text(.first, variables), "before")
    }
}
