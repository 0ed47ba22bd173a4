import CommandLine
import Conversation

/// The options of `wsx relay` that change messages.
package struct RewriteArguments: Equatable, Sendable {
    /// As typed: `CONDITION => TEXT`.
    package var rules: [String] = []
    /// The side of rules that name none; nil: both.
    package var side: RelaySide?

    package init() {}

    package static let options = [
        OptionSpecification<RewriteArguments>(
            "rewrite", value: OptionValue("RULE"), repetition: .adds, heading: .exchange,
            summary: "Change text messages: 'REGEX => TEXT'",
            manual: """
                Replace each match of *REGEX* in text messages with *TEXT* before they are forwarded. With `--decode`, \
                binary messages and records are changed in their decoded form and encoded again; those that have \
                not changed are forwarded byte for byte. Without it, binary messages are not changed. Neither are \
                automatic answers, and messages typed at the prompt. Several rules apply in order, each to \
                the result of those before it, and before `--answer`.
                """,
            """
            *TEXT* has the groups and placeholders of `--answer`; `{{last:/id}}` inserts a value of the message itself. With \
            `json:` and a condition instead of *REGEX*, *TEXT* replaces the whole message. Events and recordings have the \
            new message. A message is forwarded unchanged, and reported, if a placeholder has no value or the result is \
            not UTF-8 or exceeds `--max-message-size`.
            """,
            example: #"--rewrite '"role":"\w+" => "role":"admin"'"#, seeAlso: ["rewrite-from"]
        ) { arguments, value in arguments.rules.append(value) },
        OptionSpecification<RewriteArguments>(
            "rewrite-from", value: OptionValue("SIDE", .choices(of: RelaySide.self)), requires: ["rewrite"],
            heading: .exchange, summary: "Change only messages of client or server",
            manual: "Put `from:`*SIDE* before each rule of `--rewrite` without a side.",
            example: "--rewrite-from server --rewrite 'beta => stable'", seeAlso: ["rewrite"]
        ) { arguments, value throws(ValueProblem) in arguments.side = try RelaySide.parse(value) },
    ]
}

extension RelaySide: OptionChoice {
    package var summary: String {
        switch self {
        case .client: "messages of clients to the server"
        case .server: "messages of the server to clients"
        }
    }
}
