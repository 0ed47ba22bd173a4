/// The operands of the help command: what to explain.
struct HelpTopic: Sendable {
    /// The name of a command. Empty for the program, or for the option in every command that has it.
    var command = ""
    /// An option with its hyphens. Empty for the whole command.
    var option = ""

    /// The words after `help` with the command's name as one operand, and options as operands.
    static func operands(_ words: ArraySlice<String>, command: CommandDescription?) -> ArraySlice<String> {
        if let word = words.first, OptionDescription.help.isNamed(word) { return words }
        guard let command else { return ["--"] + words }
        return ["--", command.name] + words.dropFirst(command.words.count)
    }

    /// The explanation.
    /// - Throws: ``UsageError`` for a command or option that does not exist.
    func text(of program: ProgramDescription) throws(UsageError) -> InformationalText {
        if command.hasPrefix("-") {
            guard option.isEmpty else { throw .unexpectedOperand(option, command: CommandDescription.helpName) }
            return .help(try HelpText.explanation(of: optionName(command), program))
        }
        guard !command.isEmpty else { return .longHelp(HelpText.long(of: nil, program)) }
        if let topic = program.topics.first(where: { $0.names.contains(command) }) {
            guard option.isEmpty else { throw .unexpectedOperand(option, command: CommandDescription.helpName) }
            return .longHelp(HelpText.text(of: topic, program))
        }
        guard let description = program.commands.first(where: { $0.name == command }) else {
            throw program.unknownCommand(command)
        }
        guard !option.isEmpty else { return .longHelp(HelpText.long(of: description, program)) }
        return .help(try HelpText.explanation(of: optionName(option), in: description, program))
    }

    /// `--until` for `--until=ready` and for `until`.
    private func optionName(_ word: String) -> String {
        let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        return name.hasPrefix("-") ? name : "--" + name
    }
}
