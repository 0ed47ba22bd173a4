/// A program: its description and its commands.
public struct ProgramSpecification<Invocation>: Sendable {
    /// The names and words of the program.
    public let description: ProgramDescription
    /// Makes the invocation that prints a text: help, or a completion script.
    let text: @Sendable (InformationalText) -> Invocation
    private let commands: [CommandSpecification<Invocation>]
    private let version: @Sendable () -> Invocation

    /// Declares a program.
    ///
    /// - Parameters:
    ///   - commands: The commands in the order in which help shows them.
    ///   - version: What the program does when it is asked for its version.
    ///   - text: What the program does when it is asked for help or a completion script.
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

    /// Reads a command line.
    ///
    /// - Parameter words: The words after the program's name.
    /// - Throws: ``UsageError``, with the first thing that is wrong.
    public func parse(_ words: [String]) throws(UsageError) -> Invocation {
        let words = words.first == "--" ? Array(words.dropFirst()) : words
        guard let word = words.first else { throw .missingCommand(example: description.firstExample) }
        if let command = leading(words) {
            var rest = words.dropFirst(command.description.words.count)
            if command.description.name == CommandDescription.helpName {
                rest = HelpTopic.operands(rest, command: leading(rest)?.description)
            }
            return try command.run(rest, self, nil)
        }
        switch word {
        case "-h": return text(.help(HelpText.short(of: nil, description)))
        case "--help": return text(.longHelp(HelpText.long(of: nil, description)))
        case "-V", "--version": return version()
        default: return try parseWithoutCommand(words)
        }
    }

    /// Parses a line that begins with no command.
    private func parseWithoutCommand(_ words: [String]) throws(UsageError) -> Invocation {
        if let line = try description.hooks.rewrite(words), let command = leading(line) {
            return try command.run(line.dropFirst(command.description.words.count), self, nil)
        }
        let description = description
        guard let implicit = description.implicitCommand,
            let command = commands.first(where: { $0.description.name == implicit.name })
        else { throw description.unknownCommand(words[0]) }
        return try command.run(words[...], self) { operands, options throws(UsageError) in
            guard let word = operands.first else { return }
            if let option = options.first, description.commands.contains(where: { $0.name == word }) {
                throw .optionBeforeCommand(option, word)
            }
            // Any other word is more likely a command that was mistyped.
            guard implicit.takes(word) else { throw description.unknownCommand(word) }
        }
    }

    /// The command that words begin with, the longest if there are several.
    private func leading(_ words: some Sequence<String>) -> CommandSpecification<Invocation>? {
        commands.filter { words.starts(with: $0.description.words) }
            .max { $0.description.words.count < $1.description.words.count }
    }
}

/// A text that the program prints instead of running a command.
public enum InformationalText: Equatable, Sendable {
    /// Help of a line for each option, or of one option.
    case help(String)
    /// Help that is longer than most screens.
    case longHelp(String)
    case completionScript(String)
}

/// The description of a program, for help, manual, completions, and errors.
public struct ProgramDescription: Sendable {
    /// The name that is typed.
    public let name: String
    /// The version, as `--version` shows it.
    public let version: String
    /// One line for help, without a full stop.
    public let summary: String
    /// The headings over options, in the order in which help and manual show them.
    public let headings: [OptionHeading]
    /// The commands in the order in which help shows them.
    public let commands: [CommandDescription]
    /// The command that a line without one is for; nil: there is none.
    public let implicitCommand: ImplicitCommand?
    /// A command line to try first.
    public let firstExample: String
    /// What the program knows about the command lines of other programs.
    public let hooks: ForeignHooks
    private let makeManual: @Sendable () -> Manual

    /// Describes a program.
    public init(
        name: String, version: String, summary: String, headings: [OptionHeading], commands: [CommandDescription],
        implicitCommand: ImplicitCommand? = nil, firstExample: String, hooks: ForeignHooks = ForeignHooks(),
        manual: @autoclosure @escaping @Sendable () -> Manual
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.headings = headings
        self.commands = commands
        self.implicitCommand = implicitCommand
        self.firstExample = firstExample
        self.hooks = hooks
        makeManual = manual
    }

    /// What the manual says of the program as a whole.
    public var manual: Manual { makeManual() }

    /// The options that the program has without a command.
    public var options: [OptionDescription] { [.help, .version] }

    /// Those commands that one word stands for.
    var commandsOfOneWord: [CommandDescription] { commands.filter { $0.words.count == 1 } }

    /// The commands of two words that begin with a command.
    func subcommands(of command: CommandDescription) -> [CommandDescription] {
        commands.filter { $0.name != command.name && $0.words.starts(with: command.words) }
    }

    /// The headings that a command, or the program without one, has options under, each with these.
    func options(byHeadingOf command: CommandDescription?) -> [(heading: OptionHeading, options: [OptionDescription])] {
        let options = command?.options ?? self.options
        return (headings + [.general]).compactMap { heading in
            let members = options.filter { $0.heading == heading }
            return members.isEmpty ? nil : (heading, members)
        }
    }

    /// `wsx`, or `wsx connect`.
    func fullName(of command: CommandDescription?) -> String {
        command.map { "\(name) \($0.name)" } ?? name
    }

    /// The name of a page in the manual: `wsx`, or `wsx-connect`.
    public func manualName(of command: CommandDescription?) -> String {
        ([name] + (command?.words ?? [])).joined(separator: "-")
    }

    /// A command as one types it, or the program.
    func synopsis(of command: CommandDescription?) -> String {
        guard let command else { return name + " COMMAND [ARGUMENT...]" }
        return ([name, command.name] + placeholders(of: command)).joined(separator: " ")
    }

    /// A command line that shows how an option is used; nil: the option has no example.
    public func example(of option: OptionDescription, in command: CommandDescription) -> String? {
        guard let fragment = option.example else { return nil }
        let operands = command.operands.filter { operand in
            operand.option.map { fragment.contains("--" + $0) } ?? true
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

    /// The error for an option that a command does not have: what to use instead, the commands that have it, or the option
    /// with the most similar name.
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
        // `-linger` was meant for `--linger`; a cluster that merely resembles a name was not.
        let names = command.options.map(\.long)
        let nearest =
            typed.hasPrefix("--") ? EditDistance.nearest(to: intended, among: names) : names.first { $0 == intended }
        return .unknownOption(typed, nearest: nearest, command: command.name)
    }

    /// The error for a word that is no command.
    func unknownCommand(_ word: String) -> UsageError {
        if let line = hooks.commandLine(word) { return .foreignCommand(word, line: line) }
        return .unknownCommand(word, nearest: EditDistance.nearest(to: word, among: commands.map(\.name)))
    }
}

/// The command that a line without a command is for.
public struct ImplicitCommand: Sendable {
    /// The command's name.
    public let name: String
    /// Says so in a line of its own in completion scripts.
    public let note: String
    /// Whether a word can be the command's first operand; any other is more likely a command that was mistyped.
    let takes: @Sendable (String) -> Bool

    /// Names the command.
    public init(_ name: String, note: String, takes: @escaping @Sendable (String) -> Bool) {
        self.name = name
        self.note = note
        self.takes = takes
    }
}

/// What a program knows about the command lines of other programs, which people try by habit.
public struct ForeignHooks: Sendable {
    /// The command line, beginning with a command, that a line without a command stands for; nil: it is no such line.
    let rewrite: @Sendable ([String]) throws(UsageError) -> [String]?
    /// The command line to write instead of a command that there is not; nil: nothing is known of the word.
    let commandLine: @Sendable (String) -> String?
    /// What to do instead of an option, as typed, that a command does not have; nil: nothing is known of it.
    let remedy: @Sendable (_ option: String, _ command: String) -> String?

    /// Takes what is known.
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
