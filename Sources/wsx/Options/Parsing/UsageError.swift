/// What is wrong with a command line; ends the program with status 2. The words are in `UsageError+Message.swift`.
enum UsageError: Error, Equatable {
    case missingCommand
    /// `nearest` is a command that the word may have been meant for.
    case unknownCommand(String, nearest: Command?)
    /// A command of another tool, and the line to write instead.
    case foreignCommand(String, line: String)
    /// An option, as typed, stands before a command.
    case optionBeforeCommand(String, String)
    /// `option` is as typed, with its hyphens and without a value; `nearest` is a long name without hyphens.
    case unknownOption(String, nearest: String?, command: Command?)
    /// An option of another tool, as typed, and what to do instead.
    case foreignOption(String, remedy: String)
    /// The option exists, but not after `command`; no owners stand for the program without a command.
    case optionOfOtherCommand(String, owners: [Command], command: Command?)
    case missingValue(option: String, placeholder: String)
    case unexpectedValue(option: String)
    /// `name` is an option as typed or the placeholder of an operand.
    case badValue(name: String, value: String, problem: ValueProblem)
    case missingOperand(String, command: Command)
    case unexpectedOperand(String, command: Command)
    /// The option, as typed, needs the words after `--` that its operand stands for.
    case missingOperandOfOption(String, option: String)
    /// A word after `--` that only the option, its long name, could say the meaning of.
    case operandWithoutOption(String, option: String)
    case conflict(String, String)
    /// An option, as typed, that has one value, with the two that it was given.
    case twoValues(option: String, String, String)
    /// An option, as typed, that says nothing without another; those that will do.
    case missingRequirement(String, requirements: [OptionReference])
}
