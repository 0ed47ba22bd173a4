import CommandLine
import UserInterface

/// The arguments of `wsx connect` as typed. ``ConnectSettings`` parses the URL and reads the files.
package struct ConnectArguments: ConversationArguments, Equatable, Sendable {
    package var client = ClientArguments()
    package var messages = MessageArguments()
    package var format = FormatArguments()
    package var protocols = ProtocolArguments()
    package var codecs = CodecArguments()
    package var ending = EndingArguments()
    package var replies = ReplyArguments()
    package var exchange = ExchangeArguments()
    package var data = DataArguments()
    package var scenario = ScenarioArguments()
    package var staying = StayingArguments()
    package var transcript = TranscriptArguments()
    package var page = PageArguments()
    package var history = HistoryChoice.host
    package var programs = ProgramArguments()
    package var curl = CurlArguments()

    package init() {}

    package static let operands: [OperandSpecification<ConnectArguments>] = [
        ClientArguments.url(
            mayBeProgram: true,
            manual: "The server to connect to. See URLS. `@`*NAME* is a profile; see CONFIGURATION."
        ).lifted(\.client),
        MessageArguments.operand.lifted(\.messages).checked { arguments throws(ValueProblem) in
            let operands = arguments.messages.texts.prefix(arguments.messages.operandCount)
            try MessageOperandValue.check(Array(operands), after: arguments.client.url)
        },
        OperandSpecification(
            "PROGRAM [ARG...]", required: false, of: "exec", completion: .program, example: "-- ./bot",
            summary: "Program to run with --exec",
            manual: """
                The program that `--exec` runs, and its arguments. It is looked up in `PATH`. See PROGRAMS.
                """
        ) { arguments, values in arguments.messages.program = values },
    ]

    @OptionTable<ConnectArguments> package static var options: [OptionSpecification<ConnectArguments>] {
        MessageArguments.options.lifted(\.messages)
        exec
        ProgramArguments.shared(heading: .messages).lifted(\.programs)
        FormatArguments.options(
            manual: """
                Do not read standard input. The run continues until the peer closes the connection, or until \
                `--count`, `--one`, `--until`, `--timeout`, or an interrupt ends it. `--linger` has no effect.
                """
        ).lifted(\.format)
        ProtocolArguments.options(
            manual: """
                Speak an application protocol on the connection; see PROTOCOLS.
                """
        ).lifted(\.protocols)
        CodecArguments.options(
            decode: """
                Decode received binary messages with *CODEC*, and show, write, and match their JSON. Other messages \
                stay unchanged.
                """,
            encode: """
                Encode each text message to send, which must be JSON, with *CODEC*, and send it as a binary message. \
                This includes the messages of the command line, the input, and automatic messages. A program gets any \
                text without line breaks.
                """
        ).lifted(\.codecs)
        EndingArguments.options.lifted(\.ending)
        ReplyArguments.options.lifted(\.replies)
        ExchangeArguments.options(
            firstMessage: """
                It precedes anything else. With `--reconnect`, it is sent on every connection.
                """,
            ready: """
                Nothing else is sent before. Messages up to this one do not count and are not written to standard \
                output; the prompt and `-v` show them. Without a match within `--connect-timeout`, the run ends with status 6 or, with \
                `--reconnect`, continues on a new connection.
                """,
            answer: """
                Answered messages are written and counted like others, but are no replies. \
                `-v` shows the answers.
                """
        ).lifted(\.exchange)
        [ExchangeArguments.set].lifted(\.exchange)
        DataArguments.options.lifted(\.data)
        ScenarioArguments.options.lifted(\.scenario)
        StayingArguments.options.lifted(\.staying)
        ClientArguments.options().lifted(\.client)
        RequestArguments.cookieJar.lifted(\.client.request)
        NetworkArguments.http2.lifted(\.client.network)
        CurlArguments.options.lifted(\.curl)
        TranscriptArguments.options().lifted(\.transcript)
        PageArguments.options().lifted(\.page)
        promptOptions
    }

    private static let exec =
        OptionSpecification<ConnectArguments>(
            "exec", conflicts: ["output=json", "pretty", "linger"] + StayingArguments.reconnecting,
            excludes: [.stdin, .input, .messageOutput], startsProgram: { _ in true }, heading: .messages,
            summary: "Let -- PROGRAM [ARG...] send and receive",
            manual: """
                Run the program after `--` when the connection is open. Received messages become lines on its standard \
                input, and each line of its standard output is sent as a message. When the program exits, the \
                connection is closed. Standard input is not read. See PROGRAMS.
                """,
            seeAlso: ["exec-json", "exec-grace"]
        ) { _, _ in }

    private static let promptOptions: [OptionSpecification<ConnectArguments>] = [
        OptionSpecification(
            "history", value: OptionValue("FILE", .file), heading: .display,
            summary: "Keep the prompt's history in FILE",
            manual: """
                Keep the prompt's history in *FILE*. By default, each host has its own file; see FILES. Of `--history` \
                and `--no-history`, the last one wins.
                """,
            example: "--history chat.history", seeAlso: ["no-history"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .empty }
            arguments.history = .file(value)
        },
        OptionSpecification(
            "no-history", heading: .display,
            summary: "Do not use a history file",
            manual: """
                Keep the prompt's history in memory only: no history file is read or written.
                """
        ) { arguments, _ in arguments.history = .none },
    ]
}

/// Where the prompt's history is stored.
package enum HistoryChoice: Equatable {
    /// In one file per host.
    case host
    case file(String)
    /// In memory only.
    case none
}

extension ConnectArguments {
    /// Whether the placeholders of lines of the input are replaced. With `--wrap`, only those of its text are.
    var linesAreTemplates: Bool { data.usesTemplates && messages.input.wrap == nil }

    /// The option that takes text from the input, or `nil` if there is none, or if `--wrap` makes text of it.
    var textOption: String? {
        guard messages.input.wrap == nil else { return nil }
        return protocols.choice != nil ? "--protocol" : codecs.encoders.isEmpty ? nil : "--encode"
    }

    /// The input files and their options.
    package var readFiles: [OutputPlace.Source] {
        let historyPath: String? = if case .file(let path) = history { path } else { nil }
        return [
            ("--file", messages.file), ("--history", historyPath), ("--data", data.path), ("--scenario", scenario.path),
        ]
            + exchange.files
            + OutputPlace.files([staying.heartbeatMessage].compactMap(\.self), of: "--heartbeat-message")
            + OutputPlace.files([messages.input.lastMessage].compactMap(\.self), of: "--last-message")
            + client.connectionFiles
    }
}
