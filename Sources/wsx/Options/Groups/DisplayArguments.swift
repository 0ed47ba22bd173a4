import CommandLine

/// The options for notices and colors, which every command has.
struct DisplayArguments: Equatable, Sendable {
    var isQuiet = false
    var color = ColorChoice.auto

    static let options: [OptionSpecification<DisplayArguments>] = [
        OptionSpecification(
            "quiet", "q", heading: .display,
            summary: "No notices on stderr",
            manual: "Write no notices to standard error. Errors are still reported."
        ) { arguments, _ in arguments.isQuiet = true },
        OptionSpecification(
            "color", value: OptionValue("WHEN", .choices(of: ColorChoice.self)), default: "auto", heading: .display,
            summary: "When to use colors",
            manual: "When to use colors."
        ) { arguments, value throws(ValueProblem) in arguments.color = try ColorChoice.parse(value) },
    ]
}

/// The options for showing and recording the traffic of connections.
struct TranscriptArguments: Equatable, Sendable {
    var display = DisplayArguments()
    /// 0, 1 (handshake and control frames) or 2 (every frame).
    var verbosity = 0
    var timestamps = TimestampStyle.local
    /// A file that takes the events of both directions; nil: nothing is recorded.
    var recordPath: String?
    /// Nil: where the output goes to a terminal.
    var isPretty: Bool?

    @OptionTable<TranscriptArguments> static var options: [OptionSpecification<TranscriptArguments>] {
        OptionSpecification(
            "verbose", "v", repeatable: true, heading: .display,
            summary: "Show handshake and control frames; -vv more",
            manual: """
                Show the handshake and control frames on standard error. \
                Given twice, also every frame in both directions, with the bits of its header and a dump of the first \
                256 bytes of its payload, as they travel but for the masking, and a line for every message sent.
                """
        ) { arguments, _ in arguments.verbosity = min(arguments.verbosity + 1, 2) }
        DisplayArguments.options.lifted(\.display)
        OptionSpecification(
            "timestamps", value: OptionValue("STYLE", .choices(of: TimestampStyle.self)), default: "local",
            heading: .display,
            summary: "Times shown on a terminal",
            manual: "Which times stand before the lines shown on a terminal. Piped output has none."
        ) { arguments, value throws(ValueProblem) in
            arguments.timestamps = try TimestampStyle.parse(value)
        }
        OptionSpecification(
            "record", value: OptionValue("FILE", .file), singular: true, heading: .display,
            summary: "Record the session in FILE",
            manual: """
                Record the session in *FILE* as JSON events of both directions, see RECORDINGS. The file is made for \
                you alone, or emptied when it is there. When it cannot be written any more, the run ends.
                """
        ) { arguments, value in arguments.recordPath = value }
        OptionSpecification(
            "pretty", heading: .display,
            summary: "Indent JSON, also in a pipe",
            manual: """
                Indent messages that are JSON objects or arrays, one member or element a line, and change nothing \
                else about them. On a terminal they are indented anyway; with `--output text` in a pipe, too, \
                up to 1 MiB each. Of `--pretty` and `--no-pretty` the last one counts.
                """
        ) { arguments, _ in arguments.isPretty = true }
        OptionSpecification(
            "no-pretty", heading: .display,
            summary: "Show JSON as it is",
            manual: "Show JSON as it is. Of `--pretty` and `--no-pretty` the last one counts."
        ) { arguments, _ in arguments.isPretty = false }
    }
}

/// When notices, the REPL and indented JSON are coloured.
enum ColorChoice: String, CaseIterable, OptionChoice {
    case auto
    case always
    case never

    var summary: String {
        switch self {
        case .auto: "on a terminal, unless NO_COLOR is set"
        case .always: "everywhere"
        case .never: "nowhere"
        }
    }
}

/// Which time stands in front of the REPL's lines.
enum TimestampStyle: String, CaseIterable, OptionChoice {
    case local
    case utc
    case relative
    case off

    var summary: String {
        switch self {
        case .local: "the local time of day"
        case .utc: "the time of day in UTC"
        case .relative: "the time since the start"
        case .off: "no time"
        }
    }
}

/// The arguments of a command that exchanges messages with whoever uses the program.
protocol ConversationArguments {
    var format: FormatArguments { get }
    var transcript: TranscriptArguments { get }
}

extension ConnectArguments: ConversationArguments {}
extension ListenArguments: ConversationArguments {}
