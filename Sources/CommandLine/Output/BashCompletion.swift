/// Completion for bash 3.2 and later, without the bash-completion package.
struct BashCompletion {
    let program: ProgramDescription

    /// The script.
    var script: String {
        """
        # bash completion for \(program.name)
        # Made from the option table by "make generate"; changes here are lost.

        _\(program.name)() {
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
        \(implicitNote)
                case "$command" in
        \(indexCases)
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

        complete -F _\(program.name) \(program.name)

        """
    }

    /// The commands that consist of two words.
    private var longCommands: String {
        program.commands.filter { $0.words.count > 1 }.map(word).joined(separator: " | ")
    }

    /// The name of a command as one word of bash.
    private func word(_ command: CommandDescription) -> String {
        command.words.count == 1 ? command.name : "'\(command.name)'"
    }

    /// A script comment that names the command of a line without one.
    private var implicitNote: String {
        program.implicitCommand.map { "        # " + $0.note } ?? "        # A command comes first."
    }

    /// The index of the first word after each command.
    private var indexCases: String {
        let groups = Dictionary(grouping: program.commands) { $0.words.count }.sorted { $0.key < $1.key }
        let cases = groups.map { count, commands in
            "    \(commands.map(word).joined(separator: " | "))) index=\(count + 1) ;;"
        }
        return indented(cases + (program.implicitCommand.map { ["    *) command=\($0.name) ;;"] } ?? []))
    }

    /// The options with which a program follows `--`.
    private var programOptions: String {
        let words = program.commands.flatMap { command in
            command.operands.filter { $0.completion == .program }.compactMap(\.option)
                .map { "'\(command.name) --\($0)'" }
        }
        return words.joined(separator: " | ")
    }

    /// The options that require a value as a separate word.
    private var optionsWithValue: String {
        let words = program.commands.flatMap { command in
            command.options.filter { $0.value != nil && $0.value?.implied == nil }
                .flatMap(\.names).map { "'\(command.name) \($0)'" }
        }
        return words.joined(separator: " | ")
    }

    /// The completions of option values.
    private var valueCases: String {
        var lines: [String] = []
        for command in program.commands {
            let options = command.options
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

    /// The completions where no value is expected: options, commands, and operands.
    private var commandCases: String {
        let implicit = program.commands.first { $0.name == program.implicitCommand?.name }
        let first = program.commandsOfOneWord.map(\.name) + (implicit.map(urlPrefixes) ?? [])
        // Without a command, the options of the implicit command apply.
        let implicitOptions = implicit?.options ?? []
        let own = program.options.filter { option in !implicitOptions.contains { $0.long == option.long } }
        var lines = [#""")"#] + words([offer(first)], options: own + implicitOptions) + ["    ;;"]
        for command in program.commands {
            let operand = command.operands.first
            lines += ["\(word(command)))"]
            lines += words(
                operand.map { reply($0.completion, command) } ?? [], options: command.options,
                isRepeatable: operand?.isRepeatable ?? false)
            lines += ["    ;;"]
        }
        return indented(lines)
    }

    /// The URL prefixes that a command accepts.
    private func urlPrefixes(of command: CommandDescription) -> [String] {
        command.operands.flatMap { operand in
            if case .url(let prefixes) = operand.completion { prefixes } else { [] as [String] }
        }
    }

    /// Offers options after a hyphen. Otherwise offers choices for the first operand, and files for each operand.
    private func words(_ operands: [String], options: [OptionDescription], isRepeatable: Bool = false) -> [String] {
        var lines = [
            "if [[ $current == -* ]] && ((!end)); then",
            "    " + offer(options.flatMap(\.names)),
        ]
        if !operands.isEmpty {
            lines.append(isRepeatable ? "else" : "elif ((operands == 0)); then")
            lines += operands.map { "    " + $0 }
        }
        return (lines + ["fi"]).map { "    " + $0 }
    }

    /// The words before a value: a long name with an equals sign, and any name if the value is required.
    private func patterns(_ options: [OptionDescription], _ command: CommandDescription) -> String {
        let words = options.flatMap { option in
            (option.value?.implied == nil ? option.names : []) + ["--\(option.long)="]
        }
        return words.map { "'\(command.name) \($0)'" }.joined(separator: " | ") + ")"
    }

    private func reply(_ completion: ValueCompletion, _ command: CommandDescription? = nil) -> [String] {
        switch completion {
        // A program is completed separately, before this.
        case .none, .program: []
        case .directory: ["compopt -o filenames 2>/dev/null", "COMPREPLY=($(compgen -d -- \"$current\"))"]
        case .url(let prefixes):
            [offer((command.map(program.subcommands)?.compactMap(\.words.last) ?? []) + prefixes)]
        case .file: ["compopt -o filenames 2>/dev/null", "COMPREPLY=($(compgen -f -- \"$current\"))"]
        case .choices(let choices): [offer(choices.map(\.name))]
        }
    }

    private func offer(_ words: [String]) -> String {
        "COMPREPLY=($(compgen -W $'\(words.joined(separator: "\\n"))' -- \"$current\"))"
    }

    private func indented(_ lines: [String]) -> String {
        lines.map { "        " + $0 }.joined(separator: "\n")
    }
}
