/// Completion for zsh, in the form that its function path and `source` both take.
enum ZshCompletion {
    /// The script.
    static var script: String {
        """
        #compdef wsx
        # Made from the option table by "make generate"; changes here are lost.

        _wsx_url() {
            local -a commands=("$@")
            (($#)) && _describe -t commands command commands
            compadd -S '' -- \(ValueCompletion.urlPrefixes.joined(separator: " "))
        }

        _wsx() {
            # A URL in place of a command is connected to.
            local context state state_descr line command=connect
            local -a program
            typeset -A opt_args
            if ((CURRENT > 2)); then
                case $words[2] in
                \(Command.ofOneWord.map(\.rawValue).joined(separator: " | ")))
                    command=$words[2]
                    shift words
                    ((CURRENT--))
                    ;;
                esac
        \(lines(Command.allCases.filter { $0.words.count == 2 }.flatMap(joining), depth: 2))
            elif [[ $words[2] != -* ]]; then
                _wsx_url \\
        \(lines(Command.ofOneWord.map(commandItem), depth: 3, ending: " \\"))
                return
            else
                program=(
        \(lines(programOptions, depth: 3))
                )
            fi
        \(lines(Command.allCases.flatMap(runningProgram), depth: 1))
            case $command in
        \(Command.allCases.map(commandCase).joined(separator: "\n"))
            esac
        }

        if [ "$funcstack[1]" = "_wsx" ]; then
            _wsx "$@"
        else
            compdef _wsx wsx
        fi

        """
    }

    /// The options that only the program without a command has.
    private static var programOptions: [String] {
        OptionTable.options(of: nil).filter { !$0.belongs(to: .connect) }.map { specification($0, nil) }
    }

    /// Makes the two words of a command one.
    private static func joining(_ command: Command) -> [String] {
        let tests = command.words.enumerated().map { "$words[\($0 + 1)] == \($1)" }.joined(separator: " && ")
        return [
            "if [[ \(tests) ]] && ((CURRENT > 2)); then",
            "    shift words",
            "    ((CURRENT--))",
            "    command='\(command.rawValue)'",
            "fi",
        ]
    }

    /// Completes the program that follows `--`, and its words, as on a line of its own.
    private static func runningProgram(_ command: Command) -> [String] {
        CommandSpecification.of(command).operands.filter { $0.completion == .program }.compactMap(\.option).flatMap {
            [
                "local end=$words[(i)--]",
                "if [[ $command == \(command.rawValue) ]] && ((end < CURRENT && $words[(i)--\($0)] < end)); then",
                "    shift $end words",
                "    ((CURRENT -= end))",
                "    _normal",
                "    return",
                "fi",
            ]
        }
    }

    private static func commandItem(_ command: Command) -> String {
        quoted("\(command.rawValue):\(CommandSpecification.of(command).summary)")
    }

    private static func commandCase(_ command: Command) -> String {
        let operands = CommandSpecification.of(command).operands.filter { $0.option == nil }.enumerated().map {
            index, operand in
            let place = operand.isRepeatable ? "*" : "\(index + 1)"
            return quoted("\(place):\(escape(operand.placeholder)):\(action(operand.completion, command))")
        }
        let items = OptionTable.options(of: command).map { specification($0, command) } + operands
        return """
                \(command.words.count == 1 ? command.rawValue : quoted(command.rawValue)))
                    _arguments -s -S \(command == .connect ? "$program " : "")\\
            \(lines(items, depth: 4, ending: " \\"))
                    ;;
            """
    }

    /// The option as `_arguments` wants it: what it excludes, its names, summary and value.
    private static func specification(_ option: OptionSpecification, _ command: Command?) -> String {
        let takesValue = option.value != nil
        // A value that may be left out follows in the same word.
        let sign = option.value?.implied == nil ? "=" : "=-"
        let long = "--" + option.long + (takesValue ? sign : "")
        let short = option.short.map { "-\($0)" + (takesValue ? "+" : "") }
        var excluded = option.conflicts.filter { $0.value == nil }.map(\.words)
        if !option.isRepeatable { excluded += [option.short.map { "-\($0)" }, "--" + option.long].compactMap { $0 } }
        switch option.effect {
        case .help, .version: excluded = ["- *"]
        case .update: break
        }
        let exclusion = option.isRepeatable ? "*" : "(\(excluded.joined(separator: " ")))"
        let value =
            option.value.map { value in
                (value.implied == nil ? ":" : "::") + "\(escape(value.placeholder)):\(action(value.completion))"
            } ?? ""
        let rest = quoted("[\(escape(option.summary))]\(value)")
        guard let short else { return "\(quoted(exclusion))\(long)\(rest)" }
        return "\(quoted(exclusion)){\(short),\(long)}\(rest)"
    }

    private static func action(_ completion: ValueCompletion, _ command: Command? = nil) -> String {
        switch completion {
        case .none, .program: return " "
        case .directory: return "_files -/"
        case .url:
            let commands = command?.subcommands ?? []
            let items = commands.map { " \"\($0.words.last ?? "")\\:\(escape(CommandSpecification.of($0).summary))\"" }
            return " _wsx_url" + items.joined()
        case .file: return "_files"
        case .choices(let choices):
            let words = choices.map { "\($0.name)\\:\"\(escape($0.summary))\"" }
            return "((\(words.joined(separator: " "))))"
        }
    }

    /// Brackets and colons have a meaning to `_arguments`.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "[" || character == "]" || character == ":" || character == "\\" { escaped += "\\" }
            escaped.append(character)
        }
        return escaped
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    private static func lines(_ items: [String], depth: Int, ending: String = "") -> String {
        let indentation = String(repeating: "    ", count: depth)
        return items.map { indentation + $0 }.joined(separator: ending + "\n")
    }
}
