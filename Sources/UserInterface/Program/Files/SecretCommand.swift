import Conversation
import WSCore

/// The value `exec:COMMAND` of an option: the output of a program.
///
/// Only the command line and configuration files that nobody else can write have such values (`startsProgram` in the table
/// of options). Texts from elsewhere are never read as one.
package struct SecretCommand: Sendable {
    /// The value as typed.
    package let argument: String
    /// The option, for error messages.
    package let option: String

    /// Whether the first line of the output is a URL, of which only the path and query are a secret.
    let isURL: Bool

    /// Returns nil if the value is something else.
    package init?(_ argument: String, of option: String, isURL: Bool = false) {
        guard SecretReference.isProgram(argument) else { return nil }
        self.argument = argument
        self.option = option
        self.isURL = isURL
    }

    /// Returns nil for another value of `--header`.
    package init?(ofHeader value: String) {
        guard HeaderValue.isProgram(value) else { return nil }
        self.init(value, of: "--header")
    }

    /// The command without the prefix.
    var command: String { String(argument.dropFirst(SecretReference.programPrefix.count)) }

    /// The name of the program and its arguments. No shell is involved, so there are no quotes.
    package var words: [String] {
        argument.dropFirst(SecretReference.programPrefix.count).split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// The name of the program, safe to print.
    package var name: String { escapingControls(words.first ?? "") }

    /// The value without arguments, safe to print.
    package var shown: String { SecretReference.programPrefix + name }

    /// The URL in the latest output, which must exist.
    package func url(in outputs: ProgramOutputs) -> String { Self.firstLine(of: outputs[command] ?? "") }

    /// The part of an output that must not be shown.
    func secret(in output: String) -> String? {
        guard isURL else { return output }
        let target = (try? WebSocketURL(parsing: Self.firstLine(of: output)))?.requestTarget
        return target == "/" ? nil : target
    }

    private static func firstLine(of output: String) -> String { String(output.prefix { !$0.isNewline }) }

    /// The failure of the option because of the program.
    package func failure(_ why: String) -> Failure { .badArgument(what: option, why: "running '\(name)': \(why)") }
}

/// The latest outputs of the programs of ``SecretCommand``.
package final class SecretOutputs {
    /// The outputs by command. Templates read them.
    package let programs = ProgramOutputs()
    /// The programs of templates.
    package private(set) var templateCommands: [SecretCommand] = []
    /// Whether the programs have run for the first connection, which has not begun.
    package var areForFirstConnection = true

    subscript(command: SecretCommand) -> String? {
        get { programs[command.command] }
        set { programs[command.command] = newValue }
    }

    /// Adds a program of a template, which runs for each connection.
    package func add(_ command: SecretCommand) {
        if !templateCommands.contains(where: { $0.argument == command.argument }) { templateCommands.append(command) }
    }
}
