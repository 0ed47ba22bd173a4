/// A manual page in roff's `man` macros, with tables for `tbl`.
public enum ManualPage {
    /// Returns the page of a command that has one, or of the program if `command` is `nil`.
    public static func page(of command: CommandDescription?, _ program: ProgramDescription) -> String {
        let name = program.manualName(of: command)
        let manual = command?.manual ?? program.manual
        var lines = [
            "'\\\" t",
            ".\\\" Made from the option table by \"make generate\"; changes here are lost.",
            ".TH \(Roff.literal(name.uppercased())) 1 \"\" \"\(program.name) \(program.version)\" \"User Commands\"",
            ".SH NAME",
            "\(Roff.literal(name)) \\- \(lowercasingFirst(command?.summary ?? program.summary))",
            ".SH SYNOPSIS",
        ]
        lines += synopsis(command, program)
        lines.append(".SH DESCRIPTION")
        lines += blocks(manual.description)
        lines += operands(command, program)
        lines += options(command, program)
        for section in manual.sections {
            lines.append(".SH " + section.title)
            lines += blocks(section.blocks)
        }
        lines += examples(manual)
        lines += seeAlso(command, program)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func synopsis(_ command: CommandDescription?, _ program: ProgramDescription) -> [String] {
        if let command { return [synopsisLine(command, program)] }
        var lines = program.commands.map { synopsisLine($0, program) }
        lines.append("\(Roff.bold(program.name)) \(Roff.bold("--version"))")
        return Array(lines.flatMap { [$0, ".br"] }.dropLast())
    }

    private static func synopsisLine(_ command: CommandDescription, _ program: ProgramDescription) -> String {
        let name = program.fullName(of: command)
        return Roff.bold(name) + Roff.literal(program.synopsis(of: command).dropFirst(name.count).description)
    }

    private static func operands(_ command: CommandDescription?, _ program: ProgramDescription) -> [String] {
        guard let command else {
            var lines = [".SH COMMANDS"]
            for command in program.commands {
                let page = command.hasPage ? ", see \(Roff.bold(program.manualName(of: command)))(1)" : ""
                lines += [".TP", synopsisLine(command, program), command.summary + page + "."]
            }
            return lines
        }
        var lines = [".SH OPERANDS"]
        for operand in command.operands {
            lines += [".TP", Roff.italic(operand.synopsis)]
            lines += paragraphs(operand.manual)
        }
        return lines
    }

    private static func options(_ command: CommandDescription?, _ program: ProgramDescription) -> [String] {
        let groups = program.options(byHeadingOf: command)
        var lines = [".SH OPTIONS"]
        for (heading, options) in groups {
            if groups.count > 1 { lines.append(".SS " + heading.title) }
            for option in options {
                lines += [".TP", names(of: option)]
                lines += paragraphs(option.manual)
                lines += choices(option)
                lines += option.notes.map(Roff.text)
                if let command, let example = program.example(of: option, in: command) {
                    lines += [".br", "Example: " + Roff.bold(example)]
                }
                if let related = option.relatedOptions { lines += [".br", Roff.text(related)] }
            }
        }
        return lines
    }

    /// Several paragraphs within one definition.
    private static func paragraphs(_ texts: [MarkedText]) -> [String] {
        texts.enumerated().flatMap { index, text in (index == 0 ? [] : [".IP"]) + Roff.paragraph(text) }
    }

    private static func names(of option: OptionDescription) -> String {
        let value = option.value?.suffix(Roff.italic) ?? ""
        return option.names.map(Roff.bold).joined(separator: ", ") + value
    }

    private static func choices(_ option: OptionDescription) -> [String] {
        let choices = option.value?.completion.choices ?? []
        guard !choices.isEmpty else { return [] }
        let items = choices.flatMap { [".TP", Roff.bold($0.name), Roff.text(MarkedText($0.summary))] }
        return [".RS"] + items + [".RE", ".IP"]
    }

    private static func examples(_ manual: Manual) -> [String] {
        guard !manual.examples.isEmpty else { return [] }
        var lines = [".SH EXAMPLES"]
        for example in manual.examples {
            lines += [
                ".PP", example.purpose + ":", ".PP", ".RS 4", ".EX", Roff.literalLine(example.line), ".EE", ".RE",
            ]
        }
        return withoutLeadingParagraph(lines)
    }

    private static func seeAlso(_ command: CommandDescription?, _ program: ProgramDescription) -> [String] {
        let pages = [nil] + program.commands.filter(\.hasPage).map(Optional.some)
        let names = pages.filter { $0?.name != command?.name }.map { Roff.bold(program.manualName(of: $0)) + "(1)" }
        return [".SH SEE ALSO", names.joined(separator: ",\n")]
    }

    private static func blocks(_ blocks: [ManualBlock]) -> [String] {
        var lines: [String] = []
        for (index, block) in blocks.enumerated() {
            switch block {
            case .definitions: break
            case .paragraph, .listing, .table: if index > 0 { lines.append(".PP") }
            }
            lines += self.block(block)
        }
        return lines
    }

    private static func block(_ block: ManualBlock) -> [String] {
        switch block {
        case .paragraph(let text):
            return Roff.paragraph(text)
        case .definitions(let definitions):
            return definitions.flatMap { [".TP", Roff.text($0.term)] + Roff.paragraph($0.text) }
        case .listing(let listing):
            return [".RS 4", ".EX"] + listing.map(Roff.literalLine) + [".EE", ".RE"]
        case .table(let headings, let rows):
            let format = [headings.map { _ in "lb" }, headings.map { _ in "l" }].map { $0.joined(separator: " ") }
            let body = rows.map { row in
                let rest = row.dropFirst().map { "\t\(Roff.literal($0))" }
                return Roff.literalLine(row.first ?? "") + rest.joined()
            }
            // Without nokeep, a table that crosses a page end causes a warning.
            return [".TS", "nokeep;", format[0], format[1] + ".", headings.joined(separator: "\t")] + body + [".TE"]
        }
    }

    /// Removes a paragraph macro directly after a heading: it has no effect, and checkers complain about it.
    private static func withoutLeadingParagraph(_ lines: [String]) -> [String] {
        var lines = lines
        if lines.count > 1, lines[1] == ".PP" { lines.remove(at: 1) }
        return lines
    }

    /// Lowercases the first letter, except in a name such as WebSocket.
    private static func lowercasingFirst(_ text: String) -> String {
        let word = text.prefix { $0 != " " }
        return word.dropFirst().contains(where: \.isUppercase) ? text : text.prefix(1).lowercased() + text.dropFirst()
    }
}
