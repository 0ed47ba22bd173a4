import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct RewriterTests {
    @Test(
        "Each match is replaced, and each rule applies to the result of those before it",
        arguments: [
            (["a => b"], "banana", "bbnbnb"), (["a => b"], "xyz", nil), (["a => b"], "", nil),
            (["^$ => empty"], "", "empty"),
            (["a => b", "b => c"], "a", "c"), (["x => y", "a => b"], "a", "b"), (["a => "], "banana", "bnn"),
            ([#"(\w+)@(\w+) => $2 at $1, $0, $$"#], "<me@home>", "<home at me, me@home, $>"),
            (["x* => -"], "axb", "-a--b-"), (["^ => >"], "a\nb", ">a\nb"), (["(?m)^ => >"], "a\nb", ">a\n>b"),
            (["$ => !"], "é水", "é水!"), (["é => e"], "été", "ete"),
            (["(?:) => ·"], "é水", "·é·水·"),
            (["a => {{last:/a}}"], #"{"a":1}"#, #"{"1":1}"#),
            ([#""a":1 => "a":{{seq}}{{connection}}"#], #"{"a":1}"#, #"{"a":73}"#),
            (["json:.op == ping => {\"op\":\"{{last:.id}}\"}"], #"{"op":"ping","id":5}"#, #"{"op":"5"}"#),
            (["json:.op == ping => x"], #"{"op":"pong"}"#, nil),
            (["(a+)+$ => x"], String(repeating: "a", count: 64) + "b", nil),
            ([#"a\Kb => x"#], "abab", "axax"),
        ] as [([String], String, String?)])
    func rules(rules: [String], message: String, result: String?) throws {
        let rewriter = Rewriter(try rules.map { try AnswerRule($0) { _ in nil } }, limitBytes: 100)
        let bytes = Array(message.utf8)
        let stamp = Template.Stamp(sequence: 7, connection: 3, time: 0, seed: 0)
        let rewritten = try rewriter.rewrite(bytes.span.bytes, stamp: stamp)
        expectEqual(rewritten.map { String(decoding: $0, as: UTF8.self) }, result)
    }

    @Test(
        "A result that is not text, is too large, or lacks a value is an error",
        arguments: [
            (#"^\C => x"#, "é", RewriteError.notText),
            ("a => aaaaaa", "aa", .tooLarge(limitBytes: 10)), ("(?:) => 123", "abcd", .tooLarge(limitBytes: 10)),
            ("json:.a => 12345678901", #"{"a":1}"#, .tooLarge(limitBytes: 10)),
            ("a => {{last:/b}}", #"{"a":1}"#, .value(.missing(path: "/b"))),
            ("a => {{last:/b}}", "a", .value(.notJSON)),
        ] as [(String, String, RewriteError?)])
    func mistakes(rule: String, message: String, error: RewriteError?) throws {
        let rewriter = Rewriter([try AnswerRule(rule) { _ in nil }], limitBytes: 10)
        let bytes = Array(message.utf8)
        let stamp = Template.Stamp(sequence: 1, connection: 1, time: 0, seed: 0)
        do throws(RewriteError) {
            _ = try rewriter.rewrite(bytes.span.bytes, stamp: stamp)
            expectNil(error)
        } catch let thrown {
            expectEqual(thrown, error)
        }
    }
}
