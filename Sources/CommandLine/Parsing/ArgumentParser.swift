/// What is accepted besides the words that a command takes.
struct ParsingRules {
    /// Receives the operands and the options as typed, before they are interpreted.
    typealias WordsCheck = @Sendable (_ operands: [String], _ options: [String]) throws(UsageError) -> Void

    var check: WordsCheck?
    /// The command whose words must not start a program, because they may be pasted; nil: programs may be started.
    var commandWithoutPrograms: String?
}

/// Parses the words after a command into its arguments, following the GNU conventions.
///
/// Accepts `--long value`, `--long=value`, `-x value`, `-xvalue`, and clusters such as `-qn5`. `--` ends the options,
/// and options and operands may be mixed. Long names must be complete: a prefix that is unambiguous today may not stay
/// so. If an option is repeated, the last value counts, unless the option is repeatable.
struct ArgumentParser<Arguments> {
    /// The result of parsing.
    enum Result {
        case arguments(Arguments)
        case help(InformationalText)
    }

    private let command: CommandDescription
    let program: ProgramDescription
    let options: [OptionSpecification<Arguments>]
    let operandSpecifications: [OperandSpecification<Arguments>]
    /// The arguments without any option.
    let initialArguments: Arguments
    var arguments: Arguments
    private var remaining: ArraySlice<String>
    var operands: [String] = []
    /// The number of operands before `--`, or `nil` without it.
    var operandCountBeforeEnd: Int?
    /// The options that were given.
    var given: [GivenOption] = []

    init(
        _ command: CommandDescription, of program: ProgramDescription, options: [OptionSpecification<Arguments>],
        operands: [OperandSpecification<Arguments>], arguments: Arguments, words: ArraySlice<String>
    ) {
        self.command = command
        self.program = program
        self.options = options
        operandSpecifications = operands
        initialArguments = arguments
        self.arguments = arguments
        remaining = words
    }

    /// Parses all words, then adds the options of the configuration.
    mutating func parse(
        _ rules: ParsingRules, configuration: ConfigurationSource = .none
    ) throws(UsageError) -> Result {
        while let word = remaining.popFirst() {
            if word == "--" {
                operandCountBeforeEnd = operands.count
                operands += remaining
                remaining = []
            } else if Self.isOption(word) {
                if let text = try consumeOption(word) { return .help(text) }
            } else {
                operands.append(word)
            }
        }
        try rules.check?(operands, given.map(\.typed))
        // As typed: the operand of a profile may well be a host.
        if operandSpecifications.dropFirst().first?.description.isRepeatable ?? false,
            operands.prefix(operandCountBeforeEnd ?? operands.count).count > 1,
            let remedy = program.hooks.operandRemedy(operands, 1, command.name)
        {
            throw .unexpectedOperand(operands[1], command: command.name, remedy: remedy)
        }
        try addConfiguration(from: configuration)
        if let command = rules.commandWithoutPrograms, let option = given.first(where: \.startsPastedProgram) {
            throw .programNotAllowed(option: option.typed, command: command)
        }
        try GivenOption.checkCompany(of: given)
        try takeOperands()
        return .arguments(arguments)
    }

    /// A single hyphen is an operand.
    private static func isOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word != "-"
    }

    // MARK: Options

    /// Processes an option. Returns the text if the option asks for help.
    private mutating func consumeOption(_ word: String) throws(UsageError) -> InformationalText? {
        guard word.hasPrefix("--") else { return try consumeShortOptions(word) }
        // Split by scalars: a combining mark after the equals sign would hide it from a split by characters.
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let typed = String(parts[0])
        let name = String(typed.dropFirst(2))
        let option = try find(typed: typed, intended: name)
        var value = option.includedValue ?? ""
        if let expected = option.expectedValue {
            if parts.count == 2 {
                value = String(parts[1])
            } else if let implied = expected.implied {
                value = implied
            } else {
                value = try nextValue(of: typed, expected)
            }
        } else if parts.count == 2 {
            throw .unexpectedValue(option: typed)
        }
        return try apply(option, typed: typed, value: value)
    }

    /// Processes a hyphen and short options. An option with a value takes the rest of the word.
    private mutating func consumeShortOptions(_ word: String) throws(UsageError) -> InformationalText? {
        var letters = word.dropFirst()
        // Its letters may also be options, or one and its value.
        if let error = program.singleHyphen(letters, of: command) { throw error }
        var typed = ""
        while let letter = letters.popFirst() {
            if "=:".contains(letter), !typed.isEmpty { throw .unexpectedValue(option: typed) }
            typed = "-\(letter)"
            let option = try find(typed: typed, intended: String(word.dropFirst()))
            var value = option.includedValue ?? ""
            if let expected = option.expectedValue {
                value = letters.isEmpty ? try nextValue(of: typed, expected) : String(letters)
                letters = ""
            }
            if let text = try apply(option, typed: typed, value: value) { return text }
        }
        return nil
    }

    private mutating func nextValue(of typed: String, _ expected: OptionValue) throws(UsageError) -> String {
        guard let value = remaining.popFirst() else {
            // The option may be meant as one of another tool.
            let remedy = program.hooks.remedy(typed, command.name)
            throw .missingValue(option: typed, placeholder: expected.placeholder, remedy: remedy)
        }
        return value
    }

    /// An option of the command: a declared one, or `--help`.
    private struct Match {
        let description: OptionDescription
        /// The function that stores the value, or `nil` for `--help`.
        let update: OptionSpecification<Arguments>.Update?
        /// The value that comes with the typed alias.
        var includedValue: String?

        /// The value that must follow; nil: none.
        var expectedValue: OptionValue? { includedValue == nil ? description.value : nil }
    }

    /// The command's option of that name, or the error that helps most.
    private func find(typed: String, intended: String) throws(UsageError) -> Match {
        if let option = options.first(where: { $0.description.isNamed(typed) }) {
            let includedValue = option.description.alias(typed)?.value
            return Match(description: option.description, update: option.update, includedValue: includedValue)
        }
        if OptionDescription.help.isNamed(typed) { return Match(description: .help, update: nil) }
        throw program.unknownOption(typed, intended: intended, of: command)
    }

    private mutating func apply(
        _ option: Match, typed: String, value: String
    ) throws(UsageError) -> InformationalText? {
        guard let update = option.update else {
            return typed == "-h"
                ? .help(HelpText.short(of: command, program)) : .longHelp(HelpText.long(of: command, program))
        }
        given.append(GivenOption(description: option.description, typed: typed, value: value))
        do throws(ValueProblem) {
            try update(&arguments, value)
        } catch {
            throw .badValue(name: typed, value: value, problem: error)
        }
        return nil
    }

    // MARK: Operands

    /// Assigns the operands.
    private mutating func takeOperands() throws(UsageError) {
        try takeOperandsAfterEnd()
        var words = operands[...]
        if let count = operandCountBeforeEnd, count > 0,
            let remedy = operandSpecifications.lazy.compactMap(\.description.afterEnd).first,
            let word = words.dropFirst(count).first(where: { !$0.hasPrefix("-") })
        {
            throw .unexpectedOperand(word, command: command.name, remedy: remedy)
        }
        for operand in operandSpecifications where !operand.description.isAfterEnd {
            let values = operand.description.isRepeatable ? Array(words) : Array(words.prefix(1))
            words = words.dropFirst(values.count)
            guard !values.isEmpty else {
                guard operand.description.isRequired else { continue }
                // The sample alone is a command line only if examples have no other operand.
                let isOnly =
                    operandSpecifications.count { !$0.description.isAfterEnd && $0.description.example != nil } == 1
                throw .missingOperand(
                    operand.description.placeholder, command: command.name,
                    example: isOnly ? operand.description.sample : nil)
            }
            try write(values, to: operand)
        }
        if let word = words.first { throw unexpected(word, at: words.startIndex) }
    }

    /// Assigns the words after `--` to the operand of a given option, or to the one that needs no option.
    private mutating func takeOperandsAfterEnd() throws(UsageError) {
        for operand in operandSpecifications {
            let option =
                operand.description.followsEnd
                ? operandCountBeforeEnd.map { _ in "--" }
                : given.first { $0.description.long == operand.description.option }?.typed
            guard let option else { continue }
            let values = Array(operands.dropFirst(operandCountBeforeEnd ?? operands.count))
            guard !values.isEmpty else {
                throw .missingOperandOfOption(operand.description.placeholder, option: option)
            }
            operands.removeLast(values.count)
            try write(values, to: operand)
        }
    }

    private mutating func write(
        _ values: [String], to operand: OperandSpecification<Arguments>
    ) throws(UsageError) {
        do throws(ValueProblem) {
            try operand.update(&arguments, values)
        } catch {
            throw .badValue(
                name: operand.description.placeholder, value: values.joined(separator: " "), problem: error)
        }
    }

    private func unexpected(_ word: String, at index: Int) -> UsageError {
        let operand = operandSpecifications.first { $0.description.option != nil }
        guard let option = operand?.description.option, let count = operandCountBeforeEnd, index >= count else {
            let remedy = program.hooks.operandRemedy(operands, index, command.name)
            return .unexpectedOperand(word, command: command.name, remedy: remedy)
        }
        return .operandWithoutOption(word, option: option)
    }
}
