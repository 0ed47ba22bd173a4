import CommandLine
import Conversation
import Formats
import WSCore

/// The options for the formats of standard input and output.
package struct FormatArguments: Equatable, Sendable {
    package var readsInput = true
    package var payload = PayloadKind.automatic
    package var input = InputFormat.lines
    /// The size of chunks in bytes; nil: as they are read.
    package var chunkBytes: Int?
    package var stripsCarriageReturn = false
    /// Nil: the default, or no messages beside the steps of a scenario.
    private var givenOutput: OutputFormat?
    /// The value to write of each message; nil: whole messages.
    package var pick: JSONPath?
    /// What to write of each message; nil: the message.
    package var format: MessageFormat?
    /// The locations of the values that make up the kind of a message, whose changes are shown; empty: the usual ones;
    /// nil: whole messages.
    package var changes: [JSONPath]?
    package var replaySpeed = ReplaySpeed.max

    package init() {}

    package var output: OutputFormat {
        get { givenOutput ?? .text }
        set { givenOutput = newValue }
    }

    /// Whether an option asks for messages on standard output.
    package var asksForOutput: Bool { givenOutput != nil || pick != nil || format != nil || changes != nil }

    /// The options.
    /// - Parameters:
    ///   - onlyFromInput: Whether all messages to send come from standard input.
    ///   - manual: The manual of `--no-stdin`.
    package static func options(
        onlyFromInput: Bool = false, manual: MarkedText
    ) -> [OptionSpecification<FormatArguments>] {
        // Events have their own kind.
        let kindConflicts: [OptionReference] = onlyFromInput ? ["input=json"] : []
        return [
            OptionSpecification(
                "no-stdin", about: .stdin, excludes: onlyFromInput ? .input : [], heading: .messages,
                summary: "Do not read stdin, only receive", manual: manual
            ) { arguments, _ in arguments.readsInput = false },
            OptionSpecification(
                "text", about: .kind, conflicts: kindConflicts, heading: .messages,
                summary: "Send text messages (default)",
                manual: """
                    Send text messages. This is the default except with `--input chunks`, `hex`, or `base64`. Of \
                    `--text` and `--binary`, the last one wins.
                    """
            ) { arguments, _ in arguments.payload = .text },
            OptionSpecification(
                "binary", about: [.kind, .binary], conflicts: kindConflicts, heading: .messages,
                summary: "Send binary messages",
                manual: "Send binary messages."
            ) { arguments, _ in arguments.payload = .binary },
            OptionSpecification(
                "input", value: OptionValue("FORMAT", .choices(of: InputFormat.self)), default: "lines",
                about: .inputFormat, heading: .format,
                summary: "Format of the messages on stdin",
                manual: "Read messages from standard input in this format. See FORMATS.",
                example: "--input hex", seeAlso: ["output"]
            ) { arguments, value throws(ValueProblem) in
                (arguments.input, arguments.chunkBytes) = try InputFormat.parseSized(value)
            },
            OptionSpecification(
                "crlf", about: .inputFormat, conflicts: .values(of: "input") { $0 != InputFormat.lines },
                heading: .format,
                summary: "Strip the CR from lines that end in CRLF",
                manual: "With `--input lines`, strip a carriage return at the end of each line."
            ) { arguments, _ in arguments.stripsCarriageReturn = true },
            OptionSpecification(
                "output", value: OptionValue("FORMAT", .choices(of: OutputFormat.self)), default: "text",
                about: .output, heading: .format,
                summary: "Format of the messages on stdout",
                manual: "Write received messages to standard output in this format. See FORMATS.",
                example: "--output json", seeAlso: ["input", "pretty"], aliases: [OptionAlias("json", value: "json")]
            ) { arguments, value throws(ValueProblem) in arguments.output = try OutputFormat.parse(value) },
            OptionSpecification(
                "pick", value: OptionValue("PATH"), about: [.output, .messageOutput], heading: .format,
                summary: "Write only this value of JSON messages",
                manual: """
                    Write only the value at *PATH* of each received message, and omit messages without it. *PATH* is a \
                    dotted path such as `.items[0].id`, or a JSON Pointer; see PATHS.
                    """,
                """
                Strings are written without quotes and escapes, as `jq -r` does. Other values are written as \
                received, but on one line unless `--pretty` is given.
                """,
                example: "--pick .user.name", seeAlso: ["output"]
            ) { arguments, value throws(ValueProblem) in arguments.pick = try PathValue.parse(value) },
            OptionSpecification(
                "format", value: OptionValue("FORMAT"), about: [.output, .messageOutput],
                conflicts: ["pretty", "pick", "diff"]
                    + .values(of: "output") { ![OutputFormat.text, .raw].contains($0) },
                heading: .format,
                summary: "Write parts of messages in this form",
                manual: """
                    Write each received message as a line of the form *FORMAT*, as `curl -w` does for transfers. Input is \
                    not read from a terminal, so there is no prompt. `--output raw` leaves out the line ends.
                    """,
                MessageFormat.manual,
                example: "--format '{time} {data.op} {size}'", seeAlso: ["pick"]
            ) { arguments, value throws(ValueProblem) in arguments.format = try MessageFormat.parse(value) },
            OptionSpecification(
                "diff", value: OptionValue("PATHS", implied: usualKinds), about: [.output, .messageOutput],
                conflicts: ["output=json"], excludes: .messageOutput, heading: .format,
                summary: "Show what changed since the previous message",
                manual: """
                    Write what changed in each JSON message since the previous one of the same kind, on one line. The \
                    first message of a kind is written as a whole. See CHANGES.
                    """,
                MarkedText(
                    """
                    The kind is the values at *PATHS*, separated by commas: JSON Pointers such as `/type`, or dotted \
                    paths such as `.type`. By default, it is the values of the members \(usualKindNames), if any.
                    """),
                example: "--diff=/type,/symbol", seeAlso: ["pick"]
            ) { arguments, value throws(ValueProblem) in
                arguments.changes = []
                guard value != usualKinds else { return }
                for path in value.split(separator: ",", omittingEmptySubsequences: false) {
                    arguments.changes?.append(try PathValue.parse(String(path)))
                }
            },
            OptionSpecification(
                "replay-speed", value: OptionValue("SPEED"), default: "max", about: .inputPace, heading: .format,
                summary: "Replay --input json at this speed",
                manual: """
                    With `--input json`, keep the pauses between the events, divided by *SPEED*: 1 replays at the \
                    original pace, 2 twice as fast, and 0.5 half as fast. `max` sends without pauses. *SPEED* is \
                    between 0.000001 and 1000000. See RECORDINGS.
                    """,
                example: "--input json --replay-speed 2", seeAlso: ["input", "record"]
            ) { arguments, value throws(ValueProblem) in
                arguments.replaySpeed = try ReplaySpeed.parse(value)
            },
        ]
    }

    /// The value of `--diff` without paths.
    private static let usualKinds = "auto"

    /// The members that make up the kind by default, as a list.
    private static var usualKindNames: String {
        let names = MessageChanges.usualNames.map { "`\($0)`" }
        return names.dropLast().joined(separator: ", ") + ", and " + (names.last ?? "")
    }
}
