extension OptionTable {
    /// What says how standard input is read: it contradicts what does not read it.
    static let inputOptions: [OptionReference] = ["input", "crlf", "replay-speed"]
    /// What says of which kind the messages are that are sent: it contradicts what has the kind from elsewhere.
    static let messageKinds: [OptionReference] = ["text", "binary"]
    /// What says how messages are written: it contradicts what writes none of them, or events alone.
    static let messageOutputs = OptionReference.values(of: "output", but: OutputFormat.text, .json)

    /// How bytes become messages and messages bytes.
    static let format = [
        OptionSpecification(
            "input", value: OptionValue("FORMAT", .choices(of: InputFormat.self)), default: "lines", group: .format,
            summary: "How stdin is cut into messages",
            manual: "How standard input is cut into messages, see FORMATS.",
            effect: .update(
                .shared { arguments, value throws(ValueProblem) in arguments.input = try InputFormat.parse(value) })),
        OptionSpecification(
            "crlf", conflicts: OptionReference.values(of: "input", but: InputFormat.lines), group: .format,
            summary: "Take the CR before a line's LF away",
            manual: "With `--input lines`, take a CR before the LF away, too.",
            effect: .update(.shared { arguments, _ in arguments.stripsCarriageReturn = true })),
        OptionSpecification(
            "output", value: OptionValue("FORMAT", .choices(of: OutputFormat.self)), default: "text", group: .format,
            summary: "How messages are written to stdout",
            manual: "How received messages are written to standard output, see FORMATS.",
            effect: .update(
                .shared { arguments, value throws(ValueProblem) in arguments.output = try OutputFormat.parse(value) })),
        OptionSpecification(
            "replay-speed", value: OptionValue("SPEED"), default: "max", group: .format,
            summary: "Pace of --input json: 1, 2, 0.5, max",
            manual: """
                With `--input json`, send the events with the pauses between their times: as they were with 1, half \
                as long with 2, twice as long with 0.5. With `max` there are no pauses. See RECORDINGS.
                """,
            effect: .update(
                .shared { arguments, value throws(ValueProblem) in
                    arguments.replaySpeed = try ReplaySpeed.parse(value)
                })),
    ]

    /// What is shown besides the messages.
    static let display = [
        OptionSpecification(
            "verbose", "v", repeatable: true, group: .display,
            summary: "Show handshake and control frames; -vv more",
            manual: """
                Show the handshake and control frames on standard error. \
                Given twice, also every frame in both directions, with the bits of its header and a dump of the first \
                256 bytes of its payload, as they travel but for the masking, and a line for every message sent.
                """,
            effect: .update(.shared { arguments, _ in arguments.verbosity = min(arguments.verbosity + 1, 2) })),
        OptionSpecification(
            "quiet", "q", group: .display,
            summary: "No notices on stderr",
            manual: "Write no notices to standard error. Errors are still reported.",
            effect: .update(.display { arguments, _ in arguments.isQuiet = true })),
        OptionSpecification(
            "color", value: OptionValue("WHEN", .choices(of: ColorChoice.self)), default: "auto", group: .display,
            summary: "When to use colors",
            manual: "When to use colors.",
            effect: .update(
                .display { arguments, value throws(ValueProblem) in arguments.color = try ColorChoice.parse(value) })),
        OptionSpecification(
            "timestamps", value: OptionValue("STYLE", .choices(of: TimestampStyle.self)), default: "local",
            group: .display,
            summary: "Times shown on a terminal",
            manual: "Which times stand before the lines shown on a terminal. Piped output has none.",
            effect: .update(
                .shared { arguments, value throws(ValueProblem) in
                    arguments.timestamps = try TimestampStyle.parse(value)
                })),
        OptionSpecification(
            "record", value: OptionValue("FILE", .file), singular: true, group: .display,
            summary: "Record the session in FILE",
            manual: """
                Record the session in *FILE* as JSON events of both directions, see RECORDINGS. The file is made for \
                you alone, or emptied when it is there. When it cannot be written any more, the run ends.
                """,
            effect: .update(.shared { arguments, value in arguments.recordPath = value })),
        OptionSpecification(
            "pretty", group: .display,
            summary: "Indent JSON, also in a pipe",
            manual: """
                Indent messages that are JSON objects or arrays, one member or element a line, and change nothing \
                else about them. On a terminal they are indented anyway; with `--output text` in a pipe, too, \
                up to 1 MiB each. Of `--pretty` and `--no-pretty` the last one counts.
                """,
            effect: .update(.shared { arguments, _ in arguments.isPretty = true })),
        OptionSpecification(
            "no-pretty", group: .display,
            summary: "Show JSON as it is",
            manual: "Show JSON as it is. Of `--pretty` and `--no-pretty` the last one counts.",
            effect: .update(.shared { arguments, _ in arguments.isPretty = false })),
    ]
}
