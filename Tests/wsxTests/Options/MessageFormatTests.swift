import CommandLine
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
    }

    @Test(
        "Mistakes are explained",
        arguments: [
            ("{tim}", "unknown name 'tim'"), ("{", "a '}' is missing"), ("x}", "a '}' without a '{'"),
            ("{}", "unknown name ''"), ("{database}", "unknown name 'database'"), ("{data..a}", "."),
        ])
    func mistakes(text: String, words: String) {
        let problem = #expect(throws: ValueProblem.self) { try MessageFormat.parse(text) }
        #expect(problem?.words.contains(words) == true)
    }
}
