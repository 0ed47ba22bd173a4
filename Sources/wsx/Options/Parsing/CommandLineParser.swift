/// Turns the words of a command line into an ``Invocation``, by the GNU conventions.
///
/// `--long value`, `--long=value`, `-x value`, `-xvalue` and clusters such as `-qn5` are understood, `--` ends the
/// options, options and operands may mix. A long name must be whole: a prefix that is unambiguous today would not
/// stay so. Of an option that is given twice the last one counts, unless it is repeatable.
struct CommandLineParser {
    /// The command whose arguments are parsed; nil before it is known.
    private let command: Command?
    private var remaining: ArraySlice<String>
    private var arguments: TypedArguments?
    private var operands: [String] = []
    /// The number of operands before `--`; nil: there was none.
    private var operandCountBeforeEnd: Int?
    /// The options that were given.
    private var given: [GivenOption] = []

    /// Parses a command line.
    ///
    /// - Parameter words: the words after the program's name.
    /// - Throws: ``UsageError``, with the first thing that is wrong.
    static func parse(_ words: [String]) throws(UsageError) -> Invocation {
        let words = words.first == "--" ? Array(words.dropFirst()) : words
        guard let word = words.first else { throw .missingCommand }
        if let command = Command.leading(words) {
            var rest = words.dropFirst(command.words.count)
            if command == .help, let topic = Command.leading(rest) {
                rest = [topic.rawValue] + rest.dropFirst(topic.words.count)
            }
            var parser = CommandLineParser(command: command, remaining: rest)
            return try parser.run()
        }
        if OptionTable.options(of: nil).contains(where: { word == "--\($0.long)" || word == $0.short.map { "-\($0)" } })
        {
            var program = CommandLineParser(command: nil, remaining: words.dropFirst())
            if let ending = try program.consumeOption(word) { return ending }
        }
        return try parseWithoutCommand(words)
    }

    /// Parses a line that begins with no command: `wsx URL`, and `wsx -c URL` and `wsx -l PORT` as wscat has them.
    private static func parseWithoutCommand(_ words: [String]) throws(UsageError) -> Invocation {
        if let (command, rest) = try WscatForm.command(of: words) {
            var parser = CommandLineParser(command: command, remaining: rest[...])
            return try parser.run()
        }
        var parser = CommandLineParser(command: .connect, remaining: words[...])
        if let ending = try parser.consumeAll() { return ending }
        if let word = parser.operands.first {
            if let option = parser.given.first, Command(rawValue: word) != nil {
                throw .optionBeforeCommand(option.typed, word)
            }
            // Any other word is more likely a command that was mistyped.
            guard word == "localhost" || word.contains(where: { ":/.".contains($0) }) else {
                throw unknownCommand(word)
            }
        }
        return try parser.finishChecked()
    }

    private init(command: Command?, remaining: ArraySlice<String>) {
        self.command = command
        self.remaining = remaining
        switch command {
        case .connect: arguments = .connect(ConnectArguments())
        case .listen: arguments = .listen(ListenArguments())
        case .bench: arguments = .bench(BenchArguments())
        case .merge: arguments = .merge(MergeArguments())
        case .help, .completions, nil: arguments = nil
        }
    }

    /// Takes everything after the command.
    private mutating func run() throws(UsageError) -> Invocation {
        if let ending = try consumeAll() { return ending }
        return try finishChecked()
    }

    /// Takes all options and operands, unless one option says what to do instead.
    private mutating func consumeAll() throws(UsageError) -> Invocation? {
        while let word = remaining.popFirst() {
            if word == "--" {
                operandCountBeforeEnd = operands.count
                operands += remaining
                remaining = []
            } else if Self.isOption(word) {
                if let ending = try consumeOption(word) { return ending }
            } else {
                operands.append(word)
            }
        }
        return nil
    }

    private mutating func finishChecked() throws(UsageError) -> Invocation {
        try GivenOption.checkCompany(of: given)
        return try finish()
    }

    /// A hyphen alone is an operand.
    private static func isOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word != "-"
    }

    private mutating func consumeOption(_ word: String) throws(UsageError) -> Invocation? {
        guard word.hasPrefix("--") else { return try consumeShortOptions(word) }
        // By scalars: a combining mark after the sign would hide it from a search by characters.
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let typed = String(parts[0])
        let name = String(typed.dropFirst(2))
        let specification = try find(typed: typed, intended: name) { $0.long == name }
        var value = ""
        if let expected = specification.value {
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
        return try apply(specification, typed: typed, value: value)
    }

    /// Takes a hyphen and short options; one that has a value takes the rest of the word for it.
    private mutating func consumeShortOptions(_ word: String) throws(UsageError) -> Invocation? {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let typed = "-\(letter)"
            let specification = try find(typed: typed, intended: String(word.dropFirst())) { $0.short == letter }
            var value = ""
            if let expected = specification.value {
                value = letters.isEmpty ? try nextValue(of: typed, expected) : String(letters)
                letters = ""
            }
            if let ending = try apply(specification, typed: typed, value: value) { return ending }
        }
        return nil
    }

    private mutating func nextValue(of typed: String, _ expected: OptionValue) throws(UsageError) -> String {
        guard let value = remaining.popFirst() else {
            throw .missingValue(option: typed, placeholder: expected.placeholder)
        }
        return value
    }

    /// The option that `matches` picks among those of the command, or the error that helps most.
    private func find(
        typed: String, intended name: String, where matches: (OptionSpecification) -> Bool
    ) throws(UsageError) -> OptionSpecification {
        let options = OptionTable.options(of: command)
        if let option = options.first(where: matches) { return option }
        if let remedy = ForeignOption.remedy(for: typed, of: command) { throw .foreignOption(typed, remedy: remedy) }
        let elsewhere = OptionTable.all.filter(matches)
        if !elsewhere.isEmpty {
            let owners = Command.allCases.filter { other in elsewhere.contains { $0.belongs(to: other) } }
            throw .optionOfOtherCommand(typed, owners: owners, command: command)
        }
        // `-linger` was meant for `--linger`; a cluster that merely resembles a name was not.
        let names = options.map(\.long)
        let nearest =
            typed.hasPrefix("--") ? EditDistance.nearest(to: name, among: names) : names.first { $0 == name }
        throw .unknownOption(typed, nearest: nearest, command: command)
    }

    private mutating func apply(
        _ specification: OptionSpecification, typed: String, value: String
    ) throws(UsageError) -> Invocation? {
        switch specification.effect {
        case .help:
            let specification = CommandSpecification.of(command)
            return .help(text: typed == "-h" ? HelpText.short(specification) : HelpText.long(specification))
        case .version:
            return .version
        case .update(let update):
            given.append(GivenOption(specification: specification, typed: typed, value: value))
            try write(update, value, name: typed, shown: value)
            return nil
        }
    }

    private mutating func write<Input>(
        _ update: ArgumentUpdate<Input>, _ input: Input, name: String, shown: String
    ) throws(UsageError) {
        do throws(ValueProblem) {
            try arguments?.apply(update, input)
        } catch {
            throw .badValue(name: name, value: shown, problem: error)
        }
    }

    /// Hands the operands out and makes the result.
    private mutating func finish() throws(UsageError) -> Invocation {
        guard let command else { throw .missingCommand }
        try takeOperandsOfOptions(of: command)
        var words = operands[...]
        for operand in CommandSpecification.of(command).operands where operand.option == nil {
            let values = operand.isRepeatable ? Array(words) : Array(words.prefix(1))
            words = words.dropFirst(values.count)
            guard !values.isEmpty else {
                if operand.isRequired { throw .missingOperand(operand.placeholder, command: command) }
                continue
            }
            if let update = operand.update {
                try write(update, values, name: operand.placeholder, shown: values.joined(separator: " "))
            }
        }
        if let word = words.first { throw unexpected(word, at: words.startIndex, command) }
        return try invocation(of: command)
    }

    /// Takes what follows `--` away where an option that was given says what it is.
    private mutating func takeOperandsOfOptions(of command: Command) throws(UsageError) {
        for operand in CommandSpecification.of(command).operands {
            guard let option = given.first(where: { $0.specification.long == operand.option }) else { continue }
            let values = Array(operands.dropFirst(operandCountBeforeEnd ?? operands.count))
            guard !values.isEmpty else { throw .missingOperandOfOption(operand.placeholder, option: option.typed) }
            operands.removeLast(values.count)
            if let update = operand.update {
                try write(update, values, name: operand.placeholder, shown: values.joined(separator: " "))
            }
        }
    }

    private func unexpected(_ word: String, at index: Int, _ command: Command) -> UsageError {
        let operand = CommandSpecification.of(command).operands.first { $0.option != nil }
        guard let option = operand?.option, let count = operandCountBeforeEnd, index >= count else {
            return .unexpectedOperand(word, command: command)
        }
        return .operandWithoutOption(word, option: option)
    }

    private func invocation(of command: Command) throws(UsageError) -> Invocation {
        switch (command, arguments) {
        case (_, .connect(let arguments)?): return .connect(arguments)
        case (_, .listen(let arguments)?): return .listen(arguments)
        case (_, .bench(let arguments)?): return .bench(arguments)
        case (_, .merge(let arguments)?): return .merge(arguments)
        case (.completions, nil):
            let word = operands.first ?? ""
            do throws(ValueProblem) {
                return .completions(script: try Shell.parse(word).completionScript)
            } catch {
                throw .badValue(name: "SHELL", value: word, problem: error)
            }
        case (_, nil):
            guard let word = operands.first else { return .help(text: HelpText.long(.program)) }
            guard let topic = Command(rawValue: word) else { throw Self.unknownCommand(word) }
            return .help(text: HelpText.long(.of(topic)))
        }
    }

    private static func unknownCommand(_ word: String) -> UsageError {
        if let line = ForeignCommand.line(for: word) { return .foreignCommand(word, line: line) }
        let nearest = EditDistance.nearest(to: word, among: Command.allCases.map(\.rawValue))
        return .unknownCommand(word, nearest: nearest.flatMap(Command.init))
    }
}
