/// Completion for bash 3.2 and later, without the bash-completion package.
enum BashCompletion {
    /// The script.
    static var script: String {
        """
        # bash completion for wsx
        # Made from the option table by "make generate"; changes here are lost.

        _wsx() {
            local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=
            COMPREPLY=()
            # '=' is a word of its own to bash.
            if [[ $current == '=' ]]; then
                current= previous+='='
            elif [[ $previous == '=' ]]; then
                previous=${COMP_WORDS[COMP_CWORD-2]}'='
            fi
            if ((COMP_CWORD > 1)); then
                command=${COMP_WORDS[1]}
                if ((COMP_CWORD > 2)); then
                    case "$command ${COMP_WORDS[2]}" in \(longCommands)) command+=" ${COMP_WORDS[2]}" ;; esac
                fi
                # A URL in place of a command is connected to.
                case "$command" in \(Command.allCases.map(word).joined(separator: " | "))) ;; *) command=connect ;; esac
            fi
            case "$command $previous" in
        \(valueCases)
            esac
            case "$command" in
        \(commandCases)
            esac
        }

        complete -F _wsx wsx

        """
    }

    /// The commands of two words.
    private static var longCommands: String {
        Command.allCases.filter { !Command.ofOneWord.contains($0) }.map(word).joined(separator: " | ")
    }

    /// The name of a command as one word of bash.
    private static func word(_ command: Command) -> String {
        command.words.count == 1 ? command.rawValue : "'\(command.rawValue)'"
    }

    /// What follows an option that takes a value.
    private static var valueCases: String {
        var lines: [String] = []
        for command in Command.allCases {
            let options = OptionTable.options(of: command)
            for option in options {
                guard let value = option.value, value.completion != .none else { continue }
                lines += [patterns([option], command)] + reply(value.completion).map { "    " + $0 }
                lines += ["    return", "    ;;"]
            }
            let free = options.filter { $0.value?.completion == ValueCompletion.none }
            if !free.isEmpty { lines += [patterns(free, command), "    return", "    ;;"] }
        }
        return indented(lines)
    }

    /// What stands where no value is due: an option, a command or an operand.
    private static var commandCases: String {
        var lines = [#""")"#] + words([offer(Command.ofOneWord.map(\.rawValue))], nil) + ["    ;;"]
        for command in Command.allCases {
            let operand = CommandSpecification.of(command).operands.first
            lines += ["\(word(command)))"]
            lines += words(operand.map { reply($0.completion) } ?? [], command) + ["    ;;"]
        }
        return indented(lines)
    }

    /// Offers options after a hyphen, and otherwise replies with operands: choices in the first place, files in each.
    private static func words(_ operands: [String], _ command: Command?) -> [String] {
        let options = OptionTable.options(of: command).flatMap(names)
        var lines = [
            "if [[ $current == -* ]]; then",
            "    " + offer(options),
        ]
        if !operands.isEmpty {
            let specification = command.map(CommandSpecification.of)
            let place = "((COMP_CWORD == \(1 + (command?.words.count ?? 0))))"
            let isRepeatable = specification?.operands.first?.isRepeatable ?? false
            lines.append(isRepeatable ? "else" : "elif \(place); then")
            lines += operands.map { "    " + $0 }
        }
        return (lines + ["fi"]).map { "    " + $0 }
    }

    /// The words after which a value is due: a long name with an equals sign, and any name when the value must follow.
    private static func patterns(_ options: [OptionSpecification], _ command: Command) -> String {
        let words = options.flatMap { option in
            (option.value?.implied == nil ? names(of: option) : []) + ["--\(option.long)="]
        }
        return words.map { "'\(command.rawValue) \($0)'" }.joined(separator: " | ") + ")"
    }

    private static func reply(_ completion: ValueCompletion) -> [String] {
        switch completion {
        case .none: []
        case .file: ["compopt -o filenames 2>/dev/null", "COMPREPLY=($(compgen -f -- \"$current\"))"]
        case .choices(let choices): [offer(choices.map(\.name))]
        }
    }

    private static func offer(_ words: [String]) -> String {
        "COMPREPLY=($(compgen -W $'\(words.joined(separator: "\\n"))' -- \"$current\"))"
    }

    private static func names(of option: OptionSpecification) -> [String] {
        [option.short.map { "-\($0)" }, "--" + option.long].compactMap { $0 }
    }

    private static func indented(_ lines: [String]) -> String {
        lines.map { "        " + $0 }.joined(separator: "\n")
    }
}
