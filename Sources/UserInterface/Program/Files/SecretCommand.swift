import Conversation
import WSCore

/// The value `exec:COMMAND` of an option: the output of a program.
///
/// Only the command line and configuration files that nobody else can write have such values (`startsProgram` in the table
/// of options). Texts from elsewhere are never read as one.
package struct SecretCommand {
    /// The value as typed.
    package let argument: String
    /// The option, for error messages.
    package let option: String

    /// Returns nil if the value is something else.
    package init?(_ argument: String, of option: String) {
        guard SecretReference.isProgram(argument) else { return nil }
        self.argument = argument
        self.option = option
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
    func add(_ command: SecretCommand) {
        if !templateCommands.contains(where: { $0.argument == command.argument }) { templateCommands.append(command) }
    }
}
