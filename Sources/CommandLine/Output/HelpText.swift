/// The help that goes to standard output, as wide as the program's description says. Only examples, tables, and the names
/// of options may be wider.
public enum HelpText {
    /// The default width, in characters.
    public static let columns = ProgramDescription.usualHelpColumns
    /// The minimum width of a summary beside an option.
    private static let fewestSummaryColumns = 24

    /// The text of `-h`: one line per option.
    /// - Parameter command: The command to explain; nil: the program.
    public static func short(of command: CommandDescription?, _ program: ProgramDescription) -> String {
        var lines = opening(command, program)
        lines += operandsAndCommands(command, program)
        let groups = program.options(byHeadingOf: command)
        let width = groups.flatMap(\.options).map { label($0).count }.max() ?? 0
        let isNarrow = program.helpColumns - width - 4 < fewestSummaryColumns
        for (heading, options) in groups {
            lines += ["", heading.title + ":"]
            for option in options {
                let summary = option.summary + (option.defaultValue.map { " [\($0)]" } ?? "")
                if isNarrow {
                    lines += ["  " + label(option)] + wrapped(summary, indentation: 10, program)
                } else {
                    lines += listed(label(option), summary, width: width, program)
                }
            }
        }
        lines += closing(command, program, knowsLongHelp: false)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The explanation of one option in each command that has it. Commands with the same explanation share it.
    /// - Throws: ``UsageError/unknownOption(_:nearest:command:)`` if no command has the option.
    static func explanation(of typed: String, _ program: ProgramDescription) throws(UsageError) -> String {
        let style = program.textStyle
        var parts: [(names: String, option: [String], lines: [String])] = []
        for command in program.commands {
            guard let option = command.options.first(where: { $0.isNamed(typed) }), !option.isInformational else {
                continue
            }
            let name = program.fullName(of: command)
            let withoutExample = explanation(option, example: nil, style, program)
            if let index = parts.firstIndex(where: { $0.option == withoutExample }) {
                parts[index].names += ", " + name
            } else {
                let example = program.example(of: option, in: command)
                parts.append((name, withoutExample, explanation(option, example: example, style, program)))
            }
        }
        if let option = program.options.first(where: { $0.isNamed(typed) }) {
            parts.append((program.name, [], explanation(option, example: nil, style, program)))
        }
        guard !parts.isEmpty else {
            let names = Set(program.commands.flatMap { $0.options.map(\.long) }).sorted()
            throw .unknownOption(
                typed, nearest: EditDistance.nearest(to: String(typed.drop { $0 == "-" }), among: names),
                command: CommandDescription.helpName)
        }
        return parts.map { $0.names + ":\n" + $0.lines.map { $0 + "\n" }.joined() }.joined(separator: "\n")
    }

    /// The explanation of one option of a command.
    /// - Throws: ``UsageError`` if the command does not have the option.
    static func explanation(
        of typed: String, in command: CommandDescription, _ program: ProgramDescription
    ) throws(UsageError) -> String {
        guard let option = command.options.first(where: { $0.isNamed(typed) }) else {
            throw program.unknownOption(typed, intended: String(typed.drop { $0 == "-" }), of: command)
        }
        let example = program.example(of: option, in: command)
        return explanation(option, example: example, program.textStyle, program).joined(separator: "\n") + "\n"
    }

    /// The text of `--help`: the manual texts of all options.
    /// - Parameter command: The command to explain; nil: the program.
    public static func long(of command: CommandDescription?, _ program: ProgramDescription) -> String {
        let manual = command?.manual ?? program.manual
        var lines = opening(command, program)
        let style = program.textStyle
        for case .paragraph(let text) in manual.description {
            lines.append("")
            lines += wrapped(style.plain(text), indentation: 0, program)
        }
        lines += operandsAndCommands(command, program)
        for (heading, options) in program.options(byHeadingOf: command) {
            lines += ["", heading.title + ":"]
            for option in options {
                let example = command.flatMap { program.example(of: option, in: $0) }
                lines += explanation(option, example: example, style, program)
            }
        }
        for section in manual.sections where section.title == ManualSection.exitStatusTitle {
            lines += ["", "Exit status:"]
            for case .definitions(let definitions) in section.blocks {
                lines += definitions.flatMap {
                    listed($0.term.plain, style.plain($0.text), width: max(3, $0.term.plain.count), program)
                }
            }
        }
        if command == nil { lines += topics(program) }
        if !manual.examples.isEmpty {
            lines += ["", "Examples:"]
            for example in manual.examples {
                lines += wrapped(example.purpose, indentation: 4, program).map { "  # " + $0.dropFirst(4) }
                lines += example.line.split(separator: "\n").map { "  " + $0 }
            }
        }
        lines += closing(command, program, knowsLongHelp: true)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The names of all topics, by manual page.
    private static func topics(_ program: ProgramDescription) -> [String] {
        var seen: Set<String> = []
        var pages = program.sectionsByPage().map { page in
            (page.page, page.sections.flatMap { [$0.name] + $0.aliases }.filter { seen.insert($0).inserted })
        }
        pages.append(("prompt commands", program.promptCommands.map(\.name)))
        pages = pages.filter { !$0.1.isEmpty }
        guard !pages.isEmpty else { return [] }
        let hint = "'\(program.name) help TOPIC' explains a command, an option such as --header, or one of these:"
        let width = pages.map(\.0.count).max() ?? 0
        return ["", "Topics:"] + wrapped(hint, indentation: 2, program)
            + pages.flatMap { listed($0.0, $0.1.joined(separator: ", "), width: width, program) }
    }

    /// The sections of a page, and its options as the first command with each one has it.
    static func text(of page: TopicPage, _ program: ProgramDescription) -> String {
        let style = program.textStyle
        var parts = page.sections.map { text(of: $0, program) }
        for (heading, names) in page.options {
            let commands = program.commands.filter { names.contains($0.name) }
            var seen: Set<String> = []
            var lines = [heading.title + ":"]
            for command in commands {
                for option in command.options where option.heading == heading && seen.insert(option.long).inserted {
                    lines += explanation(option, example: program.example(of: option, in: command), style, program)
                }
            }
            parts.append(lines.map { $0 + "\n" }.joined())
        }
        return parts.joined(separator: "\n")
    }

    /// A section under its title.
    static func text(of section: ManualSection, _ program: ProgramDescription) -> String {
        ([section.title + ":"] + lines(of: section.blocks, program.textStyle, program)).map { $0 + "\n" }.joined()
    }

    /// A part of a section under its name and summary.
    static func text(of subtopic: ManualSubtopic, _ program: ProgramDescription) -> String {
        let lines = wrapped("\(subtopic.name): \(subtopic.summary)", indentation: 0, program)
        guard !subtopic.blocks.isEmpty else { return lines.map { $0 + "\n" }.joined() }
        return (lines + [""] + self.lines(of: subtopic.blocks, program.textStyle, program)).map { $0 + "\n" }.joined()
    }

    /// Blocks, separated by empty lines.
    private static func lines(
        of blocks: [ManualBlock], _ style: TextStyle, _ program: ProgramDescription
    ) -> [String] {
        blocks.enumerated().flatMap { index, block in (index > 0 ? [""] : []) + lines(of: block, style, program) }
    }

    /// A block of a section, indented.
    private static func lines(
        of block: ManualBlock, _ style: TextStyle, _ program: ProgramDescription
    ) -> [String] {
        switch block {
        case .heading(let text): return [" " + text + ":"]
        case .paragraph(let text): return wrapped(style.plain(text), indentation: 2, program)
        case .definitions(let definitions):
            return definitions.flatMap {
                ["  " + $0.term.plain] + wrapped(style.plain($0.text), indentation: 10, program)
            }
        case .listing(let listing): return listing.map { $0.isEmpty ? "" : "    " + $0 }
        case .table(let headings, let rows):
            let lines = [headings] + rows
            let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
            return lines.map { cells in
                let padded = zip(cells, widths).dropLast().map { self.padded($0, $1) }
                return "  " + (padded + [cells.last ?? ""]).joined(separator: "  ")
            }
        }
    }

    /// The names of an option and its value: `-n, --count N`.
    private static func label(_ option: OptionDescription) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        let value = option.value?.suffix() ?? ""
        return short + "--" + option.long + value
    }

    private static func opening(_ command: CommandDescription?, _ program: ProgramDescription) -> [String] {
        let summary = command?.summary ?? program.summary
        var lines = wrapped("\(program.fullName(of: command)): \(summary)", indentation: 0, program)
        var usage = wrapped(program.synopsis(of: command), indentation: 7, program)
        usage[0] = "Usage: " + usage[0].dropFirst(7)
        lines += [""] + usage
        if command == nil, let synopsis = program.shortSynopsis {
            lines += wrapped(synopsis, indentation: 7, program)
        }
        return lines
    }

    private static func closing(
        _ command: CommandDescription?, _ program: ProgramDescription, knowsLongHelp: Bool
    ) -> [String] {
        let name = program.fullName(of: command)
        guard let command else {
            let hint =
                "'\(name) COMMAND -h' lists a command's options, '\(name) COMMAND --help' explains them."
                + (knowsLongHelp ? "" : " '\(name) help' lists the topics of '\(name) help TOPIC'.")
            return [""] + wrapped(hint, indentation: 0, program)
        }
        guard command.hasPage else { return [] }
        let page = program.manualName(of: command) + "(1)"
        let hint = knowsLongHelp ? "\(page) tells more." : "'\(name) --help' and \(page) tell more."
        return [""] + wrapped(hint, indentation: 0, program)
    }

    private static func operandsAndCommands(
        _ command: CommandDescription?, _ program: ProgramDescription
    ) -> [String] {
        var lines: [String] = []
        guard let command else {
            let width = program.commands.map(\.name.count).max() ?? 0
            lines += ["", "Commands:"]
            for command in program.commands { lines += listed(command.name, command.summary, width: width, program) }
            return lines
        }
        let operands = command.operands
        if !operands.isEmpty {
            let width = operands.map(\.synopsis.count).max() ?? 0
            lines += ["", "Operands:"]
            for operand in operands { lines += listed(operand.synopsis, operand.summary, width: width, program) }
        }
        return lines
    }

    /// An option's names, manual, choices, and notes, and a command line that uses it.
    private static func explanation(
        _ option: OptionDescription, example: String?, _ style: TextStyle, _ program: ProgramDescription
    ) -> [String] {
        var lines = ["  " + label(option)]
        lines += option.manual.flatMap { wrapped(style.plain($0), indentation: 10, program) }
        let choices = option.value?.completion.choices ?? []
        let width = choices.map(\.name.count).max() ?? 0
        for choice in choices {
            let summary = style.plain(MarkedText(choice.summary))
            lines += listed(choice.name, summary, width: width, indentation: 12, program)
        }
        lines += option.notes.flatMap { wrapped($0.plain, indentation: 10, program) }
        if let example { lines += wrappedExample(example, indentation: 10, program) }
        if let related = option.relatedOptions { lines += wrapped(related.plain, indentation: 10, program) }
        return lines
    }

    /// A command line that can be copied. It is broken only before options, and each break is escaped for the shell.
    private static func wrappedExample(
        _ example: String, indentation: Int, _ program: ProgramDescription
    ) -> [String] {
        var lines = [spaces(indentation) + "Example:"]
        var part = ""
        for word in example.split(separator: " ").map(String.init) + ["--"] {
            if word.hasPrefix("--") {
                // Leaves room for the backslash of a break after the part.
                if lines[lines.count - 1].count + part.count + 2 > program.helpColumns {
                    lines[lines.count - 1] += " \\"
                    lines.append(spaces(indentation + 3))
                }
                lines[lines.count - 1] += part
                part = ""
            }
            part += " " + word
        }
        return lines
    }

    /// A term and its meaning beside it.
    private static func listed(
        _ term: String, _ text: String, width: Int, indentation: Int = 2, _ program: ProgramDescription
    ) -> [String] {
        let column = indentation + width + 2
        var lines = wrapped(text, indentation: column, program)
        if let first = lines.first {
            lines[0] = spaces(indentation) + padded(term, width) + "  " + first.dropFirst(column)
        }
        return lines
    }

    /// The words of `text` on lines of at most `columns` characters.
    public static func wrapped(_ text: String, indentation: Int, columns: Int) -> [String] {
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

    private static func wrapped(_ text: String, indentation: Int, _ program: ProgramDescription) -> [String] {
        wrapped(text, indentation: indentation, columns: program.helpColumns)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + spaces(width - text.count)
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}
