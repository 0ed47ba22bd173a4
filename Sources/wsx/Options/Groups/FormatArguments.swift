import CommandLine
import WSCore

/// The options for standard input and output: how bytes become messages, and messages bytes.
struct FormatArguments: Equatable, Sendable {
    var readsInput = true
    var payload = PayloadKind.automatic
    var input = InputFormat.lines
    var stripsCarriageReturn = false
    var output = OutputFormat.text
    var replaySpeed = ReplaySpeed.max

    /// The options.
    /// - Parameters:
    ///   - inputConflicts: The options that `--no-stdin` contradicts.
    ///   - kindConflicts: The options that `--text` and `--binary` contradict.
    ///   - manual: What the manual says of `--no-stdin`.
    static func options(
        withoutInput inputConflicts: [OptionReference] = [], kindConflicts: [OptionReference] = [],
        manual: MarkedText
    ) -> [OptionSpecification<FormatArguments>] {
        [
            OptionSpecification(
                "no-stdin", conflicts: inputConflicts, heading: .messages, summary: "Do not read stdin, only receive",
                manual: manual
            ) { arguments, _ in arguments.readsInput = false },
            OptionSpecification(
                "text", conflicts: kindConflicts, heading: .messages,
                summary: "Send text messages (default)",
                manual: """
                    Send text messages, also where `--input chunks`, `hex` or `base64` would send binary ones. \
                    Of `--text` and `--binary` the last one counts.
                    """
            ) { arguments, _ in arguments.payload = .text },
            OptionSpecification(
                "binary", conflicts: kindConflicts, heading: .messages,
                summary: "Send binary messages",
                manual: "Send binary messages. Of `--text` and `--binary` the last one counts."
            ) { arguments, _ in arguments.payload = .binary },
            OptionSpecification(
                "input", value: OptionValue("FORMAT", .choices(of: InputFormat.self)), default: "lines",
                heading: .format,
                summary: "How stdin is cut into messages",
                manual: "How standard input is cut into messages, see FORMATS."
            ) { arguments, value throws(ValueProblem) in arguments.input = try InputFormat.parse(value) },
            OptionSpecification(
                "crlf", conflicts: OptionReference.values(of: "input", but: InputFormat.lines), heading: .format,
                summary: "Take the CR before a line's LF away",
                manual: "With `--input lines`, take a CR before the LF away, too."
            ) { arguments, _ in arguments.stripsCarriageReturn = true },
            OptionSpecification(
                "output", value: OptionValue("FORMAT", .choices(of: OutputFormat.self)), default: "text",
                heading: .format,
                summary: "How messages are written to stdout",
                manual: "How received messages are written to standard output, see FORMATS."
            ) { arguments, value throws(ValueProblem) in arguments.output = try OutputFormat.parse(value) },
            OptionSpecification(
                "replay-speed", value: OptionValue("SPEED"), default: "max", heading: .format,
                summary: "Pace of --input json: 1, 2, 0.5, max",
                manual: """
                    With `--input json`, send the events with the pauses between their times: as they were with 1, half \
                    as long with 2, twice as long with 0.5. With `max` there are no pauses. See RECORDINGS.
                    """
            ) { arguments, value throws(ValueProblem) in
                arguments.replaySpeed = try ReplaySpeed.parse(value)
            },
        ]
    }

    /// What says how standard input is read: it contradicts what does not read it.
    static let inputOptions: [OptionReference] = ["input", "crlf", "replay-speed"]
    /// What says of which kind the messages are that are sent: it contradicts what has the kind from elsewhere.
    static let messageKinds: [OptionReference] = ["text", "binary"]
    /// What says how messages are written: it contradicts what writes none of them, or events alone.
    static let messageOutputs = OptionReference.values(of: "output", but: OutputFormat.text, .json)
}

/// The opcode of outgoing messages; `automatic` is text, but for input of bytes (`chunks`, `hex`, `base64`), which is
/// binary. Events of `json` input say it themselves.
enum PayloadKind {
    case automatic
    case text
    case binary
}

/// How standard input is cut into messages.
enum InputFormat: String, CaseIterable, OptionChoice {
    case lines
    case nul
    case message
    case chunks
    case hex
    case base64
    case json

    var summary: String {
        switch self {
        case .lines: "a message ends at LF and travels byte for byte"
        case .nul: "a message ends at a NUL byte"
        case .message: "all of the input is one message"
        case .chunks: "bytes as they come, as binary messages"
        case .hex: "hexadecimal digits, one binary message a line"
        case .base64: "Base64, one binary message a line"
        case .json: "one JSON event a line, see JSON EVENTS in the manual"
        }
    }
}

/// How a received message is written to standard output.
enum OutputFormat: String, CaseIterable, OptionChoice {
    case text
    case raw
    case nul
    case hex
    case base64
    case json

    var summary: String {
        switch self {
        case .text: "each message and a newline"
        case .raw: "the bytes of the messages and nothing else"
        case .nul: "each message and a NUL byte"
        case .hex: "each message as hexadecimal digits, and a newline"
        case .base64: "each message as Base64, and a newline"
        case .json: "one JSON event a line, see JSON EVENTS in the manual"
        }
    }
}

/// At which pace events of the input are sent.
enum ReplaySpeed: Equatable {
    /// Without pauses.
    case max
    /// With the pauses that their times tell, divided by this.
    case factor(Double)

    /// What a factor may be: more than anyone has the time for, and far from overflow in either direction.
    private static let factors = 0.000_001...1_000_000

    /// Reads `max` or a decimal number above 0.
    static func parse(_ text: String) throws(ValueProblem) -> ReplaySpeed {
        if text == "max" { return .max }
        let isDecimal = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }
        guard isDecimal, let factor = Double(text), factors.contains(factor) else { throw .notASpeed }
        return .factor(factor)
    }
}

extension PayloadKind {
    /// The kind of the messages that input in a format is sent as.
    func kind(for format: InputFormat) -> MessageKind {
        switch self {
        case .text: .text
        case .binary: .binary
        case .automatic:
            switch format {
            case .chunks, .hex, .base64: .binary
            case .lines, .nul, .message, .json: .text
            }
        }
    }
}
