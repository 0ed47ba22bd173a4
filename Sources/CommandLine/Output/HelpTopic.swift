/// The operands of the help command: what to explain.
struct HelpTopic: Sendable {
    /// The words after `help`. Empty for the program.
    var words: [String] = []

    /// The words after `help` with options as operands.
    static func operands(_ words: ArraySlice<String>) -> ArraySlice<String> {
        if let word = words.first, OptionDescription.help.isNamed(word) { return words }
        return ["--"] + words
    }

    /// The explanation.
    /// - Throws: ``UsageError`` for a topic or option that does not exist.
    func text(of program: ProgramDescription) throws(UsageError) -> InformationalText {
        if words.last == "--json" { return .help(try data(of: program)) }
        if let other = program.hooks.topic(words.joined(separator: "-")) {
            return try HelpTopic(words: [other]).text(of: program)
        }
        guard let first = words.first else { return .longHelp(HelpText.long(of: nil, program)) }
        if first.hasPrefix("-") {
            try checkLength(1)
            return .help(try HelpText.explanation(of: optionName(first), program))
        }
        let commands = program.commands.filter { words.starts(with: $0.words) }
        if let command = commands.max(by: { $0.words.count < $1.words.count }) {
            let count = command.words.count
            guard words.count > count else { return .longHelp(HelpText.long(of: command, program)) }
            try checkLength(count + 1)
            return .help(try HelpText.explanation(of: optionName(words[count]), in: command, program))
        }
        let sections = program.sectionsByPage().flatMap(\.sections)
        let name = words.joined(separator: "-").lowercased()
        if let section = sections.first(where: { $0.isNamed(name) }) {
            return .longHelp(HelpText.text(of: section, program))
        }
        if let section = sections.first(where: { $0.isNamed(first.lowercased()) }), words.count > 1 {
            try checkLength(2)
            return .longHelp(HelpText.text(of: try subtopic(words[1], of: section), program))
        }
        try checkLength(1)
        return try other(name, program)
    }

    /// The option table of a command, or of all.
    private func data(of program: ProgramDescription) throws(UsageError) -> String {
        let name = words.dropLast().joined(separator: " ")
        let commands = program.commands.filter { name.isEmpty || $0.name == name }
        guard !commands.isEmpty else {
            _ = try HelpTopic(words: words.dropLast()).text(of: program)
            throw .unexpectedOperand(
                "--json", command: CommandDescription.helpName, remedy: "only commands have it; omit it")
        }
        return HelpData.text(of: commands, program)
    }

    /// A command of a prompt, an option without its hyphens, or a page.
    private func other(_ name: String, _ program: ProgramDescription) throws(UsageError) -> InformationalText {
        let slashed = name.hasPrefix("/") ? name : "/" + name
        if let command = program.promptCommands.first(where: { $0.name == slashed }) {
            return .longHelp(HelpText.text(of: command, program))
        }
        if program.commands.contains(where: { $0.options.contains { $0.isNamed("--" + name) } }) {
            return .help(try HelpText.explanation(of: "--" + name, program))
        }
        if let page = program.pages.first(where: { name == $0.name || name == "\(program.name)-\($0.name)" }) {
            return .longHelp(HelpText.text(of: page, program))
        }
        throw program.unknownTopic(words[0])
    }

    private func checkLength(_ count: Int) throws(UsageError) {
        guard words.count > count else { return }
        throw .unexpectedOperand(words[count], command: CommandDescription.helpName)
    }

    private func subtopic(_ part: String, of section: ManualSection) throws(UsageError) -> ManualSubtopic {
        let subtopics = section.subtopics
        guard !subtopics.isEmpty else {
            throw .unexpectedOperand(part, command: CommandDescription.helpName)
        }
        guard let subtopic = subtopics.first(where: { $0.name == part || $0.prefix.map(part.hasPrefix) ?? false })
        else {
            throw .unknownSubtopic(
                part, topic: section.aliases.first ?? section.name,
                nearest: EditDistance.nearest(to: part, among: subtopics.map(\.name)))
        }
        return subtopic
    }

    /// `--until` for `--until=ready` and for `until`.
    private func optionName(_ word: String) -> String {
        let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        return name.hasPrefix("-") ? name : "--" + name
    }
}

extension ManualSection {
    fileprivate func isNamed(_ word: String) -> Bool { word == name || aliases.contains(word) }
}

/// A text that the program prints instead of running a command.
public enum InformationalText: Equatable, Sendable {
    /// Short help with one line per option, or the help of one option.
    case help(String)
    /// Long help, which exceeds most screens.
    case longHelp(String)
    case completionScript(String)
}
