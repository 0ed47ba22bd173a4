import CommandLine
import Formats
import Testing

@testable import UserInterface
@testable import wsx

@Suite struct HelpDataTests {
    @Test("'wsx help connect --json' has each option with its short name, type, default, choices, and example")
    func options() throws {
        guard case .text(.help(let text)) = try Invocation.program.parse(["help", "connect", "--json"]) else {
            Issue.record("no data")
            return
        }
        #expect(text.hasPrefix(#"{"version":1,"program":"wsx","#) && text.hasSuffix("}\n"))
        for option in TestProgram.options(of: .connect) { #expect(text.contains(#"{"name":"--\#(option.long)""#)) }
        #expect(text.contains(#"{"name":"--count","short":"-n","type":"number","placeholder":"N""#))
        #expect(!text.contains(#""name":"listen""#))
    }

    @Test(
        "With --json, a usage error is one line of JSON",
        arguments: [
            (
                ["connect", "--conut", "1", "--json", "echo:"],
                #"{"error":"unknown option '--conut'; did you mean '--count'?","option":"--conut","#
                    + #""suggestion":"--count","status":2}"#
            ),
            (
                ["bench", "--output", "json", "-c", "x", "echo:"],
                #"{"error":"invalid value 'x' for '-c': expected a number such as 5, 50k, or 1M","option":"-c","status":2}"#
            ),
        ] as [([String], String)])
    func usageErrors(words: [String], line: String) {
        let error = #expect(throws: UsageError.self) { try Invocation.program.parse(words) }
        #expect(UsageError.isForPrograms(words))
        #expect(error?.json(status: 2) == line)
        #expect(!UsageError.isForPrograms(["connect", "--output", "text", "--", "--json"]))
        #expect(!UsageError.isForPrograms(["connect", "--json", "--output=hex"]))
    }
}
