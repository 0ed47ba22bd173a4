import CommandLine
import Conversation
import Formats

/// The options for messages that are sent automatically: first messages and answers.
package struct ExchangeArguments: Equatable, Sendable {
    /// As typed and not empty: templates, or `@FILE`, which may name an empty file.
    package var firstMessages: [String] = []
    /// A valid condition.
    package var ready: String?
    /// As typed: `CONDITION => TEXT`, or with `exec:COMMAND`.
    package var answers: [String] = []
    /// The variables that received messages set.
    package var sets: [SetVariableValue] = []

    package init() {}

    /// The options of a command.
    /// - Parameters:
    ///   - firstMessage: What `--first-message` means for the command.
    ///   - ready: What `--ready` means for the command, or `nil` if it does not wait for its peers.
    ///   - answer: What `--answer` means for the command.
    ///   - runsPrograms: Whether programs can answer. Defaults to true.
    package static func options(
        firstMessage: MarkedText, ready: MarkedText?, answer: MarkedText, runsPrograms: Bool = true
    ) -> [OptionSpecification<ExchangeArguments>] {
        let first = OptionSpecification<ExchangeArguments>(
            "first-message", value: OptionValue("TEXT"), repetition: .adds, about: .exchange, excludes: .service,
            heading: .exchange, summary: "Send TEXT first on each connection",
            manual: """
                Send the text message *TEXT* as soon as a connection opens, for instance to log in. `@`*FILE* sends the \
                contents of a file without the line end after its last line. *TEXT* may contain placeholders; see \
                PLACEHOLDERS.
                """, firstMessage,
            example: #"--first-message '{"auth":"{{env:TOKEN}}"}'"#,
            seeAlso: ready == nil ? ["answer"] : ["ready", "answer"]
        ) { arguments, value throws(ValueProblem) in
            arguments.firstMessages.append(try MessageValue.parseAutomatic(value))
        }
        let answer = OptionSpecification<ExchangeArguments>(
            "answer", value: OptionValue("RULE"), repetition: .adds, about: .exchange, excludes: .service,
            startsProgram: { runsPrograms && AnswerRule.startsProgram($0) }, heading: .exchange,
            summary: "Answer messages: 'REGEX => TEXT'",
            manual: """
                Answer each received message that matches *REGEX*, or another condition, with the text message *TEXT*, \
                for instance the pings of an application. See CONDITIONS.
                """, answer,
            runsPrograms ? MarkedText("\(ruleManual.source) \(programManual.source)") : ruleManual,
            example: #"--answer '^ping (\d+)$ => pong $1'"#, seeAlso: ["first-message"]
        ) { arguments, value in arguments.answers.append(value) }
        guard let ready else { return [first, answer] }
        let readiness = OptionSpecification<ExchangeArguments>(
            "ready", value: OptionValue("REGEX"), about: .exchange, heading: .exchange,
            summary: "Begin after a message that matches REGEX",
            manual: "After the first messages, wait for a message that matches *REGEX* (PCRE2).", ready,
            MessageConditionValue.manual,
            example: #"--first-message @login.json --ready '"type":"welcome"'"#,
            seeAlso: ["first-message", "connect-timeout"]
        ) { arguments, value throws(ValueProblem) in
            arguments.ready = try MessageConditionValue.parse(value)
        }
        return [first, readiness, answer]
    }

    /// The option `--set`.
    package static let set = OptionSpecification<ExchangeArguments>(
        "set", value: OptionValue("NAME=PATH"), repetition: .adds, heading: .exchange,
        summary: "Keep a value of messages as {{NAME}}",
        manual: """
            Keep the latest value at *PATH* in received messages as the variable *NAME* for later messages, and for the \
            URL and the request of later connections. *PATH* is a JSON Pointer or a dotted path, as for `--pick`. \
            Messages without a value there, or with `null`, leave the variable as it is. Without a value, \
            `{{`*NAME*`}}` is an error; `{{`*NAME* `| default:`*TEXT*`}}` inserts *TEXT* then. See PLACEHOLDERS.
            """,
        example: #"--set id=.user.id --answer '^who => {{id | default:nobody}}'"#,
        seeAlso: ["answer"]
    ) { arguments, value throws(ValueProblem) in
        arguments.sets.append(try SetVariableValue.parse(value))
    }

    private static let ruleManual: MarkedText = """
        In *TEXT*, `$1` to `$9` stand for the groups of *REGEX* (PCRE2), `$0` for the whole match, and `$$` for a \
        dollar sign. A condition on JSON has no groups. Placeholders such as `{{last:/id}}` insert values of the \
        message; see PLACEHOLDERS. If several rules match, the first one answers.
        """
    private static let programManual: MarkedText = """
        With `exec:`*COMMAND* instead of *TEXT*, a program reads the message and writes the answers; see CONDITIONS.
        """
}
