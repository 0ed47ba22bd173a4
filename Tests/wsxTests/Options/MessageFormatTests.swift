import CommandLine
import Conversation
import Formats
import Testing

@testable import UserInterface

@Suite struct MessageFormatTests {
    @Test("Names in braces are parts of the message, and the rest is text")
    func parts() throws {
        #expect(
            try MessageFormat.parse(#"{time} {kind}\t{size}{latency}{data}{{x}}\n"#).parts == [
                .time, .text([0x20]), .kind, .text([0x09]), .size, .latency, .data(nil), .text(Array("{x}\n".utf8)),
            ])
        for (text, path) in [("{data.a.b}", ".a.b"), ("{data/a/0}", "/a/0"), ("{data[0].x}", ".[0].x")] {
            #expect(try MessageFormat.parse(text).parts == [.data(try JSONPath(path))])
        }
        #expect(try MessageFormat.parse("").parts.isEmpty)
        #expect(
            try MessageFormat.parse(#"{data.a | unbase64 | append:"}"}!"#).parts == [
                .filtered(.data(try JSONPath(".a")), try [TemplateFilter](parsing: ["unbase64", #"append:"}""#])),
                .text(Array("!".utf8)),
            ])
        #expect(try MessageFormat.parse(#"{data."a | hex"}"#).parts == [.data(try JSONPath(#"."a | hex""#))])
    }

    @Test(
        "Mistakes are explained",
        arguments: [
            ("{tim}", "unknown name 'tim'"), ("{", "a '}' is missing"), ("x}", "a '}' without a '{'"),
            ("{}", "unknown name ''"), ("{database}", "unknown name 'database'"), ("{data..a}", "."),
            ("{x | hex}", "unknown name 'x'"),
            ("{data | unbase46}", "unknown filter 'unbase46'; did you mean 'unbase64'?"),
            ("{data | append:seq2}", "unknown placeholder '{{seq2}}'"),
        ])
    func mistakes(text: String, words: String) {
        let problem = #expect(throws: ValueProblem.self) { try MessageFormat.parse(text) }
        #expect(problem?.words.contains(words) == true)
    }
}
