import CommandLine
import Testing

@testable import Listen
@testable import UserInterface
@testable import wsx

@Suite struct HelpTextTests {
    @Test(
        "Help is at most 80 columns wide, without trailing spaces or tabs",
        arguments: [nil, .connect, .listen, .relay, .bench, .merge, .curl, .convert, .help, .completions] as [Command?])
    func width(command: Command?) {
        for text in [TestProgram.shortHelp(of: command), TestProgram.longHelp(of: command)] {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                // The hash of a pin cannot be broken.
                #expect(line.count <= HelpText.columns || line.contains("sha256//"), "\(line)")
                #expect(!line.hasSuffix(" ") && !line.contains("\t"), "\(line)")
            }
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
        }
    }

    @Test(
        "In a narrow terminal, help breaks at words",
        arguments: [nil, .connect, .listen, .relay, .bench, .merge, .curl, .convert, .help, .completions] as [Command?],
        [40, 60])
    func narrow(command: Command?, columns: Int) throws {
        let words = command.map(TestProgram.words) ?? []
        guard
            case .text(.help(let short)) = try Invocation.program.parse(words + ["-h"], helpColumns: columns),
            case .text(.longHelp(let long)) = try Invocation.program.parse(words + ["--help"], helpColumns: columns)
        else {
            Issue.record("no help")
            return
        }
        for line in short.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
        for line in long.split(separator: "\n") where line.count > columns {
            // Command lines keep their words together, so they can be copied.
            #expect(line.contains("wsx ") || line.contains(" --"), "\(line)")
        }
    }

    @Test("Help contains no marks of the manual", arguments: Command.allCases)
    func marks(command: Command) {
        #expect(!TestProgram.longHelp(of: command).contains("`"))
    }

    @Test("The program's help shows its commands") func program() {
        #expect(
            TestProgram.shortHelp(of: nil) == """
                wsx: WebSocket client, server, and load generator

                Usage: wsx COMMAND [ARGUMENT...]
                       wsx [OPTION...] URL [MESSAGE...] [-- PROGRAM [ARG...]]

                Commands:
                  connect      Connect to a WebSocket server
                  listen       Run a WebSocket server
                  relay        Run a proxy between WebSocket clients and a server
                  bench        Load-test a WebSocket server
                  bench merge  Merge the results of several load tests
                  curl         Connect as a curl command would
                  check        Check a WebSocket server or client against the RFCs
                  convert      Convert between recordings and HAR files
                  help         Explain a command, an option, or a topic
                  completions  Print a shell's completion script

                General:
                  -h, --help     Show help; -h is the short form
                  -V, --version  Show the version

                'wsx COMMAND -h' lists a command's options, 'wsx COMMAND --help' explains them.
                'wsx help' lists the topics of 'wsx help TOPIC'.

                """)
    }

    @Test("short help has one line for each option: its names, summary, and default", arguments: Command.allCases)
    func shortHelp(command: Command) {
        let lines = TestProgram.shortHelp(of: command).split(separator: "\n").filter { $0.hasPrefix("  ") }
        for option in TestProgram.options(of: command) {
            let matching = lines.filter { $0.contains("--\(option.long) ") || $0.contains("--\(option.long)[=") }
                .filter { $0.contains("  \(option.summary)") }
            #expect(matching.count == 1, "\(option.long): \(matching)")
            if let value = option.defaultValue { #expect(matching.first?.hasSuffix(" [\(value)]") == true) }
        }
    }

    @Test("each option with a value has an example in long help", arguments: Command.allCases)
    func examples(command: Command) throws {
        let help = TestProgram.longHelp(of: command)
        for option in TestProgram.options(of: command) where option.value != nil {
            let description = try #require(TestProgram.command(command))
            let example = try #require(TestProgram.description.example(of: option, in: description), "\(option.long)")
            #expect(help.replacing(" \\\n             ", with: "").contains("          Example: \(example)\n"))
        }
    }

    @Test("each example uses its option and is a valid command line", arguments: Command.allCases)
    func validExamples(command: Command) throws {
        let description = try #require(TestProgram.command(command))
        for option in description.options {
            guard let example = TestProgram.description.example(of: option, in: description) else { continue }
            let words = shellWords(example.replacingSuffix("URL", with: "ws://localhost/"))
            let isUsed = words.contains { word in
                word == "--\(option.long)" || word.hasPrefix("--\(option.long)=")
                    || option.short.map { word.hasPrefix("-\($0)") } ?? false
            }
            #expect(isUsed, "\(example)")
            #expect(throws: Never.self, "\(example)") {
                let invocation = try Invocation.program.parse(Array(words.dropFirst()))
                if case .listen(let arguments) = invocation { try arguments.checkRelay(isLocal: true, hasPort: true) }
            }
        }
    }

    @Test("related options exist in the same command", arguments: Command.allCases)
    func relatedOptions(command: Command) {
        let options = TestProgram.options(of: command)
        for option in options {
            for other in option.seeAlso {
                #expect(options.contains { $0.long == other.long }, "--\(option.long): \(other.words)")
                #expect(other.long != option.long)
            }
        }
    }

    /// The words of a shell command line with quotes, without expansions.
    private func shellWords(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch (quote, character) {
            case (character, _): quote = nil
            case (nil, "'"), (nil, "\""):
                quote = character
                word = word ?? ""
            case (nil, " "):
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap { $0 }
    }

    @Test("The long help explains an option with its choices and default") func long() {
        #expect(
            TestProgram.longHelp(of: .listen).contains(
                """
                      --output FORMAT
                          Write received messages to standard output in this format. See 'wsx
                          help formats'.
                            text    each message and a newline
                            raw     each message without a separator
                            nul     each message and a NUL byte
                            hex     each message as a line of hexadecimal digits
                            base64  each message as a line of Base64
                            json    one JSON event per line, see 'wsx help json-events'
                          Default: text.
                          --json is short for --output json.
                          Example: wsx listen --output json 8080
                          See also: --input, --pretty.

                """))
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, with replacement: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + replacement : self
    }
}
