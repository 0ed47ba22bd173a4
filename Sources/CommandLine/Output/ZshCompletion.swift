/// Completion for zsh, in a form that works both in the function path and with `source`.
struct ZshCompletion {
    let program: ProgramDescription

    /// The script.
    var script: String {
        """
        #compdef \(program.name)
        # Made from the option table by "make generate"; changes here are lost.

        _\(program.name)_url() {
            local -a prefixes=(${=1}) commands=("${@:2}") known
            (($#commands)) && _describe -t commands command commands
        \(lines(knownURLs, depth: 1))
            compadd -S '' -- $prefixes
        }

        _\(program.name)() {
            # \(program.implicitCommand?.note ?? "A command comes first.")
            local context state state_descr line command=\(program.implicitCommand?.name ?? "")
            local -a program
            typeset -A opt_args
            if ((CURRENT > 2)); then
                case $words[2] in
                \(program.commandsOfOneWord.map(\.name).joined(separator: " | ")))
                    command=$words[2]
                    shift words
                    ((CURRENT--))
                    ;;
                esac
        \(lines(program.commands.filter { $0.words.count == 2 }.flatMap(joining), depth: 2))
            elif [[ $words[2] != -* ]]; then
                _\(program.name)_url '\(urls?.prefixes.joined(separator: " ") ?? "")' \\
        \(lines(program.commandsOfOneWord.map(commandItem), depth: 3, ending: " \\"))
                return
            else
                program=(
        \(lines(programOptions, depth: 3))
                )
            fi
        \(lines(program.commands.flatMap(runningProgram), depth: 1))
            case $command in
        \(program.commands.map(commandCase).joined(separator: "\n"))
            esac
        }

        if [ "$funcstack[1]" = "_\(program.name)" ]; then
            _\(program.name) "$@"
        else
            compdef _\(program.name) \(program.name)
        fi

        """
    }

    /// The options that exist only without a command.
    private var programOptions: [String] {
        let implicit = implicitCommand?.options ?? []
        return program.options.filter { option in !implicit.contains { $0.long == option.long } }.map(specification)
    }

    private var implicitCommand: CommandDescription? {
        program.commands.first { $0.name == program.implicitCommand?.name }
    }

    /// The URL prefixes that commands accept, and the list of known URLs.
    private var urls: (prefixes: [String], list: String)? {
        program.commands.flatMap(\.operands).lazy.compactMap { operand -> (prefixes: [String], list: String)? in
            if case .url(let prefixes, let list) = operand.completion { (prefixes, list) } else { nil }
        }.first
    }

    /// Offers the profiles and URLs that the program knows.
    private var knownURLs: [String] {
        guard let urls else { return [] }
        return [
            "known=(${(f)\"$(\(program.name) \(CommandDescription.completionsName) \(urls.list) 2>/dev/null)\"})",
            "(($#known)) && compadd -a known",
        ]
    }

    /// Joins the two words of a command into one.
    private func joining(_ command: CommandDescription) -> [String] {
        let tests = command.words.enumerated().map { "$words[\($0 + 1)] == \($1)" }.joined(separator: " && ")
        return [
            "if [[ \(tests) ]] && ((CURRENT > 2)); then",
            "    shift words",
            "    ((CURRENT--))",
            "    command='\(command.name)'",
            "fi",
        ]
    }

    /// Completes the program after `--` and its arguments, as on a separate command line.
    private func runningProgram(_ command: CommandDescription) -> [String] {
        command.operands.filter { $0.completion == .program }.flatMap { operand in
            let option = operand.option.map { " && $words[(i)--\($0)] < end" } ?? ""
            return [
                "local end=$words[(i)--]",
                "if [[ $command == \(command.name) ]] && ((end < CURRENT\(option))); then",
                "    shift $end words",
                "    ((CURRENT -= end))",
                "    _normal",
                "    return",
                "fi",
            ]
        }
    }

    private func commandItem(_ command: CommandDescription) -> String {
        quoted("\(command.name):\(command.summary)")
    }

    private func commandCase(_ command: CommandDescription) -> String {
        let operands = command.operands.filter { !$0.isAfterEnd }.enumerated().map {
            index, operand in
            let place = operand.isRepeatable ? "*" : "\(index + 1)"
            return quoted("\(place):\(escape(operand.placeholder)):\(action(operand.completion, command))")
        }
        let items = command.options.map(specification) + operands
        return """
                \(command.words.count == 1 ? command.name : quoted(command.name)))
                    _arguments -s -S \(command.name == program.implicitCommand?.name ? "$program " : "")\\
            \(lines(items, depth: 4, ending: " \\"))
                    ;;
            """
    }

    /// The option in the syntax of `_arguments`: exclusions, names, summary, and value.
    private func specification(_ option: OptionDescription) -> String {
        let takesValue = option.value != nil
        // An optional value follows in the same word.
        let sign = option.value?.implied == nil ? "=" : "=-"
        let long = "--" + option.long + (takesValue ? sign : "")
        let short = option.short.map { "-\($0)" + (takesValue ? "+" : "") }
        var excluded = option.conflicts.filter { $0.value == nil }.map(\.words)
        if !option.repetition.isRepeatable { excluded += option.names }
        if option.isInformational { excluded = ["- *"] }
        let exclusion = option.repetition.isRepeatable ? "*" : "(\(excluded.joined(separator: " ")))"
        let value =
            option.value.map { value in
                (value.implied == nil ? ":" : "::") + "\(escape(value.placeholder)):\(action(value.completion))"
            } ?? ""
        let rest = quoted("[\(escape(option.summary))]\(value)")
        guard let short else { return "\(quoted(exclusion))\(long)\(rest)" }
        return "\(quoted(exclusion)){\(short),\(long)}\(rest)"
    }

    private func action(_ completion: ValueCompletion, _ command: CommandDescription? = nil) -> String {
        switch completion {
        case .none, .program: return " "
        case .directory: return "_files -/"
        case .url(let prefixes, _):
            let commands = command.map(program.subcommands) ?? []
            let items = commands.map { " \"\($0.words.last ?? "")\\:\(escape($0.summary))\"" }
            return " _\(program.name)_url \"\(escape(prefixes.joined(separator: " ")))\"" + items.joined()
        case .file: return "_files"
        case .choices(let choices):
            let words = choices.map { "\($0.name)\\:\"\(escape($0.summary))\"" }
            return "((\(words.joined(separator: " "))))"
        }
    }

    /// Escapes brackets and colons, which `_arguments` interprets.
    private func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "[" || character == "]" || character == ":" || character == "\\" { escaped += "\\" }
            escaped.append(character)
        }
        return escaped
    }

    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private func lines(_ items: [String], depth: Int, ending: String = "") -> String {
        let indentation = String(repeating: "    ", count: depth)
        return items.map { indentation + $0 }.joined(separator: ending + "\n")
    }
}
