import CommandLine
import Testing

@testable import Connect
@testable import UserInterface
@testable import wsx

/// The conventions of the command line. ``OptionTableTests`` tests the effect of each option.
@Suite struct CommandLineParserTests {
    private func connect(_ words: String...) throws -> ConnectArguments {
        let invocation = try Invocation.program.parse(["connect"] + words)
        guard case .connect(let arguments) = invocation else { throw Unexpected(invocation: invocation) }
        return arguments
    }

    private struct Unexpected: Error { let invocation: Invocation }

    @Test("A value follows its option as a word, after '=', or directly if it is short") func valueForms() throws {
        #expect(try connect("u", "--origin", "null").client.request.origin == "null")
        #expect(try connect("u", "--origin=null").client.request.origin == "null")
        #expect(try connect("u", "-o", "null").client.request.origin == "null")
        #expect(try connect("u", "-onull").client.request.origin == "null")
        #expect(try connect("u", "-s=o").client.request.subprotocols == ["=o"])
    }

    @Test("A value may be empty, contain '=', or begin with a hyphen") func unusualValues() throws {
        #expect(try connect("u", "--header=").client.request.headers == [""])
        #expect(try connect("u", "--header", "").client.request.headers == [""])
        #expect(try connect("u", "--header=A: b=c").client.request.headers == ["A: b=c"])
        #expect(try connect("u", "--header=\u{301}").client.request.headers == ["\u{301}"])
        #expect(try connect("u", "-x", "-v", "-x", "--").messages.texts == ["-v", "--"])
    }

    @Test("Short options can be combined, and the last one may have a value") func clusters() throws {
        #expect(try connect("u", "-vv").transcript.verbosity == 2)
        let arguments = try connect("u", "-qn5")
        #expect(arguments.transcript.display.isQuiet)
        #expect(arguments.ending.count == 5)
        #expect(try connect("u", "-qn", "5").ending.count == 5)
    }

    @Test("Options and operands can be mixed, and '--' ends the options") func mixing() throws {
        let arguments = try connect("-q", "u", "one", "-v", "--", "--quiet", "-", "--")
        #expect(arguments.client.url == "u")
        #expect(arguments.messages.texts == ["one", "--quiet", "-", "--"])
        #expect(arguments.transcript.verbosity == 1)
        #expect(try connect("--", "u").client.url == "u")
        #expect(try Invocation.program.parse(["--", "connect", "u"]) == .connect(try connect("u")))
    }

    @Test(
        "A URL without a command implies connect, with options before or after it",
        arguments: [
            ["ws://h/p", "-q"], ["-q", ":8080", "hello"], ["-qn", "5", "localhost"], ["example.com/chat"],
            ["-x", "hi", "echo:"], ["--header=a: b", "wss://h"], ["--", "ws+unix:/run/s"],
        ])
    func withoutCommand(words: [String]) throws {
        let rest = words.first == "--" ? Array(words.dropFirst()) : words
        #expect(try Invocation.program.parse(words) == Invocation.program.parse(["connect"] + rest))
    }

    @Test(
        "wscat's -c and -l select the commands, in any position",
        arguments: [
            (["-c", "ws://h"], ["connect", "ws://h"]), (["-q", "-c", "u", "hi"], ["connect", "u", "-q", "hi"]),
            (["--connect=u", "-x", "a"], ["connect", "u", "-x", "a"]), (["-l", "8080"], ["listen", "8080"]),
            (["--echo", "--listen", "0", "-s", "chat"], ["listen", "0", "--echo", "-s", "chat"]),
            (["ws://h", "--", "-c"], ["connect", "ws://h", "--", "-c"]),
        ])
    func wscatForms(words: [String], meaning: [String]) throws {
        #expect(try Invocation.program.parse(words) == Invocation.program.parse(meaning))
    }

    @Test("A single hyphen is an operand, and so is the empty word") func hyphen() throws {
        #expect(try connect("u", "-", "").messages.texts == ["-", ""])
    }

    @Test("Operands precede the values of --execute, in any order of words") func messageOrder() throws {
        #expect(try connect("-x", "c", "u", "a", "-x", "d", "b").messages.texts == ["a", "b", "c", "d"])
    }

    @Test("If an option is repeated, the last value counts") func lastWins() throws {
        #expect(try connect("u", "--linger", "1s", "--linger=2s").ending.linger == .idle(.seconds(2)))
        #expect(try connect("u", "--binary", "--text").format.payload == .text)
        #expect(try connect("u", "-6", "-4").client.network.addressFamily == .ipv4)
    }

    @Test("Prefixes of long names are not accepted", arguments: ["--linge", "--verb", "--interac"])
    func prefixes(word: String) {
        #expect(throws: UsageError.self) { try connect("u", word, "1") }
    }

    @Test("Help is shown at once, even if operands are missing") func help() throws {
        #expect(try Invocation.program.parse(["-h"]) == .text(.help(TestProgram.shortHelp(of: nil))))
        #expect(try Invocation.program.parse(["--help"]) == .text(.longHelp(TestProgram.longHelp(of: nil))))
        #expect(try Invocation.program.parse(["help"]) == .text(.longHelp(TestProgram.longHelp(of: nil))))
        #expect(try Invocation.program.parse(["connect", "-vh"]) == .text(.help(TestProgram.shortHelp(of: .connect))))
        #expect(
            try Invocation.program.parse(["listen", "--help"]) == .text(.longHelp(TestProgram.longHelp(of: .listen))))
        for command in Command.allCases {
            #expect(
                try Invocation.program.parse(["help", command.rawValue])
                    == .text(.longHelp(TestProgram.longHelp(of: command))))
        }
    }

    @Test("The version and the completions can be requested") func others() throws {
        for word in ["--version", "-V"] {
            #expect(try Invocation.program.parse([word]) == .version(isVerbose: false))
            #expect(try Invocation.program.parse([word, "-v"]) == .version(isVerbose: true))
            #expect(try Invocation.program.parse([word, "--verbose"]) == .version(isVerbose: true))
        }
        for shell in Shell.allCases {
            let expected = Invocation.text(.completionScript(shell.completionScript(of: TestProgram.description)))
            #expect(try Invocation.program.parse(["completions", shell.rawValue]) == expected)
        }
    }
}
