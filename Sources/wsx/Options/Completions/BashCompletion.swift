/// Completion for bash 3.2 and later, without the bash-completion package.
enum BashCompletion {
    /// The script.
    static var script: String {
        """
        # bash completion for wsx
        # Made from the option table by "make generate"; changes here are lost.

        _wsx() {
            local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=
            local index=1 word operands=0 end=0 runs=
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
                case "$command" in
        \(indexCases)
                    *) command=connect ;;
                esac
            fi
            # Counts the operands before the current word. The value of an option is not one.
            for ((; index < COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if ((end)); then
                    ((operands++))
                    continue
                fi
                case "$word" in
                    --) end=$index ;;
                    =) ((index++)) ;;
                    -?*)
                        case "$command $word" in
                            \(programOptions)) runs=1 ;;
                            \(optionsWithValue))
                                [[ ${COMP_WORDS[index+1]} == '=' ]] || ((index++))
                                ;;
                        esac
                        ;;
                    *) ((operands++)) ;;
                esac
            done
            if ((end)) && [[ $runs ]]; then
                # bash-completion knows what the program takes.
                if declare -F _command_offset >/dev/null; then
                    IFS=$' \\t\\n'
                    _command_offset $((end + 1))
                elif ((COMP_CWORD == end + 1)) && [[ $current != */* ]]; then
                    COMPREPLY=($(compgen -c -- "$current"))
                else
                    compopt -o filenames 2>/dev/null
                    COMPREPLY=($(compgen -f -- "$current"))
                fi
                return
            fi
            if ((!end)); then
                case "$command $previous" in
        \(valueCases)
                esac
            fi
            case "$command" in
        \(commandCases)
            esac
            if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:/] ]]; then
                compopt -o nospace 2>/dev/null
            fi
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

    /// Where the words after a command begin.
    private static var indexCases: String {
        let groups = Dictionary(grouping: Command.allCases) { $0.words.count }.sorted { $0.key < $1.key }
        return indented(
            groups.map { count, commands in
                "    \(commands.map(word).joined(separator: " | "))) index=\(count + 1) ;;"
            })
    }

    /// The options after which a program stands behind `--`.
    private static var programOptions: String {
        let words = Command.allCases.flatMap { command in
            CommandSpecification.of(command).operands.filter { $0.completion == .program }.compactMap(\.option)
                .map { "'\(command.rawValue) --\($0)'" }
        }
        return words.joined(separator: " | ")
    }

    /// The options that a value must follow.
    private static var optionsWithValue: String {
        let words = Command.allCases.flatMap { command in
            OptionTable.options(of: command).filter { $0.value != nil && $0.value?.implied == nil }
                .flatMap(names).map { "'\(command.rawValue) \($0)'" }
        }
        return words.joined(separator: " | ")
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
        return indented(lines.map { "    " + $0 })
    }

    /// What stands where no value is due: an option, a command or an operand.
    private static var commandCases: String {
        let first = Command.ofOneWord.map(\.rawValue) + ValueCompletion.urlPrefixes
        var lines = [#""")"#] + words([offer(first)], nil) + ["    ;;"]
        for command in Command.allCases {
            let operand = CommandSpecification.of(command).operands.first
            lines += ["\(word(command)))"]
            lines += words(operand.map { reply($0.completion, command) } ?? [], command) + ["    ;;"]
        }
        return indented(lines)
    }

    /// Offers options after a hyphen, and otherwise replies with operands: choices in the first place, files in each.
    private static func words(_ operands: [String], _ command: Command?) -> [String] {
        // Without a command the options are those of connect.
        let program = command == nil ? OptionTable.options(of: nil).filter { !$0.belongs(to: .connect) } : []
        let options = (program + OptionTable.options(of: command ?? .connect)).flatMap(names)
        var lines = [
            "if [[ $current == -* ]] && ((!end)); then",
            "    " + offer(options),
        ]
        if !operands.isEmpty {
            let specification = command.map(CommandSpecification.of)
            let isRepeatable = specification?.operands.first?.isRepeatable ?? false
            lines.append(isRepeatable ? "else" : "elif ((operands == 0)); then")
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

    private static func reply(_ completion: ValueCompletion, _ command: Command? = nil) -> [String] {
        switch completion {
        // A program is completed before anything else.
        case .none, .program: []
        case .directory: ["compopt -o filenames 2>/dev/null", "COMPREPLY=($(compgen -d -- \"$current\"))"]
        case .url: [offer((command?.subcommands.compactMap(\.words.last) ?? []) + ValueCompletion.urlPrefixes)]
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
