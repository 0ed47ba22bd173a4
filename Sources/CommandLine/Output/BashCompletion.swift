/// Completion for bash 3.2 and later, without the bash-completion package.
struct BashCompletion {
    let program: ProgramDescription

    /// The script.
    var script: String {
        """
        # bash completion for \(program.name)
        # Made from the option table by "make generate"; changes here are lost.

        # Offers the words, and the profiles and URLs that the program knows, as continuations of $full.
        _\(program.name)_urls() {
            local word cut=
            # Readline replaces only the part after the last character that ends a word.
            if [[ $full != "$current" || ($current == [:@] && $COMP_WORDBREAKS == *"$current"*) ]]; then
                cut=${full%"${full##*[:@=]}"}
                # With hostcomplete, which is the default, it replaces '@' as well.
                if shopt -q hostcomplete; then cut=${cut%@}; fi
            fi
            while read -r word; do
                if [[ $word == "$full"* ]]; then
                    printf -v word %q "${word#"$cut"}"
                    COMPREPLY+=("$word")
                fi
            done < <(
                "$1" \(CommandDescription.completionsName) "$2" 2>/dev/null
                shift 2
                printf '%s\\n' "$@"
            )
        }

        _\(program.name)() {
            local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=
            local index=1 word operands=0 end=0 runs= counts=0 joins=
            # Colons and '@' end a word for bash. The whole word before the cursor:
            local full=${COMP_LINE:0:COMP_POINT}
            full=${full##*[[:space:]]}
            [[ $full == *"$current" ]] || full=$current
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
                counts=0 joins=
                case "$word" in
                    --)
                        end=$index
                        case "$command" in \(programCommands)) runs=1 ;; esac
                        ;;
                    =) ((index++)); joins=1 ;;
                    -?*)
                        case "$command $word" in
                            \(programOptions)) runs=1 ;;
                            \(optionsWithValue))
                                [[ ${COMP_WORDS[index+1]} == '=' ]] || ((index++))
                                joins=1
                                ;;
                        esac
                        ;;
                    [:@]) ((operands++, index++)); counts=1 joins=1 ;;
                    *) ((operands++)); counts=1 joins=1 ;;
                esac
                while [[ $joins && ${COMP_WORDS[index+1]} == : ]] && ((index + 1 < COMP_CWORD)); do
                    ((index += 2))
                done
            done
            if [[ $full != "$current" && $full != -* ]]; then
                # The beginning of the current word was counted, or is the value of an option.
                ((counts)) || return
                ((operands--))
            fi
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

    /// The commands in which a program follows `--` without an option.
    private var programCommands: String {
        program.commands.filter { $0.operands.contains(where: \.followsEnd) }.map { "'\($0.name)'" }
            .joined(separator: " | ")
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
        let urls = implicit?.operands.first.map { reply($0.completion) } ?? []
        // Without a command, the options of the implicit command apply.
        let implicitOptions = implicit?.options ?? []
        let own = program.options.filter { option in !implicitOptions.contains { $0.long == option.long } }
        let first = [offer(program.commandsOfOneWord.map(\.name))] + urls
        var lines = [#""")"#] + words(first, options: own + implicitOptions) + ["    ;;"]
        for command in program.commands {
            let index = command.operands.firstIndex { !$0.isAfterEnd && $0.completion != .none }
            let operand = index.map { command.operands[$0] }
            lines += ["\(word(command)))"]
            lines += words(
                operand.map { reply($0.completion, command) } ?? [], at: index ?? 0, options: command.options,
                isRepeatable: operand?.isRepeatable ?? false)
            lines += ["    ;;"]
        }
        return indented(lines)
    }

    /// Offers options after a hyphen. Otherwise offers choices for the operand at `index`, or files for each operand.
    private func words(
        _ operands: [String], at index: Int = 0, options: [OptionDescription], isRepeatable: Bool = false
    ) -> [String] {
        var lines = [
            "if [[ $current == -* ]] && ((!end)); then",
            "    " + offer(options.flatMap(\.names)),
        ]
        if !operands.isEmpty {
            lines.append(isRepeatable ? "else" : "elif ((operands == \(index))); then")
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
        case .url(let prefixes, let list):
            offers(subcommandsOf: command) + [
                "_\(program.name)_urls \"${1:-\(program.name)}\" \(list) \(prefixes.joined(separator: " "))"
            ]
        case .file: ["compopt -o filenames 2>/dev/null", "COMPREPLY=($(compgen -f -- \"$current\"))"]
        case .choices(let choices): [offer(choices.map(\.name))]
        }
    }

    private func offers(subcommandsOf command: CommandDescription?) -> [String] {
        let words = command.map(program.subcommands)?.compactMap(\.words.last) ?? []
        return words.isEmpty ? [] : [offer(words)]
    }

    private func offer(_ words: [String]) -> String {
        "COMPREPLY=($(compgen -W $'\(words.joined(separator: "\\n"))' -- \"$current\"))"
    }

    private func indented(_ lines: [String]) -> String {
        lines.map { "        " + $0 }.joined(separator: "\n")
    }
}
