/// A program: its description and its commands.
public struct ProgramSpecification<Invocation>: Sendable {
    /// The description of the program.
    public private(set) var description: ProgramDescription
    /// Creates the invocation that prints a text: help or a completion script.
    let text: @Sendable (InformationalText) -> Invocation
    private let commands: [CommandSpecification<Invocation>]
    private let version: @Sendable () -> Invocation

    /// Declares a program.
    ///
    /// - Parameters:
    ///   - commands: The commands in the order of the help.
    ///   - version: The invocation that prints the version.
    ///   - text: Creates the invocation that prints help or a completion script.
    ///   - describe: Describes the program with these commands.
    public init(
        commands: [CommandSpecification<Invocation>], version: @autoclosure @escaping @Sendable () -> Invocation,
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
                rest = HelpTopic.operands(rest, command: leading(rest)?.description)
            }
            return try command.run(rest, self, configuration, nil)
        }
        switch word {
        case "-h": return text(.help(HelpText.short(of: nil, description)))
        case "--help": return text(.longHelp(HelpText.long(of: nil, description)))
        case "-V", "--version": return version()
        default: return try parseWithoutCommand(words, configuration)
        }
    }

    /// Parses a line that does not begin with a command.
    private func parseWithoutCommand(
        _ words: [String], _ configuration: ConfigurationSource
    ) throws(UsageError) -> Invocation {
        if let line = try description.hooks.rewrite(words), let command = leading(line) {
            return try command.run(line.dropFirst(command.description.words.count), self, configuration, nil)
        }
        let description = description
        guard let implicit = description.implicitCommand,
            let command = commands.first(where: { $0.description.name == implicit.name })
        else { throw description.unknownCommand(words[0]) }
        return try command.run(words[...], self, configuration) { operands, options throws(UsageError) in
            guard let word = operands.first else { return }
            if let option = options.first, description.commands.contains(where: { $0.name == word }) {
                throw .optionBeforeCommand(option, word)
            }
            // Any other word is more likely a mistyped command.
            guard implicit.takes(word) || Configuration.isProfileReference(word) else {
                throw description.unknownCommand(word)
            }
        }
    }

    /// The longest command that the words begin with.
    private func leading(_ words: some Sequence<String>) -> CommandSpecification<Invocation>? {
        commands.filter { words.starts(with: $0.description.words) }
            .max { $0.description.words.count < $1.description.words.count }
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

/// The description of a program for help, manual, completions, and errors.
public struct ProgramDescription: Sendable {
    /// The name of the executable.
    public let name: String
    /// The version shown by `--version`.
    public let version: String
    /// One line for the help, without a period.
    public let summary: String
    /// The headings of options, in the order of help and manual.
    public let headings: [OptionHeading]
    /// The commands in the order of the help.
    public let commands: [CommandDescription]
    /// The command of a line without one, or `nil` if a command is required.
    public let implicitCommand: ImplicitCommand?
    /// A command line for first-time users.
    public let firstExample: String
    /// The sections of the manual that the help command also shows by themselves.
    public let topics: [ManualTopic]
    /// Equivalents for the command lines of other programs.
    public let hooks: ForeignHooks
    /// The width of help.
    var helpColumns = HelpText.columns
    private let makeManual: @Sendable () -> Manual

    /// Describes a program.
    public init(
        name: String, version: String, summary: String, headings: [OptionHeading], commands: [CommandDescription],
        implicitCommand: ImplicitCommand? = nil, firstExample: String, topics: [ManualTopic] = [],
        hooks: ForeignHooks = ForeignHooks(), manual: @autoclosure @escaping @Sendable () -> Manual
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.headings = headings
        self.commands = commands
        self.implicitCommand = implicitCommand
        self.firstExample = firstExample
        self.topics = topics
        self.hooks = hooks
        makeManual = manual
    }

    /// The manual of the program as a whole.
    public var manual: Manual { makeManual() }

    /// The options without a command.
    public var options: [OptionDescription] { [.help, .version] }

    /// The commands that consist of one word.
    var commandsOfOneWord: [CommandDescription] { commands.filter { $0.words.count == 1 } }

    /// The two-word commands that begin with a command.
    func subcommands(of command: CommandDescription) -> [CommandDescription] {
        commands.filter { $0.name != command.name && $0.words.starts(with: command.words) }
    }

    /// The headings with options of a command, or of the program without one.
    func options(byHeadingOf command: CommandDescription?) -> [(heading: OptionHeading, options: [OptionDescription])] {
        let options = command?.options ?? self.options
        return (headings + [.general]).compactMap { heading in
            let members = options.filter { $0.heading == heading }
            return members.isEmpty ? nil : (heading, members)
        }
    }

    /// The full name: `wsx`, or `wsx connect`.
    func fullName(of command: CommandDescription?) -> String {
        command.map { "\(name) \($0.name)" } ?? name
    }

    /// The name of a manual page: `wsx`, or `wsx-connect`.
    public func manualName(of command: CommandDescription?) -> String {
        ([name] + (command?.words ?? [])).joined(separator: "-")
    }

    /// The synopsis of a command, or of the program.
    func synopsis(of command: CommandDescription?) -> String {
        guard let command else { return name + " COMMAND [ARGUMENT...]" }
        return ([name, command.name] + placeholders(of: command)).joined(separator: " ")
    }

    /// A command line with an example of an option, or `nil` if the option has none.
    public func example(of option: OptionDescription, in command: CommandDescription) -> String? {
        guard let fragment = option.example else { return nil }
        let operands = command.operands.filter { operand in
            operand.option.map { fragment.split(separator: " ").contains("--\($0)") } ?? true
        }
        return ([fullName(of: command), fragment] + operands.compactMap(\.example)).joined(separator: " ")
    }

    /// The synopsis of a line without a command.
    var shortSynopsis: String? {
        commands.first { $0.name == implicitCommand?.name }.map { command in
            ([name] + placeholders(of: command)).joined(separator: " ")
        }
    }

    private func placeholders(of command: CommandDescription) -> [String] {
        (command.hasPage ? ["[OPTION...]"] : []) + command.operands.map(\.synopsis)
    }

    /// The error for an option unknown to a command. It names an equivalent, the commands that accept it, or the
    /// most similar name.
    ///
    /// - Parameters:
    ///   - typed: The name with its hyphens.
    ///   - intended: The long name it may be meant as, without hyphens.
    func unknownOption(_ typed: String, intended: String, of command: CommandDescription) -> UsageError {
        if let remedy = hooks.remedy(typed, command.name) { return .foreignOption(typed, remedy: remedy) }
        let owners = commands.filter { $0.options.contains { $0.isNamed(typed) } }.map(\.name)
        if !owners.isEmpty || options.contains(where: { $0.isNamed(typed) }) {
            return .optionOfOtherCommand(typed, owners: owners)
        }
        // `-linger` was meant as `--linger`, but a cluster that only resembles a name was not.
        let names = command.options.map(\.long)
        let nearest =
            typed.hasPrefix("--") ? EditDistance.nearest(to: intended, among: names) : names.first { $0 == intended }
        return .unknownOption(typed, nearest: nearest, command: command.name)
    }

    /// The error for an unknown command.
    func unknownCommand(_ word: String) -> UsageError {
        if let line = hooks.commandLine(word) { return .foreignCommand(word, line: line) }
        return .unknownCommand(word, nearest: EditDistance.nearest(to: word, among: commands.map(\.name)))
    }
}

/// The command that a line without a command implies.
public struct ImplicitCommand: Sendable {
    /// The command's name.
    public let name: String
    /// A sentence about it, which completion scripts contain as a comment.
    public let note: String
    /// Whether a word can be the command's first operand. Any other word is more likely a mistyped command.
    let takes: @Sendable (String) -> Bool

    /// Creates an implicit command.
    public init(_ name: String, note: String, takes: @escaping @Sendable (String) -> Bool) {
        self.name = name
        self.note = note
        self.takes = takes
    }
}

/// Equivalents for the command lines of other programs, which users may type out of habit.
public struct ForeignHooks: Sendable {
    /// Translates a line without a command to one that begins with a command, or returns `nil` for other lines.
    let rewrite: @Sendable ([String]) throws(UsageError) -> [String]?
    /// Returns the equivalent command line for an unknown command, or `nil` if none is known.
    let commandLine: @Sendable (String) -> String?
    /// Returns the equivalent of an unknown option, as typed, or `nil` if none is known.
    let remedy: @Sendable (_ option: String, _ command: String) -> String?

    /// Creates hooks. By default, they know nothing.
    public init(
        rewrite: @escaping @Sendable ([String]) throws(UsageError) -> [String]? = { _ in nil },
        commandLine: @escaping @Sendable (String) -> String? = { _ in nil },
        remedy: @escaping @Sendable (_ option: String, _ command: String) -> String? = { _, _ in nil }
    ) {
        self.rewrite = rewrite
        self.commandLine = commandLine
        self.remedy = remedy
    }
}
