import Bench
import Check
import CommandLine
import Connect
import Convert
import Listen
import UserInterface

/// The parsed command line.
enum Invocation: Equatable {
    case connect(ConnectArguments)
    case listen(ListenArguments)
    case bench(BenchArguments)
    case merge(MergeArguments)
    case convert(ConvertArguments)
    case check(CheckArguments)
    /// Prints help or a completion script.
    case text(InformationalText)
    /// Prints the profiles and URLs for a completion script.
    case completionTargets
    /// Prints the version, and those of the libraries if `isVerbose`.
    case version(isVerbose: Bool)

    /// The program and its commands, with their operands, options, and manuals.
    static let program: ProgramSpecification<Invocation> = {
        let connect = CommandSpecification<Invocation>(
            Command.connect.rawValue, summary: "Connect to a WebSocket server", arguments: ConnectArguments(),
            options: ConnectArguments.options, operands: ConnectArguments.operands,
            manual: ManualPages.connect,
            invocation: { .connect($0) })
        let listen = CommandSpecification<Invocation>(
            Command.listen.rawValue, summary: "Run a WebSocket server", arguments: ListenArguments(),
            options: ListenArguments.options, operands: ListenArguments.operands,
            manual: ManualPages.listen,
            invocation: { .listen($0) })
        let relay = CommandSpecification<Invocation>(
            Command.relay.rawValue, summary: "Run a proxy between WebSocket clients and a server",
            arguments: RelayArguments(),
            options: RelayArguments.options, operands: RelayArguments.operands, manual: ManualPages.relay,
            invocation: { .listen($0.listenArguments) })
        let bench = CommandSpecification<Invocation>(
            Command.bench.rawValue, summary: "Load-test a WebSocket server", arguments: BenchArguments(),
            options: BenchArguments.options, operands: BenchArguments.operands, manual: ManualPages.bench,
            invocation: { .bench($0) })
        let merge = CommandSpecification<Invocation>(
            Command.merge.rawValue, summary: "Merge the results of several load tests", arguments: MergeArguments(),
            options: MergeArguments.options, operands: MergeArguments.operands,
            manual: ManualPages.merge,
            invocation: { .merge($0) })
        let curl = CommandSpecification<Invocation>(
            Command.curl.rawValue, summary: "Connect as a curl command would", operands: CurlCommand.operands,
            manual: ManualPages.curl, for: connect
        ) { words throws(UsageError) in
            let command = try CurlCommand(words)
            return CommandSpecification.Translation(words: try command.words) { invocation throws(UsageError) in
                guard case .connect(let arguments) = invocation else { return invocation }
                return .connect(try command.completing(arguments))
            }
        }
        let convert = CommandSpecification<Invocation>(
            Command.convert.rawValue, summary: "Convert between recordings and HAR files",
            arguments: ConvertArguments(), options: ConvertArguments.options, operands: ConvertArguments.operands,
            manual: ManualPages.convert, invocation: { .convert($0) })
        let check = CommandSpecification<Invocation>(
            Command.check.rawValue, summary: "Check a WebSocket server or client against the RFCs",
            arguments: CheckArguments(), options: CheckArguments.options, operands: CheckArguments.operands,
            manual: ManualPages.check, invocation: { .check($0) })
        let completions = CommandSpecification<Invocation>.completions(
            lists: [CompletionTargets.word: .completionTargets], manual: ManualPages.completions)
        let help = CommandSpecification<Invocation>.help(topics: program.description.topics)
        return ProgramSpecification(
            commands: [connect, listen, relay, bench, merge, curl, check, convert, help, completions],
            version: { .version(isVerbose: $0) },
            text: { .text($0) }, describe: description)
    }()

    private static func description(_ commands: [CommandDescription]) -> ProgramDescription {
        ProgramDescription(
            name: "wsx", version: UserInterface.version, summary: "WebSocket client, server, and load generator",
            headings: OptionHeading.all, commands: commands,
            implicitCommand: ImplicitCommand(
                Command.connect.rawValue, note: "Without a command, a URL means connect."
            ) { word in word.isEmpty || word == "localhost" || word.contains { ":/.".contains($0) } },
            firstExample: "wsx connect echo:",
            hooks: ForeignHooks(
                rewrite: { words throws(UsageError) in try WscatForm.line(for: words) },
                commandLine: { ForeignCommand.line(for: $0) },
                remedy: { ForeignOption.remedy(for: $0, of: Command(rawValue: $1)) },
                distantRemedy: { ForeignOption.distantRemedy(for: $0, of: Command(rawValue: $1)) },
                operandRemedy: { ForeignOperand.remedy(for: $0, at: $1, of: Command(rawValue: $2)) },
                topic: { ForeignCommand.topic(for: $0) }),
            manual: ManualPages.program, pages: TopicPages.all, promptCommands: ManualPages.promptCommands)
    }
}
