/// The description of a command for help, manual, completions, and errors.
public struct CommandDescription: Sendable {
    /// The words of the command, separated by a space.
    public let name: String
    /// One line for the help, without a period.
    public let summary: String
    let makeOptions: @Sendable () -> [OptionDescription]
    let makeOperands: @Sendable () -> [OperandDescription]
    let makeManual: @Sendable () -> Manual

    /// The name of the help command.
    static let helpName = "help"
    /// The name of the completions command.
    static let completionsName = "completions"

    /// The options of the command.
    public var options: [OptionDescription] { makeOptions() }
    /// The operands of the command.
    public var operands: [OperandDescription] { makeOperands() }
    /// The other parts of the manual page.
    public var manual: Manual { makeManual() }

    /// The words of the command.
    public var words: [String] { name.split(separator: " ").map(String.init) }

    /// Whether the command has options other than `--help`, and therefore its own manual page.
    public var hasPage: Bool { options.contains { !$0.isInformational } }

    /// The command as a choice for completion.
    public var choice: ValueChoice { ValueChoice(name: name, summary: summary) }
}
