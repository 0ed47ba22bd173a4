/// A program: its description and its commands.
public struct ProgramSpecification<Invocation>: Sendable {
    /// The description of the program.
    public private(set) var description: ProgramDescription
    /// Creates the invocation that prints a text: help or a completion script.
    let text: @Sendable (InformationalText) -> Invocation
    private let commands: [CommandSpecification<Invocation>]
    private let version: @Sendable (_ isVerbose: Bool) -> Invocation

    /// Declares a program.
    ///
    /// - Parameters:
    ///   - commands: The commands in the order of the help.
    ///   - version: Creates the invocation that prints the version, and those of libraries if `isVerbose`.
    ///   - text: Creates the invocation that prints help or a completion script.
    ///   - describe: Describes the program with these commands.
    public init(
        commands: [CommandSpecification<Invocation>],
        version: @escaping @Sendable (_ isVerbose: Bool) -> Invocation,
        text: @escaping @Sendable (InformationalText) -> Invocation,
        describe: ([CommandDescription]) -> ProgramDescription
    ) {
        self.commands = commands
        self.version = version
        self.text = text
        description = describe(commands.map(\.description))
    }

    /// Parses a command line.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name.
    ///   - configuration: The user's defaults and profiles.
    ///   - helpColumns: The width of help; at least 40.
    /// - Throws: ``UsageError`` for the first error.
    public func parse(
        _ words: [String], configuration: ConfigurationSource = .none, helpColumns: Int = HelpText.columns
    ) throws(UsageError) -> Invocation {
        var program = self
        program.description.helpColumns = helpColumns
        return try program.parse(words, configuration)
    }

    private func parse(_ words: [String], _ configuration: ConfigurationSource) throws(UsageError) -> Invocation {
        let words = words.first == "--" ? Array(words.dropFirst()) : words
        guard let word = words.first else { throw .missingCommand(example: description.firstExample) }
        if let command = leading(words) {
            var rest = words.dropFirst(command.description.words.count)
            if command.description.name == CommandDescription.helpName {
                rest = HelpTopic.operands(rest)
            }
            return try command.run(rest, self, configuration, ParsingRules())
        }
        switch word {
        case "-h":
            // In other programs, a host follows.
            _ = try description.hooks.rewrite(words)
            return text(.help(HelpText.short(of: nil, description)))
        case "--help": return text(.longHelp(HelpText.long(of: nil, description)))
        case "-V", "--version": return version(words.dropFirst().contains { $0 == "-v" || $0 == "--verbose" })
        default: return try parseWithoutCommand(words, configuration)
        }
    }

    /// Parses a line that does not begin with a command.
    private func parseWithoutCommand(
        _ words: [String], _ configuration: ConfigurationSource
    ) throws(UsageError) -> Invocation {
        if let line = try description.hooks.rewrite(words), let command = leading(line) {
            let rest = line.dropFirst(command.description.words.count)
            return try command.run(rest, self, configuration, ParsingRules())
        }
        let description = description
        guard let implicit = description.implicitCommand,
            let command = commands.first(where: { $0.description.name == implicit.name })
        else { throw description.unknownCommand(words[0]) }
        // Before its options, which are those of the intended command.
        guard words[0].hasPrefix("-") || implicit.takes(words[0]) || Configuration.isProfileReference(words[0]) else {
            throw description.unknownCommand(words[0])
        }
        let rules = ParsingRules { operands, options throws(UsageError) in
            guard let word = operands.first else { return }
            if let option = options.first, description.commands.contains(where: { $0.name == word }) {
                throw .optionBeforeCommand(option, word)
            }
            // Any other word is more likely a mistyped command.
            guard implicit.takes(word) || Configuration.isProfileReference(word) else {
                let error = description.unknownCommand(word)
                // After options, it is more likely an operand without the one that must precede it.
                guard case .unknownCommand(_, nil) = error,
                    let placeholder = command.description.operands.first?.placeholder
                else { throw error }
                throw .notAnOperand(word, placeholder: placeholder)
            }
        }
        return try command.run(words[...], self, configuration, rules)
    }

    /// The longest command that the words begin with.
    private func leading(_ words: some Sequence<String>) -> CommandSpecification<Invocation>? {
        commands.filter { words.starts(with: $0.description.words) }
            .max { $0.description.words.count < $1.description.words.count }
    }
}
