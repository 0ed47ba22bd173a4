import CommandLine

/// The options for the messages that each connection begins with.
package struct MessageArguments: Equatable, Sendable {
    /// The operands, followed by the values of `--execute`, each in the order given.
    package var texts: [String] = []
    /// The number of operands among ``texts``.
    package var operandCount = 0
    /// The messages of `--define`.
    package var definitions: [MessageDefinition] = []
    /// The saved message in place of the operands, or `nil` if there is none. It precedes all others.
    package var call: MessageCall?
    /// The file whose contents are the last message, or `nil` if there is none.
    package var file: String?
    /// The program of `--exec` and its arguments; empty: none.
    package var program: [String] = []
    /// What follows each line that is sent, or `nil` for nothing.
    package var lineEnd: LineEnd?
    /// Whether the input is read after these messages.
    package var isInteractive = false
    package var input = InputArguments()

    package init() {}

    package var isEmpty: Bool { hasNoTexts && file == nil }
    package var hasNoTexts: Bool { texts.isEmpty && call == nil }

    package static let operand = OperandSpecification<MessageArguments>(
        "MESSAGE", required: false, repeatable: true,
        afterEnd: "use --exec to run it as a program, or write it before '--' or after -x to send it",
        summary: "Messages to send instead of reading stdin",
        manual: """
            Messages to send, in order, when the connection opens. Standard input is not read, and the run ends as \
            it does after the end of input, unless `--interactive` is given. If the first one is the name of a saved \
            message (`--define`), that is sent, and the others have the form *NAME*`=`*VALUE*. Messages that begin with \
            a hyphen follow `--`. `-x` sends a URL.
            """
    ) { arguments, values throws(ValueProblem) in
        guard let first = values.first, arguments.definitions.contains(where: { $0.name == first }) else {
            arguments.texts = values + arguments.texts
            arguments.operandCount = values.count
            return
        }
        arguments.call = try MessageCall(values)
    }

    package static let options: [OptionSpecification<MessageArguments>] =
        [
            OptionSpecification(
                "execute", "x", value: OptionValue("MESSAGE"), repetition: .adds, about: .messages, heading: .messages,
                summary: "Send MESSAGE when the connection opens",
                manual: """
                    Send *MESSAGE* when the connection opens, after any *MESSAGE* operands. The address of a proxy is \
                    rejected: curl's `-x` is `--proxy` here.
                    """,
                example: #"--execute '{"op":"subscribe","channel":"trades"}'"#, seeAlso: ["file", "interactive"]
            ) { arguments, value throws(ValueProblem) in
                arguments.texts.append(try MessageValue.parse(value))
            },
            OptionSpecification(
                "file", "f", value: OptionValue("FILE", .file), about: .messages, heading: .messages,
                summary: "Send the contents of FILE as one message",
                manual: """
                    Send the contents of *FILE* as one message when the connection opens, after all *MESSAGE*s. `-` is \
                    standard input, which is otherwise not read unless `--interactive` is given. The contents must be UTF-8 \
                    text unless `--binary` is given.
                    """,
                example: "--binary --file image.png", seeAlso: ["execute", "binary"]
            ) { arguments, value throws(ValueProblem) in
                arguments.file = try MessageFileValue.parse(value)
            },
            OptionSpecification(
                "define", value: OptionValue("NAME=TEXT"), repetition: .adds, heading: .messages,
                summary: "Save the message TEXT under NAME, for /call",
                manual: """
                    Save the message *TEXT* under *NAME*, usually in a profile; see CONFIGURATION. `/call` *NAME* at the \
                    prompt sends it, and so does *NAME* in place of *MESSAGE*. *TEXT* may contain placeholders, also without \
                    `--template`; see PLACEHOLDERS. Unknown ones are parameters: `sub channel=trades` replaces \
                    `{{channel}}` or, as a JSON string, `{{json:channel}}`. `@`*FILE* reads *TEXT* from a file. If several \
                    messages have the same name, the last one counts.
                    """,
                example: #"--define 'sub={"op":"subscribe","channel":{{json:channel}}}'"#,
                seeAlso: ["execute", "template"]
            ) { arguments, value throws(ValueProblem) in
                arguments.definitions.append(try MessageDefinition.parse(value))
            },
            OptionSpecification(
                "eol", value: OptionValue("EOL", .choices(of: LineEnd.self)), about: [.messages, .inputFormat],
                conflicts: .values(of: "input") { $0 != InputFormat.lines } + ["protocol", "json-rpc", "encode"],
                heading: .messages,
                summary: "End each line sent with crlf or lf",
                manual: """
                    End each message that is a line with these characters: *MESSAGE*s, lines of standard input, and lines \
                    typed at the prompt. Other messages, such as the contents of `--file`, are sent unchanged.
                    """,
                example: "--eol crlf", seeAlso: ["crlf"]
            ) { arguments, value throws(ValueProblem) in arguments.lineEnd = try LineEnd.parse(value) },
            OptionSpecification(
                "interactive", "i", about: .stdin, conflicts: ["no-stdin"], heading: .messages,
                summary: "Read stdin after sending the messages",
                manual: """
                    Read standard input after sending the messages of the command line: at the prompt on a terminal, or \
                    from a pipe.
                    """,
                example: #"--interactive --execute '{"op":"login"}'"#
            ) { arguments, _ in arguments.isInteractive = true },
        ] + InputArguments.options.lifted(\.input)
}

/// The values of `--eol`.
package enum LineEnd: String, CaseIterable, OptionChoice {
    case crlf
    case lf

    package var summary: String {
        switch self {
        case .crlf: "CR and LF, as NATS expects"
        case .lf: "LF"
        }
    }

    package var bytes: [UInt8] { Array((self == .crlf ? "\r\n" : "\n").utf8) }
}
