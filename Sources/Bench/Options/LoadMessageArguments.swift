import CommandLine
import LoadTest
import UserInterface

/// The source of a load test's messages.
package enum MessageSource: Equatable, Sendable {
    /// `--message`: a template, as typed; not empty.
    case text(String)
    /// `--file`, as a path.
    case file(String)
}

/// The options for the messages of a load test.
package struct LoadMessageArguments: Equatable, Sendable {
    /// Sent in turn; empty: messages of ``sizeBytes`` bytes are generated.
    package var messages: [MessageSource] = []
    /// 1 or more; nil: the mode's default.
    package var sizeBytes: Int?
    package var payload = PayloadKind.automatic

    static let options: [OptionSpecification<LoadMessageArguments>] = [
        OptionSpecification(
            "message", "m", value: OptionValue("TEXT"),
            repetition: .adds, conflicts: ["size"] + .modes(without: .message), heading: .messages,
            summary: "Send TEXT; expands {{seq}}, {{time}}, ...",
            manual: """
                Send *TEXT*, with placeholders such as `{{seq}}` replaced in each message; see PLACEHOLDERS. If \
                `--message` and `--file` are given several times, each connection sends the messages in turn.
                """,
            example: #"--message '{"id":{{seq}},"op":"ping"}'"#, seeAlso: ["file", "size", "binary"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .emptyText }
            arguments.messages.append(.text(value))
        },
        OptionSpecification(
            "file", "f", value: OptionValue("FILE", .file),
            repetition: .adds, conflicts: ["size"] + .modes(without: .file), heading: .messages,
            summary: "Send the contents of FILE as one message",
            manual: """
                Send the contents of *FILE* as one message. Placeholders in a text are replaced as in \
                `--message`; with `--binary`, the file is sent unchanged.
                """,
            example: "--file request.json", seeAlso: ["message", "binary"]
        ) { arguments, value throws(ValueProblem) in
            arguments.messages.append(.file(try MessageFileValue.parse(value)))
        },
        OptionSpecification(
            "size", value: OptionValue("SIZE"),
            conflicts: ["message", "file"] + .modes(without: .size), heading: .messages,
            summary: "Size of messages [20; broadcast: 48]",
            manual: """
                Generate messages of *SIZE* bytes: 1 byte through `1G`. The default is 20, or 48 with `--mode \
                broadcast`. A generated message starts with its number (8 hexadecimal digits) and a hash of the number \
                and the connection (8 letters), by which every reply is matched to its message. Fewer than 16 bytes \
                hold only part of both.
                """,
            example: "--size 64k", seeAlso: ["message", "file", "binary"]
        ) { arguments, value throws(ValueProblem) in
            arguments.sizeBytes = try SizeValue.parse(value, largestBytes: 1 << 30)
        },
        OptionSpecification(
            "binary", about: .binary, conflicts: .modes(without: .binary), heading: .messages,
            summary: "Send binary messages",
            manual: "Send binary messages instead of text messages.", seeAlso: ["file", "size"]
        ) { arguments, _ in arguments.payload = .binary },
    ]
}
