import CommandLine
import Conversation
import UserInterface
import WSCore

/// The arguments of `wsx listen` as typed. Nothing is resolved yet: no file is read, and no address looked up.
package struct ListenArguments: ConversationArguments, Equatable, Sendable {
    /// As typed: `PORT`, `ADDRESS:PORT`, or `unix:PATH`; empty if omitted.
    package var address = ""
    package var mode = ListenMode.conversation
    package var server = ServerArguments()
    package var programs = ProgramArguments()
    package var access = AccessArguments()
    package var web = WebArguments()
    package var exchange = ExchangeArguments()
    package var protocols = ProtocolArguments()
    package var scenario = ScenarioArguments()
    /// The scenarios; the first one for a client's path is played.
    package var scenarios: [ScenarioChoice] = []
    package var faults = FaultArguments()
    package var tls = ServerTLSArguments()
    package var format = FormatArguments()
    package var codecs = CodecArguments()
    package var heartbeats = HeartbeatArguments()
    package var compression = CompressionArguments()
    package var limits = LimitArguments(maximumMessageBytes: 16 << 20)
    package var transcript = TranscriptArguments()
    package var page = PageArguments()

    package init() {}

    package static let operands = [
        OperandSpecification<ListenArguments>(
            "[ADDRESS:]PORT", required: false, profileKey: "address", example: "8080",
            summary: "Port to listen on, or unix:PATH",
            manual: """
                The address and port to listen on. The default address is `127.0.0.1`, which only this machine can \
                reach. `*:`*port* (or `0.0.0.0:`*port*) listens on all IPv4 addresses, and `[::]:`*port* on all IPv6 \
                and IPv4 addresses; both are open to the network. Port 0 picks a free port. `unix:`*path* listens on \
                a Unix domain socket, and `unix:@`*name* on an abstract one (Linux). The operand is optional with \
                SOCKET ACTIVATION. `@`*NAME* is a profile, which may contain `address`; see CONFIGURATION.
                """
        ) { arguments, values throws(ValueProblem) in
            arguments.address = try ListenAddressValue.parse(values.joined())
        },
        OperandSpecification<ListenArguments>(
            "PROGRAM [ARG...]", required: false, of: "exec", completion: .program, example: "-- ./worker",
            summary: "Program to run with --exec",
            manual: """
                The program that `--exec` runs for each client, and its arguments. It is looked up in `PATH`. See \
                PROGRAMS.
                """
        ) { arguments, values in arguments.mode = .exec(values) },
    ]

    /// A variable.
    static let variable = ProtocolArguments.variable(
        heading: .exchange,
        manual: "`{{json:`*NAME*`}}` inserts it as a JSON string. A value with a telling *NAME* is masked in errors.",
        example: "--param name=demo --first-message 'hello from {{name}}'",
        seeAlso: ["answer", "set"])

    @OptionTable<ListenArguments> package static var options: [OptionSpecification<ListenArguments>] {
        modeOptions
        ServerArguments.upgradeOptions.lifted(\.server)
        exec
        ProgramArguments.options.lifted(\.programs)
        ServerArguments.servingOptions.lifted(\.server)
        AccessArguments.options.lifted(\.access)
        WebArguments.options.lifted(\.web)
        ExchangeArguments.options(
            firstMessage: "It greets each client.",
            ready: nil,
            answer: """
                Answered messages are still written or shown, but not echoed or relayed. A few rules make a mock server.
                """
        ).lifted(\.exchange)
        [ExchangeArguments.set].lifted(\.exchange)
        [variable].lifted(\.protocols)
        FaultArguments.options.lifted(\.faults)
        replay
        scenario
        [ScenarioArguments.connectionOption, ScenarioArguments.ignore].lifted(\.scenario)
        FormatArguments.options(
            onlyFromInput: true,
            manual: "Do not read standard input. Clients then get only what modes such as `--broadcast` send."
        ).lifted(\.format)
        CodecArguments.options(
            takesPrograms: false, conflicts: ["replay"],
            decode: """
                Decode received binary messages with *CODEC*. Echoes, broadcasts, and recordings keep the received bytes.
                """,
            encode: """
                Encode each text that the server itself sends, which must be JSON, with *CODEC*. Echoes and broadcasts of \
                clients stay as they are.
                """
        ).lifted(\.codecs)
        HeartbeatArguments.options(
            summary: "Ping clients; drop those that stay silent",
            manual: """
                Send each client a ping every *DURATION*. A client that sends nothing for `--heartbeat-misses` \
                heartbeats is considered dead and is disconnected without a closing handshake.
                """
        ).lifted(\.heartbeats)
        ServerTLSArguments.options.lifted(\.tls)
        CompressionArguments.options().lifted(\.compression)
        LimitArguments.options(messageSize: "16M").lifted(\.limits)
        TranscriptArguments.options(conditionPrefixes: .path).lifted(\.transcript)
        PageArguments.options(conflicts: ["threads"], conditionPrefixes: .path).lifted(\.page)
    }

    private static let modeOptions: [OptionSpecification<ListenArguments>] = [
        OptionSpecification(
            "echo", conflicts: ["broadcast"], excludes: [.input, .kind, .messageOutput], heading: .server,
            summary: "Echo each message to its sender",
            manual: "Echo each message to the client that sent it. Standard input is not read.",
            seeAlso: ["broadcast", "exec", "replay", "threads"]
        ) { arguments, _ in arguments.mode = .echo },
        OptionSpecification(
            "broadcast",
            value: OptionValue("SCOPE", .choices(of: BroadcastScope.self), implied: BroadcastScope.all.rawValue),
            conflicts: ["echo"], heading: .server,
            summary: "Send each message to all other clients",
            manual: """
                Send each message to all clients except its sender, and also write it to standard output. Lines of \
                standard input go to every client. *SCOPE* defaults to `all`:
                """,
            example: "--broadcast=path", seeAlso: ["post", "echo", "exec"]
        ) { arguments, value throws(ValueProblem) in
            arguments.mode = .broadcast(try BroadcastScope.parse(value))
        },
    ]

    private static let exec =
        OptionSpecification<ListenArguments>(
            "exec", about: .service, conflicts: ["echo", "broadcast"], excludes: [.input, .messageOutput],
            startsProgram: { _ in true },
            heading: .server, summary: "Run -- PROGRAM [ARG...] for each client",
            manual: """
                Run the program after `--` once for each client. The client's messages become lines on its standard \
                input, and each line of its standard output is sent to the client. Standard input is not read. See \
                PROGRAMS.
                """,
            seeAlso: ["max-processes", "exec-grace", "once"]
        ) { arguments, _ in arguments.mode = .exec([]) }

    private static let replay =
        OptionSpecification<ListenArguments>(
            "replay", value: OptionValue("FILE", .file), repetition: .mustAgree, about: .service,
            conflicts: ["echo", "broadcast", "exec"], excludes: [.inputFormat, .kind, .messageOutput], heading: .faults,
            summary: "Answer messages from a recording",
            manual: """
                Answer each message as the server in the recording *FILE* did; see TESTING CLIENTS. Replies are sent \
                at once; `--replay-speed` keeps or scales the original delays. Standard input is not read.
                """,
            example: "--replay session.jsonl", seeAlso: ["replay-speed", "record", "echo"]
        ) { arguments, value in arguments.mode = .replay(path: value) }

    private static let scenario =
        OptionSpecification<ListenArguments>(
            "scenario", value: OptionValue("FILE", .file), repetition: .replaces, about: .service,
            conflicts: ["echo", "broadcast", "exec", "replay"], excludes: [.input, .kind, .messageOutput],
            heading: .scenario, summary: "Play the opposite side of FILE",
            manual: """
                Play the opposite side of the scenario *FILE* for each client. Standard input is not read. \
                `path:`*GLOB* and a blank before *FILE* limit it to clients of such paths. See SCENARIOS.
                """,
            example: "--scenario 'path:/a/* a.jsonl' --scenario b.jsonl", seeAlso: ["ignore", "replay", "answer"]
        ) { arguments, value throws(ValueProblem) in
            arguments.mode = .scenario
            if let last = arguments.scenarios.last, last.paths == nil {
                throw .unusable(
                    words: "'\(escapingControls(last.file))' is already played at every path; put it last, or after "
                        + "'path:…'")
            }
            arguments.scenarios.append(try ScenarioChoice(value))
        }
}

/// What `wsx listen` does with its clients' messages.
package enum ListenMode: Equatable, Sendable {
    /// Messages are written to standard output; lines of standard input go to every client.
    case conversation
    /// Like ``conversation``, but each message also goes to other clients.
    case broadcast(BroadcastScope)
    /// Each message goes back to its sender.
    case echo
    /// Messages are answered from the recording at this path.
    case replay(path: String)
    /// The opposite side of a scenario is played for each client.
    case scenario
    /// Each client has its own process of a program: its name and arguments.
    case exec([String])
    /// Messages are exchanged with a server, which these arguments describe.
    case relay(RelayMode)
}

/// A value of `--scenario`: a file, and the paths of the clients with which it is played.
package struct ScenarioChoice: Equatable, Sendable {
    /// `nil`: all paths.
    package var paths: PathPattern?
    package var file: String

    /// Parses `FILE` or `path:GLOB FILE`.
    package init(_ text: String) throws(ValueProblem) {
        do throws(ScopedConditionError) {
            (paths, file) = try ScopedCondition.paths(of: text)
        } catch {
            throw switch error {
            case .nothingAfter(let prefix):
                .unusable(words: "a file must follow '\(escapingControls(prefix))' and a blank")
            default:
                .unusable(words: "'path:' needs a path, such as path:/chat/*; for a file of that name, write ./path:")
            }
        }
    }
}

/// The values of `--broadcast`: the clients that get the messages of others.
package enum BroadcastScope: String, CaseIterable, OptionChoice {
    case all
    case path

    package var summary: String {
        switch self {
        case .all: "all other clients"
        case .path: "those whose requests have the same path, without the query"
        }
    }
}

extension ListenMode {
    /// What the mode means for the rest of the server.
    package struct Traits: Sendable {
        /// Whether the server answers without a user: standard input is not read, and messages are not shown.
        package var answersByItself = true
        /// Whether the server has a prompt on a terminal.
        package var hasPrompt = false
        /// What waits while the gate of a client is full.
        var waiting = Waiting.client
        /// Whether the mode delays items itself, so all of them pass through gates.
        var hasPauses = false
        /// Whether several threads can serve clients independently.
        var allowsThreads = false
    }

    /// What waits while the gate of a client is full.
    enum Waiting {
        /// The client, whose messages are answered.
        case client
        /// The input, which goes to all clients, of whom one must not delay the others for long.
        case input
        /// The input, and the clients, whose messages go to all others.
        case everyone
        /// A program, or both sides of a relay, which check the gate themselves.
        case service
    }

    package var traits: Traits {
        switch self {
        case .conversation: Traits(answersByItself: false, hasPrompt: true, waiting: .input)
        case .broadcast: Traits(answersByItself: false, hasPrompt: true, waiting: .everyone)
        case .echo: Traits(allowsThreads: true)
        case .replay: Traits(hasPauses: true, allowsThreads: true)
        case .scenario: Traits()
        case .exec: Traits(waiting: .service)
        case .relay: Traits(hasPrompt: true, waiting: .service)
        }
    }

    /// Whether messages are exchanged with a server.
    var isRelay: Bool { if case .relay = self { true } else { false } }
    /// Whether the clients name the server.
    var isProxy: Bool { if case .relay(let relay) = self { relay.isProxy } else { false } }
}

extension ListenArguments {
    /// The prefixes that conditions on messages may have.
    var conditionPrefixes: ScopedCondition.Prefixes { mode.isRelay ? [.path, .side] : .path }

    /// The option of the users and passwords of clients.
    var loginOption: String { mode.isRelay ? "--proxy-login" : "--auth" }

    /// The input files and their options.
    package var readFiles: [OutputPlace.Source] {
        let recording: String? = if case .replay(let path) = mode { path } else { nil }
        return [
            ("--replay", recording), ("--tls-cert", tls.certificate), ("--tls-key", tls.key),
            ("--client-ca", tls.clientAuthorities),
        ] + scenarios.map { ("--scenario", $0.file) }
            + OutputPlace.files(server.headers, of: "--header")
            + OutputPlace.files(access.credentials, of: loginOption)
            + OutputPlace.files(access.tokens, of: "--bearer")
            + OutputPlace.files([tls.passphrase].compactMap(\.self), of: "--passphrase") + exchange.files
    }
}
