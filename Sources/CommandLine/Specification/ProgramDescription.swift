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
    /// Equivalents for the command lines of other programs.
    public let hooks: ForeignHooks
    /// The width of help.
    var helpColumns = usualHelpColumns
    private let makeManual: @Sendable () -> Manual
    private let makePages: @Sendable () -> [TopicPage]
    private let makePromptCommands: @Sendable () -> [ManualSubtopic]

    /// The default width of help, in characters.
    static let usualHelpColumns = 80

    /// Describes a program.
    public init(
        name: String, version: String, summary: String, headings: [OptionHeading], commands: [CommandDescription],
        implicitCommand: ImplicitCommand? = nil, firstExample: String, hooks: ForeignHooks = ForeignHooks(),
        manual: @autoclosure @escaping @Sendable () -> Manual,
        pages: @autoclosure @escaping @Sendable () -> [TopicPage] = [],
        promptCommands: @autoclosure @escaping @Sendable () -> [ManualSubtopic] = []
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
        makePages = pages
        makePromptCommands = promptCommands
    }

    /// The manual of the program as a whole.
    public var manual: Manual { makeManual() }
    /// The manual pages about topics.
    public var pages: [TopicPage] { makePages() }
    /// The commands of the program's prompts, with a slash.
    public var promptCommands: [ManualSubtopic] { makePromptCommands() }

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
        // A whole line, of an option that goes with other operands than most.
        if fragment.hasPrefix(name + " ") { return fragment }
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
        // The whole cluster may be a habit, as nc's -lk.
        let cluster = "-" + intended
        if !typed.hasPrefix("--"), cluster != typed, let remedy = hooks.remedy(cluster, command.name) {
            return .foreignOption(cluster, remedy: remedy)
        }
        // As in --timeout:5. The value may be a secret.
        let name = "--" + intended.prefix { $0 != ":" }
        if name.count < typed.count, typed.hasPrefix("--") {
            guard let option = command.options.first(where: { $0.isNamed(name) }) else {
                return unknownOption(name, intended: String(name.dropFirst(2)), of: command)
            }
            return option.value.map { .missingValue(option: name, placeholder: $0.placeholder) }
                ?? .unexpectedValue(option: name)
        }
        if let error = knownElsewhere(typed, typed, of: command) { return error }
        // A cluster that only resembles a name was not meant as one.
        let nearest = typed.hasPrefix("--") ? nearestName(to: intended, among: command.options) : nil
        if nearest == nil, let remedy = hooks.distantRemedy(typed, command.name) {
            return .foreignOption(typed, remedy: remedy)
        }
        return .unknownOption(typed, nearest: nearest, command: command.name)
    }

    /// The most similar long name of an option, or else the most similar alias.
    private func nearestName(to name: String, among options: [OptionDescription]) -> String? {
        EditDistance.nearest(to: name, among: options.map(\.long))
            ?? EditDistance.nearest(
                to: name,
                among: options.flatMap(\.aliases).map(\.name).filter { $0.hasPrefix("--") }.map {
                    String($0.dropFirst(2))
                })
    }

    /// The error for a long name with a single hyphen, with which its letters would be short options; nil: it is no name.
    /// - Parameter letters: The word without its hyphen.
    func singleHyphen(_ letters: Substring, of command: CommandDescription) -> UsageError? {
        // A value may be a secret.
        let name = String(letters.prefix { $0 != "=" && $0 != ":" })
        guard name.count > 2, name != OptionDescription.help.long else { return nil }
        if (command.options + options).contains(where: { $0.isNamed("--" + name) }) {
            return .unknownOption("-" + name, nearest: name, command: command.name)
        }
        return knownElsewhere("-" + name, "--" + name, of: command)
    }

    /// The error for an option that another program or other commands have; nil: none is known.
    /// - Parameters:
    ///   - typed: The option as the error shows it.
    ///   - name: The option as the others know it.
    private func knownElsewhere(_ typed: String, _ name: String, of command: CommandDescription) -> UsageError? {
        if let remedy = hooks.remedy(name, command.name) { return .foreignOption(typed, remedy: remedy) }
        let owners = commands.filter { $0.options.contains { $0.isNamed(name) } }.map(\.name)
        guard !owners.isEmpty || options.contains(where: { $0.isNamed(name) }) else { return nil }
        return .optionOfOtherCommand(name, owners: owners)
    }

    /// The error for an unknown command.
    func unknownCommand(_ word: String) -> UsageError {
        if let line = hooks.commandLine(word) { return .foreignCommand(word, line: line) }
        return .unknownCommand(word, nearest: EditDistance.nearest(to: word, among: commands.map(\.name)))
    }

    /// The error for an unknown topic of the help.
    func unknownTopic(_ word: String) -> UsageError {
        if let line = hooks.commandLine(word) { return .foreignCommand(word, line: line) }
        let sections = sectionsByPage().flatMap(\.sections)
        let subtopics = sections.flatMap { section in
            section.subtopics.map { "\(section.aliases.first ?? section.name) \($0.name)" }
        }
        let kinds = [
            commands.map(\.name), sections.flatMap { [$0.name] + $0.aliases }, promptCommands.map(\.name), subtopics,
            commands.flatMap { $0.options.map { "--" + $0.long } }, pages.map(\.name),
        ]
        return .unknownTopic(word, nearest: EditDistance.nearestFew(to: word, among: kinds.flatMap { $0 }))
    }
}

/// The sections of the manual, and references to them.
extension ProgramDescription {
    /// The name and section of each manual page, with the sections on it.
    func sectionsByPage() -> [(page: String, number: Int, sections: [ManualSection])] {
        [(name, 1, manual.sections)]
            + commands.filter(\.hasPage).map { (manualName(of: $0), 1, $0.manual.sections) }
            + pages.map { ("\(name)-\($0.name)", 7, $0.sections) }
    }

    /// The words that completions offer after the help command: commands, sections, and commands of prompts.
    public var topics: [ValueChoice] {
        commandsOfOneWord.filter { $0.name != CommandDescription.helpName }.map(\.choice)
            + sectionsByPage().flatMap { page in
                page.sections.map {
                    ValueChoice(name: $0.aliases.first ?? $0.name, summary: "In \(page.page)(\(page.number))")
                }
            } + promptCommands.map { ValueChoice(name: $0.name, summary: $0.summary) }
    }

    /// Texts for people without a manual page before them: a section's title becomes the command line that shows it.
    public var textStyle: TextStyle {
        let name = name
        return TextStyle(titles: sectionsByPage().flatMap { $0.sections.map(\.title) }) {
            "'\(name) help \(ManualSection.name(of: $0))'"
        }
    }

    /// Texts on a manual page: the title of a section on another one is followed by the name of that page.
    /// - Parameter sections: The sections on the page.
    func textStyle(on sections: [ManualSection]) -> TextStyle {
        var places: [String: String] = [:]
        for (page, number, sections) in sectionsByPage() {
            for section in sections where places[section.title] == nil {
                places[section.title] = "\(section.title) in *\(page)*(\(number))"
            }
        }
        for section in sections { places[section.title] = section.title }
        return TextStyle(titles: Array(places.keys)) { [places] in places[$0] ?? $0 }
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
    let remedy: Remedy
    /// Returns what to do instead of an option that resembles none of the command's, or `nil` if nothing is known.
    let distantRemedy: Remedy
    /// Returns what to do instead of a word that a command does not take, or `nil` if nothing is known.
    let operandRemedy: @Sendable (_ operands: [String], _ index: Int, _ command: String) -> String?
    /// Returns the topic of the help for a word that it does not know, or `nil` if there is none.
    let topic: @Sendable (String) -> String?

    /// Returns what to do instead of an option.
    public typealias Remedy = @Sendable (_ option: String, _ command: String) -> String?

    /// Creates hooks. By default, they know nothing.
    public init(
        rewrite: @escaping @Sendable ([String]) throws(UsageError) -> [String]? = { _ in nil },
        commandLine: @escaping @Sendable (String) -> String? = { _ in nil },
        remedy: @escaping Remedy = { _, _ in nil }, distantRemedy: @escaping Remedy = { _, _ in nil },
        operandRemedy: @escaping @Sendable (_ operands: [String], _ index: Int, _ command: String) -> String? = {
            _, _, _ in nil
        },
        topic: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.rewrite = rewrite
        self.commandLine = commandLine
        self.remedy = remedy
        self.distantRemedy = distantRemedy
        self.operandRemedy = operandRemedy
        self.topic = topic
    }
}
