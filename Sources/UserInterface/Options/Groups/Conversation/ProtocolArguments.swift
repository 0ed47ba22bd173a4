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
            OptionSpecification(
                "param", value: OptionValue("NAME=VALUE"), repetition: .adds, requires: ["protocol"],
                startsProgram: { SecretReference.isProgram((try? ProtocolParameterValue.parse($0))?.value ?? "") },
                heading: .protocols, summary: "Set a parameter of the protocol",
                manual: """
                    Set the parameter *NAME* of the protocol, such as a token. `wsx help protocol` *NAME* lists the \
                    parameters. The last value of a parameter counts. `-v` and recordings show the messages that \
                    contain it.
                    """,
                """
                In `wsx bench`, and with `wsx connect --template`, *VALUE* may contain placeholders, such as columns of \
                `--data`: `{"token":{{json:token}}}`. Each connection of `wsx bench` then has its own value. A value \
                from `@`*FILE*, `env:`*NAME*, or `exec:`*COMMAND* is used unchanged.
                """,
                .secrets,
                example: examplePrefix + #"--protocol socket.io --param 'auth={"token":"t"}'"#, seeAlso: ["protocol"]
            ) { arguments, value throws(ValueProblem) in
                arguments.parameters.append(try ProtocolParameterValue.parse(value))
            },
        ]
    }
}
