import CommandLine

/// What was typed after `wsx listen`. What it means (files read, address resolved) is worked out elsewhere.
struct ListenArguments: Equatable, Sendable {
    /// As typed: `PORT`, `ADDRESS:PORT` or `unix:PATH`; empty: nothing was.
    var address = ""
    var mode = ListenMode.conversation
    var server = ServerArguments()
    var programs = ProgramArguments()
    var access = AccessArguments()
    var web = WebArguments()
    var faults = FaultArguments()
    var tls = ServerTLSArguments()
    var format = FormatArguments()
    var heartbeats = HeartbeatArguments()
    var compression = CompressionArguments()
    var limits = LimitArguments(maximumMessageBytes: 16 << 20)
    var transcript = TranscriptArguments()

    static let operands = [
        OperandSpecification<ListenArguments>(
            "[ADDRESS:]PORT", required: false,
            summary: "Where to listen; also unix:PATH",
            manual: """
                Where to listen. Without an address it is `127.0.0.1`, which only this machine can reach; \
                `0.0.0.0:`*port* and `[::]:`*port* are open to the network. Port 0 picks a free one. \
                `unix:`*path* listens on a socket file; on Linux `unix:@`*name* on one of the abstract namespace. \
                May be left out where sockets are handed over, see SOCKET ACTIVATION.
                """
        ) { arguments, values throws(ValueProblem) in
            arguments.address = try ListenAddressValue.parse(values.joined())
        },
        OperandSpecification<ListenArguments>(
            "PROGRAM [ARG...]", required: false, of: "exec", completion: .program,
            summary: "What --exec runs",
            manual: """
                With `--exec`, the program that is run for each client, and its arguments, see PROGRAMS. It is looked \
                for in PATH.
                """
        ) { arguments, values in arguments.mode = .exec(values) },
    ]

    @OptionTable<ListenArguments> static var options: [OptionSpecification<ListenArguments>] {
        modeOptions
        ServerArguments.upgradeOptions.lifted(\.server)
        exec
        ProgramArguments.options.lifted(\.programs)
        ServerArguments.servingOptions.lifted(\.server)
        AccessArguments.options.lifted(\.access)
        WebArguments.options.lifted(\.web)
        FaultArguments.options.lifted(\.faults)
        replay
        FormatArguments.options(
            withoutInput: FormatArguments.inputOptions, kindConflicts: ["input=json"],
            manual: "Do not read standard input: nothing is sent but what the protocol asks for."
        ).lifted(\.format)
        HeartbeatArguments.options(
            summary: "Ping so often, and drop silent clients",
            manual: """
                Send each client a ping every *DURATION*. One of which nothing has come after several of them, no byte \
                of any kind, is lost: its connection is dropped, without a closing handshake.
                """
        ).lifted(\.heartbeats)
        ServerTLSArguments.options.lifted(\.tls)
        CompressionArguments.options().lifted(\.compression)
        LimitArguments.options(
            messageSize: "16M", manual: "Close a client with 1009 when it sends a message larger than *SIZE*."
        ).lifted(\.limits)
        TranscriptArguments.options.lifted(\.transcript)
    }

    private static let modeOptions: [OptionSpecification<ListenArguments>] = [
        OptionSpecification(
            "echo",
            conflicts: ["broadcast"] + FormatArguments.inputOptions + FormatArguments.messageKinds
                + FormatArguments.messageOutputs, heading: .server,
            summary: "Send each message back to its sender",
            manual: "Send each message back to the client that sent it. Standard input is then not read."
        ) { arguments, _ in arguments.mode = .echo },
        OptionSpecification(
            "broadcast", conflicts: ["echo"], heading: .server,
            summary: "Send each message to all other clients",
            manual: """
                Send each message to all clients but the one that sent it, and show it as without the option. What is \
                typed, or read from standard input, goes to every client.
                """
        ) { arguments, _ in arguments.mode = .broadcast },
    ]

    private static let exec =
        OptionSpecification<ListenArguments>(
            "exec", conflicts: ["echo", "broadcast"] + FormatArguments.inputOptions + FormatArguments.messageOutputs,
            heading: .server,
            summary: "Run -- PROGRAM [ARG...] for each client",
            manual: """
                Run the program after `--` once for each client: what the client sends is its standard input, and what it \
                writes to standard output is sent to the client. See PROGRAMS. Standard input is then not read.
                """
        ) { arguments, _ in arguments.mode = .exec([]) }

    private static let replay =
        OptionSpecification<ListenArguments>(
            "replay", value: OptionValue("FILE", .file), singular: true,
            conflicts: ["echo", "broadcast", "exec", "input", "crlf"] + FormatArguments.messageKinds
                + FormatArguments.messageOutputs, heading: .faults,
            summary: "Answer as in a recording",
            manual: """
                Answer each message as the server of the recording *FILE* did, see TRYING CLIENTS. Standard input is \
                then not read. `--replay-speed` keeps the pauses before the answers, or scales them; without it they \
                come at once.
                """
        ) { arguments, value in arguments.mode = .replay(path: value) }
}

/// What `wsx listen` does with the messages of its clients.
enum ListenMode: Equatable, Sendable {
    /// They are shown, and what is typed or read from standard input goes to every client.
    case conversation
    /// The same, and each goes to all other clients.
    case broadcast
    /// Each goes back to its sender.
    case echo
    /// They are answered as in the recording at this path.
    case replay(path: String)
    /// They go to a program that runs for that client alone: its name and its arguments.
    case exec([String])

    /// A mode without what it is given.
    enum Service {
        case conversation, broadcast, echo, replay, exec
    }

    /// Which mode it is.
    var service: Service {
        switch self {
        case .conversation: .conversation
        case .broadcast: .broadcast
        case .echo: .echo
        case .replay: .replay
        case .exec: .exec
        }
    }

    /// Whether the program answers, and nobody sits at the server: standard input is not read, and messages are not
    /// shown.
    var answersByItself: Bool {
        switch self {
        case .conversation, .broadcast: false
        case .echo, .replay, .exec: true
        }
    }
}
