/// A command: its description, and the function that parses its words.
///
/// Options, operands, and manual are created lazily, so a command line pays only for its own command.
public struct CommandSpecification<Invocation>: Sendable {
    /// The description of the command.
    public let description: CommandDescription
    let run: Run

    /// Parses the words after the command.
    typealias Run =
        @Sendable (
            ArraySlice<String>, ProgramSpecification<Invocation>, ConfigurationSource, ParsingRules
        ) throws(UsageError) -> Invocation

    /// Declares a command.
    ///
    /// - Parameters:
    ///   - name: The words of the command, separated by a space.
    ///   - summary: One line for the help, without a period.
    ///   - arguments: The initial arguments.
    ///   - options: The options, in the order of the help within a heading. `--help` is added.
    ///   - operands: The operands in order.
    ///   - manual: The other parts of the manual page.
    ///   - invocation: Converts the arguments to an invocation.
    public init<Arguments: Sendable>(
        _ name: String, summary: String, arguments: @autoclosure @escaping @Sendable () -> Arguments,
        options: @autoclosure @escaping @Sendable () -> [OptionSpecification<Arguments>] = [],
        operands: @autoclosure @escaping @Sendable () -> [OperandSpecification<Arguments>],
        manual: @autoclosure @escaping @Sendable () -> Manual,
        invocation: @escaping @Sendable (Arguments) -> Invocation
    ) {
        self.init(
            name, summary: summary, arguments: arguments(), options: options(), operands: operands(), manual: manual()
        ) { (arguments, _) in invocation(arguments) }
    }

    /// Declares a command that needs the program's specification, or that rejects some combinations of arguments.
    init<Arguments: Sendable>(
        _ name: String, summary: String, arguments: @autoclosure @escaping @Sendable () -> Arguments,
        options: @autoclosure @escaping @Sendable () -> [OptionSpecification<Arguments>] = [],
        operands: @autoclosure @escaping @Sendable () -> [OperandSpecification<Arguments>],
        manual: @autoclosure @escaping @Sendable () -> Manual,
        checkedInvocation:
            @escaping @Sendable (Arguments, ProgramSpecification<Invocation>) throws(UsageError) -> Invocation
    ) {
        let options: @Sendable () -> [OptionSpecification<Arguments>] = { options().resolved() }
        let description = CommandDescription(
            name: name, summary: summary, makeOptions: { options().map(\.description) + [.help] },
            makeOperands: { operands().map(\.description) }, makeManual: manual)
        self.description = description
        run = { words, program, configuration, rules throws(UsageError) in
            var parser = ArgumentParser(
                description, of: program.description, options: options(), operands: operands(),
                arguments: arguments(), words: words)
            switch try parser.parse(rules, configuration: configuration) {
            case .help(let text): return program.text(text)
            case .arguments(let arguments): return try checkedInvocation(arguments, program)
            }
        }
    }

    /// A line of another program as words of a command.
    public struct Translation: Sendable {
        /// The words after the command's name.
        let words: [String]
        /// Adds to the command's invocation what no word can express.
        let complete: @Sendable (Invocation) throws(UsageError) -> Invocation

        /// Creates a translation.
        public init(
            words: [String], complete: @escaping @Sendable (Invocation) throws(UsageError) -> Invocation
        ) {
            self.words = words
            self.complete = complete
        }
    }

    /// Declares a command whose words are those of another program, which become words of `command`. They are often
    /// pasted, so no option may start a program.
    ///
    /// - Parameters:
    ///   - operands: The words, for help and manual.
    ///   - translate: Translates the words. `-h` and `--help` alone show the help of this command.
    public init(
        _ name: String, summary: String, operands: @autoclosure @escaping @Sendable () -> [OperandSpecification<Void>],
        manual: @autoclosure @escaping @Sendable () -> Manual, for command: CommandSpecification,
        translate: @escaping @Sendable ([String]) throws(UsageError) -> Translation
    ) {
        let description = CommandDescription(
            name: name, summary: summary, makeOptions: { [.help] }, makeOperands: { operands().map(\.description) },
            makeManual: manual)
        self.description = description
        run = { words, program, configuration, rules throws(UsageError) in
            switch words.count == 1 ? words.first : nil {
            case "-h": return program.text(.help(HelpText.short(of: description, program.description)))
            case "--help": return program.text(.longHelp(HelpText.long(of: description, program.description)))
            default: break
            }
            let translation = try translate(Array(words))
            var rules = rules
            rules.commandWithoutPrograms = name
            return try translation.complete(command.run(translation.words[...], program, configuration, rules))
        }
    }

    /// The command that explains the program, a command, an option, or a section of the manual.
    /// - Parameter topics: The words to offer, with their summaries.
    public static func help(topics: @autoclosure @escaping @Sendable () -> [ValueChoice]) -> CommandSpecification {
        CommandSpecification(
            CommandDescription.helpName, summary: "Explain a command, an option, or a topic",
            arguments: HelpTopic(),
            operands: [
                OperandSpecification(
                    "TOPIC", required: false, repeatable: true, completion: .choices(topics()),
                    summary: "What to explain, such as connect, --timeout, or codecs"
                ) { topic, words in topic.words += words.flatMap { $0.split(separator: " ").map(String.init) } }
            ],
            manual: Manual(
                description: [
                    .paragraph(
                        """
                        *TOPIC* is a command, an option, a command with an option, a command of the prompt, or a section \
                        of the manual. Without *TOPIC*, shows the help of the program, which lists the topics.
                        """),
                    .paragraph(
                        """
                        A last word `--json` writes operands and options as one JSON object on one line: those of the \
                        command before it, or of all commands. Its `version` is 1; later versions of the program may \
                        add members.
                        """),
                ])
        ) { topic, program throws(UsageError) in program.text(try topic.text(of: program.description)) }
    }

    /// The command that prints a shell's completion script.
    ///
    /// - Parameters:
    ///   - lists: Other operands, which the scripts use, with the invocations that print words to offer. See
    ///     ``ValueCompletion/url(prefixes:list:)``.
    ///   - manual: The manual.
    public static func completions(
        lists: @autoclosure @escaping @Sendable () -> [String: Invocation] = [:],
        manual: @autoclosure @escaping @Sendable () -> Manual
    ) -> CommandSpecification {
        CommandSpecification(
            CommandDescription.completionsName, summary: "Print a shell's completion script", arguments: "",
            operands: [
                OperandSpecification(
                    "SHELL", required: true, completion: .choices(of: Shell.self), summary: "bash, zsh, or fish"
                ) { shell, words in shell = words.joined() }
            ],
            manual: manual()
        ) { word, program throws(UsageError) in
            if let list = lists()[word] { return list }
            do throws(ValueProblem) {
                return program.text(.completionScript(try Shell.parse(word).completionScript(of: program.description)))
            } catch {
                throw .badValue(name: "SHELL", value: word, problem: error)
            }
        }
    }
}

/// The shells with completion scripts.
public enum Shell: String, CaseIterable, OptionChoice {
    case bash
    case zsh
    case fish

    /// The shell's name.
    public var summary: String {
        switch self {
        case .bash: "GNU bash"
        case .zsh: "Z shell"
        case .fish: "fish"
        }
    }

    /// Returns the script that completes a program's command lines in the shell.
    public func completionScript(of program: ProgramDescription) -> String {
        switch self {
        case .bash: BashCompletion(program: program).script
        case .zsh: ZshCompletion(program: program).script
        case .fish: FishCompletion(program: program).script
        }
    }
}
