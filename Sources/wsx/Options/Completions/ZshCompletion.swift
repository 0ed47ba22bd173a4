/// Completion for zsh, in the form that its function path and `source` both take.
enum ZshCompletion {
    /// The script.
    static var script: String {
        """
        #compdef wsx
        # Made from the option table by "make generate"; changes here are lost.

        _wsx() {
            local context state state_descr line
            local -a commands
            typeset -A opt_args
            commands=(
        \(lines(Command.ofOneWord.map(commandItem), depth: 2))
            )
            _arguments -s -S \\
        \(lines(OptionTable.options(of: nil).map { specification($0, nil) }, depth: 2, ending: " \\")) \\
                '1:command:->command' \\
                '*::argument:->arguments'
            case $state in
            command)
                _describe -t commands command commands
                ;;
            arguments)
        \(lines(Command.allCases.filter { $0.words.count == 2 }.flatMap(joining), depth: 2))
                # A URL in place of a command is connected to.
                case $words[1] in
        \((Command.allCases.filter { $0 != .connect } + [.connect]).map(commandCase).joined(separator: "\n"))
                esac
                ;;
            esac
        }

        if [ "$funcstack[1]" = "_wsx" ]; then
            _wsx "$@"
        else
            compdef _wsx wsx
        fi

        """
    }

    /// Makes the two words of a command one.
    private static func joining(_ command: Command) -> [String] {
        let tests = command.words.enumerated().map { "$words[\($0 + 1)] == \($1)" }.joined(separator: " && ")
        return [
            "if [[ \(tests) ]] && ((CURRENT > 2)); then",
            "    shift words",
            "    ((CURRENT--))",
            "    words[1]='\(command.rawValue)'",
            "fi",
        ]
    }

    private static func commandItem(_ command: Command) -> String {
        quoted("\(command.rawValue):\(CommandSpecification.of(command).summary)")
    }

    private static func commandCase(_ command: Command) -> String {
        let operands = CommandSpecification.of(command).operands.filter { $0.option == nil }.enumerated().map {
            index, operand in
            let place = operand.isRepeatable ? "*" : "\(index + 1)"
            return quoted("\(place):\(escape(operand.placeholder)):\(action(operand.completion))")
        }
        let items = OptionTable.options(of: command).map { specification($0, command) } + operands
        return """
                    \(command == .connect ? "*" : command.words.count == 1 ? command.rawValue : quoted(command.rawValue)))
                        _arguments -s -S \\
            \(lines(items, depth: 5, ending: " \\"))
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

    private static func action(_ completion: ValueCompletion) -> String {
        switch completion {
        case .none: return " "
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
