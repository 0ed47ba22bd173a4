import CommandLine
import Conversation

/// The options for notices and colors, shared by all commands.
package struct DisplayArguments: Equatable, Sendable {
    package var isQuiet = false
    package var color = ColorChoice.auto
    /// Whether nothing on the terminal is erased or drawn again.
    package var isPlain = false

    package init() {}

    /// The options.
    package static func options() -> [OptionSpecification<DisplayArguments>] {
        [
            OptionSpecification(
                "quiet", "q", heading: .display, summary: "Suppress notices on stderr",
                manual: "Do not write notices to standard error. Errors are still reported."
            ) { arguments, _ in arguments.isQuiet = true },
            OptionSpecification(
                "color", value: OptionValue("WHEN", .choices(of: ColorChoice.self)), default: "auto", heading: .display,
                summary: "When to use colors",
                manual: "Choose when to use colors.",
                example: "--color never", aliases: [OptionAlias("no-color", value: "never")]
            ) { arguments, value throws(ValueProblem) in arguments.color = try ColorChoice.parse(value) },
            OptionSpecification(
                "plain", heading: .display, summary: "Redraw nothing on the terminal",
                manual: """
                    Do not redraw anything on a terminal: no status line, no progress, and no line editor, so the terminal \
                    itself edits the line being typed. For screen readers, Emacs, and logs of terminals.
                    """
            ) { arguments, _ in arguments.isPlain = true },
        ]
    }
}

/// The options for showing and recording the traffic of connections.
package struct TranscriptArguments: Equatable, Sendable {
    package var display = DisplayArguments()
    /// 0, 1 (handshake and control frames), or 2 (every frame).
    package var verbosity = 0
    /// Nil: none at a prompt, local time elsewhere.
    package var timestamps: TimestampStyle?
    /// The file to record the session to; nil: no recording.
    package var recordPath: String?
    /// The messages that are not written or shown.
    package var hidden: [ScopedCondition] = []
    /// The messages that are neither shown nor given to anything.
    package var dropped: [ScopedCondition] = []
    /// Nil: only if the output is a terminal.
    package var isPretty: Bool?
    /// What becomes of several messages that are pasted at once.
    package var paste = PasteChoice.ask

    package init() {}

    /// The options.
    /// - Parameter prefixes: The prefixes that conditions may have. Defaults to none.
    @OptionTable<TranscriptArguments> package static func options(
        conditionPrefixes prefixes: ScopedCondition.Prefixes = []
    ) -> [OptionSpecification<TranscriptArguments>] {
        OptionSpecification(
            "verbose", "v", repetition: .adds, heading: .display,
            summary: "Show handshake and control frames; -vv: all",
            manual: "Show the handshake and control frames on standard error.",
            """
            `-vv` also shows every message sent and every frame in both directions, with its header bits and a dump of \
            the first 256 bytes of its payload, as transmitted but unmasked.
            """,
            seeAlso: ["quiet", "record"], aliases: ["P", "show-ping-pong"]
        ) { arguments, _ in arguments.verbosity = min(arguments.verbosity + 1, 2) }
        DisplayArguments.options().lifted(\.display)
        OptionSpecification(
            "timestamps", value: OptionValue("STYLE", .choices(of: TimestampStyle.self)), heading: .display,
            summary: "Timestamps on a terminal",
            manual: """
                Begin the lines on a terminal with timestamps of this style. The default is `off` at a prompt, where \
                `/time` changes it, and `local` elsewhere. Piped output has none.
                """,
            example: "--timestamps relative"
        ) { arguments, value throws(ValueProblem) in
            arguments.timestamps = try TimestampStyle.parse(value)
        }
        OptionSpecification(
            "record", value: OptionValue("FILE", .file), repetition: .mustAgree, heading: .display,
            summary: "Record the session to FILE",
            manual: """
                Record the session to *FILE* as JSON events of both directions. See RECORDINGS. An existing file is \
                overwritten; a new file is readable only by its owner. If writing fails, the run ends; a prompt \
                continues without recording. If *FILE* ends in `.har` or `.html`, a HAR file or a page is written when \
                the run ends, never over an existing file.
                """,
            example: "--record session.jsonl", seeAlso: ["input", "replay-speed"]
        ) { arguments, value in arguments.recordPath = value }
        OptionSpecification(
            "hide", value: OptionValue("REGEX"), repetition: .adds, heading: .display,
            summary: "Hide messages that match REGEX",
            manual: """
                Do not write, show, or count messages that match *REGEX*, or another condition; see CONDITIONS. They \
                do not meet `--until` or another goal. They are still recorded, answered, and forwarded, in `wsx listen` also to programs; `-v` shows them dimmed, \
                and `/show` finds them.
                """,
            example: "--hide '^ping'", seeAlso: ["drop", "answer"]
        ) { arguments, value throws(ValueProblem) in
            arguments.hidden.append(try ScopedConditionValue.parse(value, allowing: prefixes))
        }
        OptionSpecification(
            "drop", value: OptionValue("REGEX"), repetition: .adds, heading: .display,
            summary: "Ignore messages that match REGEX",
            manual: """
                Treat messages that match *REGEX*, or another condition, as if they had not arrived: they are hidden, and \
                neither answered, echoed, nor forwarded, nor given to a program or a protocol. They are still recorded, \
                with `"dropped":true`. See CONDITIONS.
                """,
            example: "--drop '^ping'", seeAlso: ["hide"]
        ) { arguments, value throws(ValueProblem) in
            arguments.dropped.append(try ScopedConditionValue.parse(value, allowing: prefixes))
        }
        OptionSpecification(
            "pretty", heading: .display,
            summary: "Indent JSON messages, even in a pipe",
            manual: """
                Indent text messages that are JSON objects or arrays, with one member or element per line, and show \
                text instead of escapes in strings (`ë` for `\\u00eb`). Nothing else in them changes. This is the \
                default on a terminal without a prompt; `/pretty` changes it at a prompt. In a pipe, it applies to \
                `--output text` and messages up to 1 MiB. Of `--pretty` and `--no-pretty`, the last one wins.
                """
        ) { arguments, _ in arguments.isPretty = true }
        OptionSpecification(
            "no-pretty", heading: .display,
            summary: "Do not indent JSON messages",
            manual: "Write JSON messages unchanged."
        ) { arguments, _ in arguments.isPretty = false }
        OptionSpecification(
            "paste", value: OptionValue("HOW", .choices(of: PasteChoice.self)), default: "ask", heading: .display,
            summary: "How to send several pasted lines",
            manual: """
                Choose how the prompt sends a paste of several lines, each of which is a message or a command; see \
                INTERACTIVE USE. JSON that spans lines is one message in any case. A paste with a command that runs a \
                program, uses a file, or leaves the server, such as `/pipe`, stays in the line.
                """,
            example: "--paste lines"
        ) { arguments, value throws(ValueProblem) in arguments.paste = try PasteChoice.parse(value) }
    }
}

/// When notices, the prompt, and indented JSON are colored.
package enum ColorChoice: String, CaseIterable, OptionChoice {
    case auto
    case always
    case never

    package var summary: String {
        switch self {
        case .auto: "on a terminal, unless NO_COLOR is set"
        case .always: "even in a pipe or file"
        case .never: "no colors"
        }
    }
}

/// The timestamps before lines on a terminal.
package enum TimestampStyle: String, CaseIterable, OptionChoice {
    case local
    case utc
    case relative
    case off

    package var summary: String {
        switch self {
        case .local: "local time of day"
        case .utc: "UTC time of day"
        case .relative: "time since the start"
        case .off: "no timestamps"
        }
    }
}

/// How the prompt sends a paste of several messages.
package enum PasteChoice: String, CaseIterable, OptionChoice {
    case ask
    case lines
    case one

    package var summary: String {
        switch self {
        case .ask: "ask after each paste"
        case .lines: "each line is a message, sent at once"
        case .one: "one message, which Enter sends"
        }
    }
}

/// The arguments of a command that exchanges messages with its user.
package protocol ConversationArguments {
    var format: FormatArguments { get }
    var transcript: TranscriptArguments { get }
}
