/// The operands of the help command: what to explain.
struct HelpTopic: Sendable {
    /// The name of a command or topic. Empty for the program, or for the option in every command that has it.
    var command = ""
    /// An option with its hyphens, or a part of the topic. Empty for the whole command or topic.
    var part = ""

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
            guard part.isEmpty else { throw .unexpectedOperand(part, command: CommandDescription.helpName) }
            return .help(try HelpText.explanation(of: optionName(command), program))
        }
        guard !command.isEmpty else { return .longHelp(HelpText.long(of: nil, program)) }
        if let topic = program.topics.first(where: { $0.names.contains(command) }) {
            guard !part.isEmpty else { return .longHelp(HelpText.text(of: topic, program)) }
            return .longHelp(HelpText.text(of: try subtopic(of: topic), program))
        }
        guard let description = program.commands.first(where: { $0.name == command }) else {
            throw program.unknownCommand(command)
        }
        guard !part.isEmpty else { return .longHelp(HelpText.long(of: description, program)) }
        return .help(try HelpText.explanation(of: optionName(part), in: description, program))
    }

    private func subtopic(of topic: ManualTopic) throws(UsageError) -> ManualSubtopic {
        let subtopics = topic.subtopics
        guard !subtopics.isEmpty else {
            throw .unexpectedOperand(part, command: CommandDescription.helpName)
        }
        guard let subtopic = subtopics.first(where: { $0.name == part || $0.prefix.map(part.hasPrefix) ?? false })
        else {
            throw .unknownSubtopic(
                part, topic: topic.names[0], nearest: EditDistance.nearest(to: part, among: subtopics.map(\.name)))
        }
        return subtopic
    }

    /// `--until` for `--until=ready` and for `until`.
    private func optionName(_ word: String) -> String {
        let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        return name.hasPrefix("-") ? name : "--" + name
    }
}

/// A text that the program prints instead of running a command.
public enum InformationalText: Equatable, Sendable {
    /// Short help with one line per option, or the help of one option.
    case help(String)
    /// Long help, which exceeds most screens.
    case longHelp(String)
    case completionScript(String)
}
