/// Completion for fish.
enum FishCompletion {
    /// The script.
    static var script: String {
        var lines = [
            "# fish completion for wsx",
            "# Made from the option table by \"make generate\"; changes here are lost.",
            "",
            "function __wsx_completes_url",
            "    not string match -qr '[:/.]|^localhost$' -- (commandline -opc)[2..-1]",
            "end",
            "",
            "function __wsx_complete_program",
            "    set -l words (commandline -opc)",
            "    set -l end (contains -i -- -- $words)",
            "    complete -C (string join ' ' -- (string escape -- $words[(math $end + 1)..-1]) (commandline -ct))",
            "end",
            "",
            "complete -c wsx -f",
        ]
        for command in Command.ofOneWord {
            let summary = quoted(CommandSpecification.of(command).summary)
            lines.append("complete -c wsx -n __fish_use_subcommand -a \(command.rawValue) -d \(summary)")
        }
        lines += OptionTable.options(of: nil).filter { !$0.belongs(to: .connect) }.map {
            line($0, condition: "__fish_use_subcommand")
        }
        for command in Command.allCases {
            let condition = quoted(Self.condition(of: command))
            lines.append("")
            for operand in CommandSpecification.of(command).operands {
                switch operand.completion {
                case .none: break
                case .file: lines.append("complete -c wsx -n \(condition) -F")
                case .directory: lines.append("complete -c wsx -n \(condition) -a '(__fish_complete_directories)'")
                case .program:
                    let option = operand.option.map { "; and contains -- --\($0) (commandline -opc)" } ?? ""
                    let place = quoted(Self.condition(of: command) + option + "; and contains -- -- (commandline -opc)")
                    lines.append("complete -c wsx -n \(place) -a '(__wsx_complete_program)'")
                case .url:
                    let place = quoted(Self.condition(of: command) + "; and __wsx_completes_url")
                    let prefixes = ValueCompletion.urlPrefixes.joined(separator: " ")
                    lines.append("complete -c wsx -n \(place) -a \(quoted(prefixes))")
                    for sub in command.subcommands {
                        let summary = quoted(CommandSpecification.of(sub).summary)
                        lines.append("complete -c wsx -n \(place) -a \(sub.words.last ?? "") -d \(summary)")
                    }
                case .choices(let choices): lines.append("complete -c wsx -n \(condition) -a \(words(choices))")
                }
            }
            lines += OptionTable.options(of: command).map { line($0, condition: condition) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// When a command's options are offered. A URL in place of a command is connected to.
    private static func condition(of command: Command) -> String {
        let longer = command.subcommands
        guard command == .connect else {
            let words = command.words.map { "__fish_seen_subcommand_from \($0)" }
            let others = longer.compactMap(\.words.last).map { "not __fish_seen_subcommand_from \($0)" }
            return (words + others).joined(separator: "; and ")
        }
        let others = Command.ofOneWord.filter { $0 != .connect }.map(\.rawValue).joined(separator: " ")
        return "not __fish_seen_subcommand_from \(others)"
    }

    private static func line(_ option: OptionSpecification, condition: String) -> String {
        var line = "complete -c wsx -n \(condition)"
        if let short = option.short { line += " -s \(short)" }
        line += " -l \(option.long)"
        switch option.value?.completion {
        case nil: break
        case .choices(let choices)? where option.value?.implied != nil: line += " -a \(words(choices))"
        case ValueCompletion.none?, .program?, .url?: line += " -x"
        case .directory?: line += " -x -a '(__fish_complete_directories)'"
        case .file?: line += " -r -F"
        case .choices(let choices)?: line += " -x -a \(words(choices))"
        }
        return line + " -d \(quoted(option.summary))"
    }

    /// Words to choose from, each with its meaning, as one argument.
    private static func words(_ choices: [ValueChoice]) -> String {
        // fish expands the argument once more, so each meaning is quoted within it.
        let lines = choices.map { "\($0.name)\\t\(quoted($0.summary))" }
        return "\"" + lines.joined(separator: " ") + "\""
    }

    private static func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "'" || character == "\\" { escaped += "\\" }
            escaped.append(character)
        }
        return "'" + escaped + "'"
    }
}
