/// Completion for fish.
struct FishCompletion {
    let program: ProgramDescription

    /// The script.
    var script: String {
        let name = program.name
        var lines = [
            "# fish completion for \(name)",
            "# Made from the option table by \"make generate\"; changes here are lost.",
            "",
            "function __\(name)_completes_url",
            "    not string match -qr '[:/.]|^localhost$|^@' -- (commandline -opc)[2..-1]",
            "end",
            "",
            "function __\(name)_complete_program",
            "    set -l words (commandline -opc)",
            "    set -l end (contains -i -- -- $words)",
            "    complete -C (string join ' ' -- (string escape -- $words[(math $end + 1)..-1]) (commandline -ct))",
            "end",
            "",
            "complete -c \(program.name) -f",
        ]
        for command in program.commandsOfOneWord {
            let summary = quoted(command.summary)
            lines.append("complete -c \(program.name) -n __fish_use_subcommand -a \(command.name) -d \(summary)")
        }
        let implicit = program.commands.first { $0.name == program.implicitCommand?.name }?.options ?? []
        lines += program.options.filter { option in !implicit.contains { $0.long == option.long } }.map {
            line($0, condition: "__fish_use_subcommand")
        }
        for command in program.commands {
            let condition = quoted(self.condition(of: command))
            lines.append("")
            for (index, operand) in command.operands.enumerated() {
                switch operand.completion {
                case .none: break
                case .file: lines.append("complete -c \(program.name) -n \(condition) -F")
                case .directory:
                    lines.append("complete -c \(program.name) -n \(condition) -a '(__fish_complete_directories)'")
                case .program:
                    let option = operand.option.map { "; and contains -- --\($0) (commandline -opc)" } ?? ""
                    let place = quoted(self.condition(of: command) + option + "; and contains -- -- (commandline -opc)")
                    lines.append("complete -c \(program.name) -n \(place) -a '(__\(name)_complete_program)'")
                case .url(let prefixes, let list):
                    // The address before a URL may contain colons and dots.
                    let test =
                        index == 0
                        ? "__\(name)_completes_url" : "not string match -qr '//|^@' -- (commandline -opc)[2..-1]"
                    let place = quoted(self.condition(of: command) + "; and " + test)
                    let known = "(\(name) \(CommandDescription.completionsName) \(list) 2>/dev/null)"
                    let words = (prefixes + [known]).joined(separator: " ")
                    lines.append("complete -c \(program.name) -n \(place) -a \(quoted(words))")
                    for sub in program.subcommands(of: command) {
                        let summary = quoted(sub.summary)
                        lines.append("complete -c \(program.name) -n \(place) -a \(sub.words.last ?? "") -d \(summary)")
                    }
                case .choices(let choices):
                    lines.append("complete -c \(program.name) -n \(condition) -a \(words(choices))")
                }
            }
            lines += command.options.map { line($0, condition: condition) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The condition under which a command's options are offered. Those of the implicit command are also offered
    /// without a command.
    private func condition(of command: CommandDescription) -> String {
        let longer = program.subcommands(of: command)
        guard command.name == program.implicitCommand?.name else {
            let words = command.words.map { "__fish_seen_subcommand_from \($0)" }
            let others = longer.compactMap(\.words.last).map { "not __fish_seen_subcommand_from \($0)" }
            return (words + others).joined(separator: "; and ")
        }
        let others = program.commandsOfOneWord.filter { $0.name != command.name }.map(\.name).joined(separator: " ")
        return "not __fish_seen_subcommand_from \(others)"
    }

    private func line(_ option: OptionDescription, condition: String) -> String {
        var line = "complete -c \(program.name) -n \(condition)"
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

    /// The choices with their descriptions, as one argument.
    private func words(_ choices: [ValueChoice]) -> String {
        // fish expands the argument again, so each description is quoted within it.
        let lines = choices.map { "\($0.name)\\t\(quoted($0.summary))" }
        return "\"" + lines.joined(separator: " ") + "\""
    }

    private func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "'" || character == "\\" { escaped += "\\" }
            escaped.append(character)
        }
        return "'" + escaped + "'"
    }
}
