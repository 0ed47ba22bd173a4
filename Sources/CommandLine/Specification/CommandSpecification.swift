/// One command: its description, and the function that turns its words into an invocation.
///
/// Options, operands, and manual are made when they are needed: a command line pays for its own command alone.
public struct CommandSpecification<Invocation>: Sendable {
    /// The names and words of the command.
    public let description: CommandDescription
    let run: Run

    /// Reads the words after the command. The check is told the operands and options before anything is made of them.
    typealias Run =
        @Sendable (
            ArraySlice<String>, ProgramSpecification<Invocation>, ParsedWordsCheck?
        ) throws(UsageError) -> Invocation

    /// Declares a command.
    ///
    /// - Parameters:
    ///   - name: The words that are typed for it, with a space between two.
    ///   - summary: One line for help, without a full stop.
    ///   - arguments: The arguments before any option.
    ///   - options: The options in the order in which help shows them under a heading; `--help` is added.
    ///   - operands: The operands in their order.
    ///   - manual: What the manual says besides.
    ///   - invocation: Makes what the program is to do of the arguments.
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

    /// Declares a command that needs to know the program, or of which some arguments make no sense together.
    init<Arguments: Sendable>(
        _ name: String, summary: String, arguments: @autoclosure @escaping @Sendable () -> Arguments,
        options: @autoclosure @escaping @Sendable () -> [OptionSpecification<Arguments>] = [],
        operands: @autoclosure @escaping @Sendable () -> [OperandSpecification<Arguments>],
        manual: @autoclosure @escaping @Sendable () -> Manual,
        checkedInvocation:
            @escaping @Sendable (Arguments, ProgramSpecification<Invocation>) throws(UsageError) -> Invocation
    ) {
        let description = CommandDescription(
            name: name, summary: summary, makeOptions: { options().map(\.description) + [.help] },
            makeOperands: { operands().map(\.description) }, makeManual: manual)
        self.description = description
        run = { words, program, check throws(UsageError) in
            var parser = ArgumentParser(
                description, of: program.description, options: options(), operands: operands(),
                arguments: arguments(), words: words)
            switch try parser.parse(check) {
            case .help(let text): return program.text(text)
            case .arguments(let arguments): return try checkedInvocation(arguments, program)
            }
        }
    }

    /// The command that explains the program, a command, or an option.
    /// - Parameter topics: The commands to offer, with their summaries.
    public static func help(topics: [ValueChoice]) -> CommandSpecification {
        let operands: [OperandSpecification<HelpTopic>] = [
            OperandSpecification(
                "COMMAND", required: false, completion: .choices(topics), summary: "The command to explain"
            ) { topic, words in topic.command = words.joined() },
            OperandSpecification("OPTION", required: false, summary: "Explain only this option, such as --timeout") {
                topic, words in topic.option = words.joined()
            },
        ]
        return CommandSpecification(
            CommandDescription.helpName, summary: "Explain the program, a command, or an option",
            arguments: HelpTopic(), operands: operands,
            manual: Manual(description: [
                .paragraph("Shows the same text as *COMMAND* `--help`, or the part about *OPTION*.")
            ])
        ) { topic, program throws(UsageError) in program.text(try topic.text(of: program.description)) }
    }

    /// The command that prints a shell's completion script.
    public static func completions(manual: @autoclosure @escaping @Sendable () -> Manual) -> CommandSpecification {
        CommandSpecification(
            "completions", summary: "Print a shell's completion script", arguments: "",
            operands: [
                OperandSpecification(
                    "SHELL", required: true, completion: .choices(of: Shell.self), summary: "bash, zsh or fish"
                ) { shell, words in shell = words.joined() }
            ],
            manual: manual()
        ) { word, program throws(UsageError) in
            do throws(ValueProblem) {
                return program.text(.completionScript(try Shell.parse(word).completionScript(of: program.description)))
            } catch {
                throw .badValue(name: "SHELL", value: word, problem: error)
            }
        }
    }
}

/// The description of a command, for help, manual, completions, and errors.
public struct CommandDescription: Sendable {
    /// The words that are typed for it, with a space between two.
    public let name: String
    /// One line for help, without a full stop.
    public let summary: String
    let makeOptions: @Sendable () -> [OptionDescription]
    let makeOperands: @Sendable () -> [OperandDescription]
    let makeManual: @Sendable () -> Manual

    /// The name of the command that explains others.
    static let helpName = "help"

    /// The options that may follow.
    public var options: [OptionDescription] { makeOptions() }
    /// The operands that may follow.
    public var operands: [OperandDescription] { makeOperands() }
    /// What the manual says besides.
    public var manual: Manual { makeManual() }

    /// The words that are typed for it.
    public var words: [String] { name.split(separator: " ").map(String.init) }

    /// Whether it has options besides `--help`, and so a page of its own in the manual.
    public var hasPage: Bool { options.contains { $0.effect == .update } }

    /// The command as a word to choose.
    public var choice: ValueChoice { ValueChoice(name: name, summary: summary) }
}
