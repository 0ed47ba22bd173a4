import CommandLine
import UserInterface

/// The arguments of `wsx convert` as typed.
package struct ConvertArguments: Equatable, Sendable {
    /// The file to read; `-` is standard input.
    package var input = ""
    /// The file to write; `-` is standard output. Nil: none, for `--list`.
    package var output: String?
    /// The number of the connection to convert, from 1; nil: the only one, or all of a recording.
    package var connection: Int?
    package var isListing = false
    package var display = DisplayArguments()

    package init() {}

    package static let operands = [
        OperandSpecification<ConvertArguments>(
            "IN", required: true, completion: .file, example: "session.har",
            summary: "HAR file or recording; - reads standard input",
            manual: """
                A HAR file, or a recording of `--record`. Its contents decide which. `-` reads standard input.
                """
        ) { arguments, values in arguments.input = values.first ?? "" },
        OperandSpecification<ConvertArguments>(
            "OUT", required: false, completion: .file, example: "session.jsonl",
            summary: "File to write, .html, .jsonl, or .har; - is stdout",
            manual: """
                The file to write: a page with the extension `.html`, a recording with `.jsonl` or `.ndjson`, or a HAR \
                file with `.har`. It must not exist, and is readable only by its owner. `-` writes a recording as HAR, \
                and HAR as a recording, to standard output.
                """
        ) { arguments, values in arguments.output = values.first },
    ]

    @OptionTable<ConvertArguments> package static var options: [OptionSpecification<ConvertArguments>] {
        OptionSpecification(
            "connection", value: OptionValue("N"), heading: .format, summary: "Convert connection N of IN",
            manual: """
                Convert the connection number *N*, as in the output of `--list`. To become a recording, a HAR file with \
                several WebSocket connections needs it, because a recording that can be played has one. Otherwise, all \
                connections are converted by default.
                """,
            example: "--connection 2", seeAlso: ["list"]
        ) { arguments, value throws(ValueProblem) in arguments.connection = try CountValue.parse(value) }
        OptionSpecification(
            "list", conflicts: ["connection"], heading: .format,
            summary: "List the connections of IN",
            manual: """
                List the WebSocket connections of *IN* on standard output, one per line, with their numbers, URLs, \
                statuses, numbers of messages, and durations. *OUT* is not needed, and nothing is converted.
                """,
            seeAlso: ["connection"]
        ) { arguments, _ in arguments.isListing = true }
        DisplayArguments.options().only(["quiet", "color"]).lifted(\.display)
    }
}
