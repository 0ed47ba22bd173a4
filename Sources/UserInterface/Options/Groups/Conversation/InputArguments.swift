import CommandLine

/// The options for the pace of the input, and for what is around it.
package struct InputArguments: Equatable, Sendable {
    /// The time between messages of the input, above 0; nil: they are sent as they are read.
    package var interval: Duration?
    /// The template around each message of the input; nil: none.
    package var wrap: String?
    /// As typed, text or `@FILE`, then the text. nil: none.
    package var lastMessage: String?

    package init() {}

    static let options: [OptionSpecification<InputArguments>] = [
        OptionSpecification(
            "every", value: OptionValue("DURATION"), about: [.messages, .inputPace], conflicts: ["input=json"],
            heading: .messages, summary: "Send one message of stdin every DURATION",
            manual: """
                Send the first message of standard input at once, and then one every *DURATION*, for instance audio as \
                fast as it is spoken. Input that arrives late, or a lost connection, restarts the schedule, so what was \
                missed is not sent in a burst. Events have times of their own; see `--replay-speed`.
                """,
            example: "--input chunks:3200 --every 100ms", seeAlso: ["input", "wrap"]
        ) { arguments, value throws(ValueProblem) in
            arguments.interval = try DurationValue.parse(value, zeroAllowed: false)
        },
        OptionSpecification(
            "wrap", value: OptionValue("TEMPLATE"), about: [.messages, .inputFormat], conflicts: ["input=json", "eol"],
            heading: .messages, summary: "Send TEMPLATE around each piece of input",
            manual: """
                Send *TEMPLATE* instead of each message of standard input, of `--file`, and of the prompt, with that \
                message, byte for byte, as `{{input}}`. It need not be text: `{{input | base64}}`. `{{json:input}}` is a \
                JSON string. Other placeholders are replaced, too; see PLACEHOLDERS. The result is a text message, with \
                `--binary` a binary one, and then a line of `--protocol` or `--json-rpc`. *MESSAGE*s and `-x` are sent \
                as they are.
                """,
            example: #"--input chunks:3200 --wrap '{"audio":"{{input | base64}}"}'"#, seeAlso: ["template", "every"]
        ) { arguments, value in arguments.wrap = value },
        OptionSpecification(
            "last-message", value: OptionValue("TEXT"), about: .messages, conflicts: ["no-stdin", "exec"],
            heading: .messages, summary: "Send TEXT after the input",
            manual: """
                When the input has ended, or after the *MESSAGE*s if it is not read, send the text message *TEXT*, also \
                with `--binary`. Then wait as after any end of input. With `--reconnect`, it is sent once, like a line of \
                the input. A run that ends earlier does not send it, and fails as if a *MESSAGE* was not sent. `@`*FILE* \
                is as for `--first-message`, and *TEXT* may contain placeholders.
                """,
            example: #"--last-message '{"eof" : 1}'"#, seeAlso: ["first-message", "linger"]
        ) { arguments, value throws(ValueProblem) in
            arguments.lastMessage = try MessageValue.parseAutomatic(value)
        },
    ]
}
