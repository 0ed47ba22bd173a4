/// A page of the manual in roff's `man` macros, with tables for `tbl`.
enum ManualPage {
    /// The page of the program or of a command that has one.
    static func page(_ specification: CommandSpecification) -> String {
        let name = specification.manualName
        var lines = [
            "'\\\" t",
            ".\\\" Made from the option table by \"make generate\"; changes here are lost.",
            ".TH \(Roff.literal(name.uppercased())) 1 \"\" \"wsx \(version)\" \"User Commands\"",
            ".SH NAME",
            "\(Roff.literal(name)) \\- \(lowercasingFirst(specification.summary))",
            ".SH SYNOPSIS",
        ]
        lines += synopsis(specification)
        lines.append(".SH DESCRIPTION")
        lines += blocks(specification.description)
        lines += operands(specification)
        lines += options(specification)
        for section in specification.sections {
            lines.append(".SH " + section.title)
            lines += blocks(section.blocks)
        }
        lines += examples(specification)
        lines += seeAlso(specification)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func synopsis(_ specification: CommandSpecification) -> [String] {
        guard specification.command == nil else { return [synopsisLine(specification)] }
        var lines = Command.allCases.map { synopsisLine(.of($0)) }
        lines.append("\(Roff.bold("wsx")) \(Roff.bold("--version"))")
        return Array(lines.flatMap { [$0, ".br"] }.dropLast())
    }

    private static func synopsisLine(_ specification: CommandSpecification) -> String {
        Roff.bold(specification.name)
            + Roff.literal(specification.synopsis.dropFirst(specification.name.count).description)
    }

    private static func operands(_ specification: CommandSpecification) -> [String] {
        if specification.command == nil {
            var lines = [".SH COMMANDS"]
            for command in Command.allCases {
                let member = CommandSpecification.of(command)
                let page = pages.contains(command) ? ", see \(Roff.bold(member.manualName))(1)" : ""
                lines += [".TP", synopsisLine(member), member.summary + page + "."]
            }
            return lines
        }
        var lines = [".SH OPERANDS"]
        for operand in specification.operands {
            lines += [".TP", Roff.italic(operand.synopsis)]
            lines += paragraphs(operand.manual)
        }
        return lines
    }

    private static func options(_ specification: CommandSpecification) -> [String] {
        let groups = OptionTable.groups(of: specification.command)
        var lines = [".SH OPTIONS"]
        for (group, options) in groups {
            if groups.count > 1 { lines.append(".SS " + group.rawValue) }
            for option in options {
                lines += [".TP", names(of: option)]
                lines += paragraphs(option.manual)
                lines += choices(option)
                lines += option.notes.map(Roff.text)
            }
        }
        return lines
    }

    /// Paragraphs that stay within a definition.
    private static func paragraphs(_ texts: [MarkedText]) -> [String] {
        texts.enumerated().flatMap { index, text in (index == 0 ? [] : [".IP"]) + Roff.paragraph(text) }
    }

    private static func names(of option: OptionSpecification) -> String {
        let forms = [option.short.map { "-\($0)" }, "--" + option.long].compactMap { $0 }
        let value = option.value?.suffix(Roff.italic) ?? ""
        return forms.map(Roff.bold).joined(separator: ", ") + value
    }

    private static func choices(_ option: OptionSpecification) -> [String] {
        let choices = option.value?.completion.choices ?? []
        guard !choices.isEmpty else { return [] }
        let items = choices.flatMap { [".TP", Roff.bold($0.name), Roff.text(MarkedText(stringLiteral: $0.summary))] }
        return [".RS"] + items + [".RE", ".IP"]
    }

    private static func examples(_ specification: CommandSpecification) -> [String] {
        guard !specification.examples.isEmpty else { return [] }
        var lines = [".SH EXAMPLES"]
        for example in specification.examples {
            lines += [
                ".PP", example.purpose + ":", ".PP", ".RS 4", ".EX", Roff.literalLine(example.line), ".EE", ".RE",
            ]
        }
        return withoutLeadingParagraph(lines)
    }

    private static func seeAlso(_ specification: CommandSpecification) -> [String] {
        let others = ([nil] + pages.map(Optional.some)).filter { $0 != specification.command }
        let names = others.map { Roff.bold(CommandSpecification.of($0).manualName) + "(1)" }
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
            return [".TS", format[0], format[1] + ".", headings.joined(separator: "\t")] + body + [".TE"]
        }
    }

    /// A paragraph macro straight after a heading does nothing, and checkers complain of it.
    private static func withoutLeadingParagraph(_ lines: [String]) -> [String] {
        var lines = lines
        if lines.count > 1, lines[1] == ".PP" { lines.remove(at: 1) }
        return lines
    }

    private static func lowercasingFirst(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }

    /// The commands that have a page of their own.
    static let pages: [Command] = [.connect, .listen, .bench, .merge]
}
