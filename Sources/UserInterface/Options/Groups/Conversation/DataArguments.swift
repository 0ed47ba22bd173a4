import CommandLine

/// The options for templates and the values that they insert.
package struct DataArguments: Equatable, Sendable {
    /// The path of the data file; nil: none.
    package var path: String?
    /// The row of the data file to use, from 1.
    package var row = 1
    /// Whether messages, the URL, and the request are templates.
    package var usesTemplates = false

    package init() {}

    /// The option that names the data file.
    /// - Parameters:
    ///   - manual: The rows that the command uses.
    ///   - example: A fragment of a command line.
    ///   - message: The way to send a message, for users of curl.
    package static func data(
        manual: MarkedText, example: String, seeAlso: [OptionReference], message: String
    ) -> OptionSpecification<DataArguments> {
        OptionSpecification(
            "data", value: OptionValue("FILE", .file), heading: .templates,
            summary: "Take the values of {{NAME}} from FILE",
            manual: manual,
            """
            *FILE*, or standard input if it is `-`, is CSV (RFC 4180) with a header row of column names, or has one \
            JSON object per line, whose member names are the columns. A file that begins with `{` is JSON. Blank lines \
            are no rows. `{{`*NAME*`}}` inserts the value in the column *NAME*; see PLACEHOLDERS.
            """,
            example: example, seeAlso: seeAlso
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .empty }
            if let first = value.utf8.first, "{[@".utf8.contains(first) {
                throw first == UInt8(ascii: "@")
                    ? .misplaced(MisplacedValue(kind: "a file of curl's --data", remedy: "use --file FILE"))
                    : .misplaced(MisplacedValue(kind: "the data of curl's --data, not a file", remedy: message))
            }
            arguments.path = value
        }
    }

    /// The options of a command with one row per run.
    package static let options: [OptionSpecification<DataArguments>] = [
        OptionSpecification(
            "template", heading: .templates,
            summary: "Replace {{seq}}, {{time}}, ... in messages",
            manual: """
                Replace placeholders such as `{{seq}}` and `{{env:TOKEN}}` in all text messages to send, in \
                `--heartbeat-message`, in the URL, and in `-H`, `-b`, `-a`, `--bearer`, `-s`, and `--param`. See \
                PLACEHOLDERS.
                """,
            """
            The URL, the request, and the messages of the command line are evaluated for each connection. A line of \
            standard input with an unknown placeholder ends the run with status 2; at the prompt, it is reported \
            and not sent.
            """,
            seeAlso: ["data"]
        ) { arguments, _ in arguments.usesTemplates = true },
        data(
            manual: """
                Take the values of variables from a row of *FILE*, for `--template`, `--first-message`, `--answer`, \
                and `--scenario`.
                """,
            example: "--data users.csv --row 7 --first-message 'login {{user}}'",
            seeAlso: ["row", "template", "first-message", "scenario"],
            message: "put the message after the URL, or use --file FILE"),
        OptionSpecification(
            "row", value: OptionValue("N"), default: "1", requires: ["data"], heading: .templates,
            summary: "Use row N of the data file",
            manual: "Use row *N* of `--data`. The first row after the header, or the first object, is row 1.",
            example: "--data users.csv --row 2 --template", seeAlso: ["data"]
        ) { arguments, value throws(ValueProblem) in
            arguments.row = try CountValue.parse(value)
        },
    ]
}
