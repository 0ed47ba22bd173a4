/// The help that goes to standard output, at most 80 columns wide.
enum HelpText {
    static let columns = 80

    /// The answer to `-h`: one line an option.
    static func short(_ specification: CommandSpecification) -> String {
        var lines = opening(specification)
        lines += operandsAndCommands(specification)
        let groups = OptionTable.groups(of: specification.command)
        let width = groups.flatMap(\.options).map { label($0).count }.max() ?? 0
        for (group, options) in groups {
            lines += ["", group.rawValue + ":"]
            for option in options {
                let standard = option.defaultValue.map { " [\($0)]" } ?? ""
                lines.append("  " + padded(label(option), width) + "  " + option.summary + standard)
            }
        }
        lines += closing(specification, knowsLongHelp: false)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The answer to `--help`: what the manual says of every option.
    static func long(_ specification: CommandSpecification) -> String {
        var lines = opening(specification)
        for case .paragraph(let text) in specification.description {
            lines.append("")
            lines += wrapped(text.plain, indentation: 0)
        }
        lines += operandsAndCommands(specification)
        for (group, options) in OptionTable.groups(of: specification.command) {
            lines += ["", group.rawValue + ":"]
            for option in options {
                lines.append("  " + label(option))
                lines += explanation(option)
            }
        }
        for section in specification.sections where section.title == ManualSection.exitStatus.title {
            lines += ["", "Exit status:"]
            for case .definitions(let definitions) in section.blocks {
                lines += definitions.flatMap { listed($0.term.plain, $0.text.plain, width: 3) }
            }
        }
        if !specification.examples.isEmpty {
            lines += ["", "Examples:"]
            for example in specification.examples {
                lines += ["  # " + example.purpose, "  " + example.line]
            }
        }
        lines += closing(specification, knowsLongHelp: true)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The names of an option and its value: `-n, --count N`.
    private static func label(_ option: OptionSpecification) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        let value = option.value?.suffix() ?? ""
        return short + "--" + option.long + value
    }

    private static func opening(_ specification: CommandSpecification) -> [String] {
        var lines = ["\(specification.name): \(specification.summary)", "", "Usage: \(specification.synopsis)"]
        if specification.command == nil { lines.append("       " + CommandSpecification.shortSynopsis) }
        return lines
    }

    private static func closing(_ specification: CommandSpecification, knowsLongHelp: Bool) -> [String] {
        let page = specification.manualName + "(1)"
        return switch specification.command {
        case nil: ["", "'wsx COMMAND -h' lists a command's options, 'wsx COMMAND --help' explains them."]
        case .connect, .listen, .bench, .merge:
            ["", knowsLongHelp ? "\(page) tells more." : "'\(specification.name) --help' and \(page) tell more."]
        case .help, .completions: []
        }
    }

    private static func operandsAndCommands(_ specification: CommandSpecification) -> [String] {
        var lines: [String] = []
        if specification.command == nil {
            let width = Command.allCases.map(\.rawValue.count).max() ?? 0
            lines += ["", "Commands:"]
            for command in Command.allCases {
                lines += listed(command.rawValue, CommandSpecification.of(command).summary, width: width)
            }
        }
        if !specification.operands.isEmpty {
            let width = specification.operands.map(\.synopsis.count).max() ?? 0
            lines += ["", "Operands:"]
            for operand in specification.operands {
                lines += listed(operand.synopsis, operand.summary, width: width)
            }
        }
        return lines
    }

    private static func explanation(_ option: OptionSpecification) -> [String] {
        var lines = option.manual.flatMap { wrapped($0.plain, indentation: 10) }
        let choices = option.value?.completion.choices ?? []
        let width = choices.map(\.name.count).max() ?? 0
        for choice in choices {
            lines.append(spaces(12) + padded(choice.name, width) + "  " + choice.summary)
        }
        for note in option.notes {
            lines += wrapped(note.plain, indentation: 10)
        }
        return lines
    }

    /// A term and its meaning beside it.
    private static func listed(_ term: String, _ text: String, width: Int) -> [String] {
        let indentation = 2 + width + 2
        var lines = wrapped(text, indentation: indentation)
        if let first = lines.first {
            lines[0] = "  " + padded(term, width) + "  " + first.dropFirst(indentation)
        }
        return lines
    }

    /// The words of `text` on lines of at most `columns` characters.
    static func wrapped(_ text: String, indentation: Int, columns: Int = HelpText.columns) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indentation + line.count + 1 + word.count > columns {
                lines.append(spaces(indentation) + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(spaces(indentation) + line) }
        return lines
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + spaces(width - text.count)
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}
