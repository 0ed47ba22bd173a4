import CommandLine

/// What was typed after `wsx connect`. What it means (files read, URL parsed) is worked out elsewhere.
struct ConnectArguments: Equatable, Sendable {
    var client = ClientArguments()
    /// The operands, then the values of `--execute`, in their order.
    var messages: [String] = []
    var file: String?
    var isInteractive = false
    var format = FormatArguments()
    var ending = EndingArguments()
    var replies = ReplyArguments()
    var staying = StayingArguments()
    var transcript = TranscriptArguments()
    var history = HistoryChoice.host

    static let operands: [OperandSpecification<ConnectArguments>] = [
        ClientArguments.url(manual: "The server to connect to, see URLS.").lifted(\.client),
        OperandSpecification(
            "MESSAGE", required: false, repeatable: true,
            summary: "Sent in order, in place of stdin",
            manual: """
                Sent in order once the connection is open. Standard input is then not read and the run ends \
                as after the end of input, unless `--interactive` is given.
                """
        ) { arguments, values in arguments.messages = values + arguments.messages },
    ]

    @OptionTable<ConnectArguments> static var options: [OptionSpecification<ConnectArguments>] {
        messageOptions
        FormatArguments.options(
            manual: """
                Do not read standard input. The run goes on until the peer closes the connection, or `--count`, \
                `--until`, `--timeout` or an interrupt ends it. `--linger` has no effect.
                """
        ).lifted(\.format)
        EndingArguments.options.lifted(\.ending)
        ReplyArguments.options.lifted(\.replies)
        StayingArguments.options.lifted(\.staying)
        ClientArguments.options().lifted(\.client)
        TranscriptArguments.options.lifted(\.transcript)
        promptOptions
    }

    private static let messageOptions: [OptionSpecification<ConnectArguments>] = [
        OptionSpecification(
            "execute", "x", value: OptionValue("MESSAGE"), repeatable: true, heading: .messages,
            summary: "Send MESSAGE once open, as the operand does",
            manual: """
                Send *MESSAGE* once the connection is open, after those given as operands. \
                Otherwise it is the same as an operand. A proxy's address is rejected: curl's `-x` is `--proxy`.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.messages.append(try MessageValue.parse(value))
        },
        OptionSpecification(
            "file", "f", value: OptionValue("PATH", .file), heading: .messages,
            summary: "Send the file as one message",
            manual: """
                Send the whole file at *PATH* as one message once the connection is open, after every *MESSAGE*. \
                `-` stands for standard input. Otherwise it is then not read, unless `--interactive` is given.
                """
        ) { arguments, value throws(ValueProblem) in
            arguments.file = try MessageFileValue.parse(value)
        },
        OptionSpecification(
            "interactive", "i", conflicts: ["no-stdin"], heading: .messages,
            summary: "Go on with stdin after the messages",
            manual: """
                After the messages given as arguments go on with standard input: \
                with the prompt on a terminal, with the pipe elsewhere.
                """
        ) { arguments, _ in arguments.isInteractive = true },
    ]

    private static let promptOptions: [OptionSpecification<ConnectArguments>] = [
        OptionSpecification(
            "history", value: OptionValue("FILE", .file), heading: .display,
            summary: "Keep the prompt's history in FILE",
            manual: """
                Keep the lines that are typed at the prompt in *FILE*, in place of one for each host, see FILES. Of \
                `--history` and `--no-history` the last one counts.
                """
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .empty }
            arguments.history = .file(value)
        },
        OptionSpecification(
            "no-history", heading: .display,
            summary: "Keep no history of the prompt in a file",
            manual: "Neither read nor keep lines that are typed at the prompt, beyond the end of the run."
        ) { arguments, _ in arguments.history = .none },
    ]
}

/// Where the lines are kept that are typed at the prompt.
enum HistoryChoice: Equatable {
    /// In a file for each host.
    case host
    case file(String)
    /// In memory.
    case none
}
