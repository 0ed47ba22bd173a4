import CommandLine
import Conversation

/// The options for application protocols.
package struct ProtocolArguments: Equatable, Sendable {
    /// The protocol; nil: messages are sent and shown unchanged.
    package var choice: ProtocolChoice?
    /// The values of `--param`, with references to files and environment variables as typed.
    package var parameters: [ProtocolParameterValue] = []
    /// Whether replies can be matched to lines. A file without the member `id` defines a protocol without replies.
    package var hasReplies = true

    package init() {}

    /// The options of a command.
    /// - Parameters:
    ///   - requires: The options of which at least one is needed. Defaults to none.
    ///   - examplePrefix: The options that examples need, with a space after them.
    ///   - manual: The effect of a protocol on the command.
    package static func options(
        requires: [OptionReference] = [], examplePrefix: String = "", manual: MarkedText
    ) -> [OptionSpecification<ProtocolArguments>] {
        [
            OptionSpecification(
                "protocol", value: OptionValue("NAME", .choices(ProtocolChoice.choices)),
                excludes: [.matching, .exchange, .heartbeatMessage, .binary], requires: requires, heading: .protocols,
                summary: "Speak socket.io, graphql, mqtt, ...",
                manual: manual,
                """
                `@`*FILE* reads a protocol of your own from a file. `wsx help protocol` *NAME* shows what to type. A \
                subprotocol, as with websocat's `--protocol`, is `-s` *NAME*. *NAME* is one of these:
                """,
                example: examplePrefix + "--protocol socket.io", seeAlso: ["param", "subprotocol"]
            ) { arguments, value throws(ValueProblem) in
                arguments.choice = try ProtocolChoice.parse(value)
            },
            variable(
                heading: .protocols, summary: "Set a protocol parameter, or a variable",
                manual: """
                    With `--protocol`, set the parameter *NAME* of the protocol, such as a token, instead. `wsx help \
                    protocol` *NAME* lists the parameters. In `wsx bench`, and with `wsx connect --template`, *VALUE* may \
                    then contain placeholders, such as columns of `--data`: `{"token":{{json:token}}}`. Each connection \
                    of `wsx bench` has its own value. A value from `@`*FILE*, `env:`*NAME*, or `exec:`*COMMAND* is used \
                    unchanged. `-v` and recordings show the messages that contain it.
                    """,
                example: examplePrefix + #"--protocol socket.io --param 'auth={"token":"t"}'"#, seeAlso: ["protocol"]),
        ]
    }

    /// The option `--param`.
    /// - Parameter manual: What it means besides variables, or how to use them.
    package static func variable(
        heading: OptionHeading, summary: String = "Set the variable NAME, for {{NAME}}", manual: MarkedText,
        example: String, seeAlso: [OptionReference]
    ) -> OptionSpecification<ProtocolArguments> {
        OptionSpecification(
            "param", value: OptionValue("NAME=VALUE"), repetition: .adds,
            startsProgram: { SecretReference.isProgram((try? ProtocolParameterValue.parse($0))?.value ?? "") },
            heading: heading, summary: summary,
            manual: """
                `{{`*NAME*`}}` inserts *VALUE* wherever placeholders are; see PLACEHOLDERS. *VALUE* is text, or \
                `@`*FILE*, `env:`*NAME*, or `exec:`*COMMAND*, which is read once (see SECRETS); \
                `{{exec:`*COMMAND*`}}` is computed for each connection. The last value of a name counts.
                """, manual,
            example: example, seeAlso: seeAlso
        ) { arguments, value throws(ValueProblem) in
            arguments.parameters.append(try ProtocolParameterValue.parse(value))
        }
    }
}
