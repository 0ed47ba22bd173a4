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
                # A URL in place of a command is connected to.
                case "$command" in \(Command.allCases.map(\.rawValue).joined(separator: " | "))) ;; *) command=connect ;; esac
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
        var lines = [#""")"#] + words(Command.allCases.map(\.rawValue), nil) + ["    ;;"]
        for command in Command.allCases {
            let operand = CommandSpecification.of(command).operands.first
            lines += ["\(command.rawValue))"]
            lines += words(operand?.completion.choices.map(\.name) ?? [], command) + ["    ;;"]
        }
        return indented(lines)
    }

    /// Offers options after a hyphen, and otherwise `operands` in the second place.
    private static func words(_ operands: [String], _ command: Command?) -> [String] {
        let options = OptionTable.options(of: command).flatMap(names)
        var lines = [
            "if [[ $current == -* ]]; then",
            "    " + offer(options),
        ]
        if !operands.isEmpty {
            lines += [
                "elif ((COMP_CWORD == \(command == nil ? 1 : 2))); then",
                "    " + offer(operands),
            ]
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
