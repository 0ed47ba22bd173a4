/// A manual page in roff's `man` macros, with tables for `tbl`.
public enum ManualPage {
    /// Returns the page of a command that has one, or of the program if `command` is `nil`.
    public static func page(of command: CommandDescription?, _ program: ProgramDescription) -> String {
        let name = program.manualName(of: command)
        let manual = command?.manual ?? program.manual
        let style = program.textStyle(on: manual.sections)
        var lines = opening(name, number: 1, "User Commands", command?.summary ?? program.summary, program)
        lines.append(".SH SYNOPSIS")
        lines += synopsis(command, program)
        lines.append(".SH DESCRIPTION")
        lines += blocks(manual.description, style)
        lines += operands(command, style, program)
        lines += options(command, style, program)
        lines += sections(manual.sections, style)
        lines += examples(manual)
        lines += seeAlso(name, program)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a page about a topic.
    public static func page(about page: TopicPage, _ program: ProgramDescription) -> String {
        let name = "\(program.name)-\(page.name)"
        let style = program.textStyle(on: page.sections)
        var lines = opening(name, number: 7, "Topics", page.summary, program)
        lines += options(on: page, style, program)
        lines += sections(page.sections, style)
        lines += seeAlso(name, program)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func opening(
        _ name: String, number: Int, _ volume: String, _ summary: String, _ program: ProgramDescription
    ) -> [String] {
        [
            "'\\\" t",
            ".\\\" Made from the option table by \"make generate\"; changes here are lost.",
            ".TH \(Roff.literal(name.uppercased())) \(number) \"\" \"\(program.name) \(Roff.literal(program.version))\" \"\(volume)\"",
            ".SH NAME",
            "\(Roff.literal(name)) \\- \(lowercasingFirst(summary))",
        ]
    }

    private static func sections(_ sections: [ManualSection], _ style: TextStyle) -> [String] {
        var lines: [String] = []
        for section in sections {
            lines.append(".SH " + section.title)
            lines += blocks(section.blocks, style)
            for topic in section.subtopics {
                lines.append(".SS " + topic.name)
                lines += blocks(topic.blocks, style)
            }
        }
        return lines
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

    private static func operands(
        _ command: CommandDescription?, _ style: TextStyle, _ program: ProgramDescription
    ) -> [String] {
        guard let command else {
            var lines = [".SH COMMANDS"]
            for command in program.commands {
                let page = command.hasPage ? ", see \(Roff.bold(program.manualName(of: command)))(1)" : ""
                lines += [".TP", Roff.bold(program.fullName(of: command)), command.summary + page + "."]
            }
            return lines
        }
        var lines = [".SH OPERANDS"]
        for operand in command.operands {
            lines += [".TP", Roff.italic(operand.synopsis)]
            lines += paragraphs(operand.manual, style)
        }
        return lines
    }

    private static func options(
        _ command: CommandDescription?, _ style: TextStyle, _ program: ProgramDescription
    ) -> [String] {
        let groups = program.options(byHeadingOf: command)
        var lines = [".SH OPTIONS"]
        for (heading, options) in groups {
            if groups.count > 1 { lines.append(".SS " + heading.title) }
            if let command, let page = program.pages.first(where: { $0.explains(heading, of: command) }) {
                let names = options.map { "`--\($0.long)`" }.joined(separator: ", ")
                lines += Roff.paragraph(MarkedText("See *\(program.name)-\(page.name)*(7): \(names)."))
                continue
            }
            for option in options {
                let example = command.flatMap { program.example(of: option, in: $0) }
                lines += explanation(option, remarks: [], example: example, style)
            }
        }
        return lines
    }

    /// The options of a topic's page. Commands with the same explanation of an option share it.
    private static func options(
        on page: TopicPage, _ style: TextStyle, _ program: ProgramDescription
    ) -> [String] {
        guard !page.options.isEmpty else { return [] }
        var lines = [".SH OPTIONS"]
        for (heading, names) in page.options {
            lines.append(".SS " + heading.title)
            let commands = program.commands.filter { names.contains($0.name) }
            var seen: Set<String> = []
            for option in commands.flatMap(\.options)
            where option.heading == heading && seen.insert(option.long).inserted {
                let owners = commands.filter { $0.counterpart(of: option) != nil }
                let example = owners.first.flatMap { program.example(of: option, in: $0) }
                let remarks = remarks(on: option, of: owners, among: commands, program)
                lines += explanation(option, remarks: remarks, example: example, style)
            }
        }
        return lines
    }

    /// The commands that have an option, if not all have it, and the paragraphs in which its explanation differs from that
    /// of the first one.
    private static func remarks(
        on option: OptionDescription, of owners: [CommandDescription], among commands: [CommandDescription],
        _ program: ProgramDescription
    ) -> [MarkedText] {
        func names(_ commands: [CommandDescription]) -> String {
            commands.map { "`\(program.fullName(of: $0))`" }.joined(separator: " and ")
        }
        var remarks: [MarkedText] = []
        let others = commands.filter { command in !owners.contains { $0.name == command.name } }
        if !others.isEmpty {
            remarks.append(
                MarkedText(others.count < owners.count ? "Not for \(names(others))." : "For \(names(owners))."))
        }
        var differences: [(text: String, commands: [CommandDescription])] = []
        for command in owners.dropFirst() {
            guard let other = command.counterpart(of: option) else { continue }
            let texts =
                other.manual.filter { !option.manual.contains($0) } + other.notes.filter { !option.notes.contains($0) }
            guard !texts.isEmpty else { continue }
            let text = texts.map(\.source).joined(separator: " ")
            if let index = differences.firstIndex(where: { $0.text == text }) {
                differences[index].commands.append(command)
            } else {
                differences.append((text, [command]))
            }
        }
        return remarks + differences.map { MarkedText("In \(names($0.commands)): \($0.text)") }
    }

    private static func explanation(
        _ option: OptionDescription, remarks: [MarkedText], example: String?, _ style: TextStyle
    ) -> [String] {
        var lines = [".TP", names(of: option)]
        lines += paragraphs(option.manual, style)
        lines += choices(option, style)
        lines += option.notes.map { Roff.text(style.text($0)) }
        lines += remarks.flatMap { [".br"] + Roff.paragraph(style.text($0)) }
        if let example { lines += [".br", "Example: " + Roff.bold(example)] }
        if let related = option.relatedOptions { lines += [".br", Roff.text(related)] }
        return lines
    }

    /// Several paragraphs within one definition.
    private static func paragraphs(_ texts: [MarkedText], _ style: TextStyle) -> [String] {
        texts.enumerated().flatMap { index, text in
            (index == 0 ? [] : [".IP"]) + Roff.paragraph(style.text(text))
        }
    }

    private static func names(of option: OptionDescription) -> String {
        let value = option.value?.suffix(Roff.italic) ?? ""
        return option.names.map(Roff.bold).joined(separator: ", ") + value
    }

    private static func choices(_ option: OptionDescription, _ style: TextStyle) -> [String] {
        let choices = option.value?.completion.choices ?? []
        guard !choices.isEmpty else { return [] }
        let items = choices.flatMap {
            [".TP", Roff.bold($0.name), Roff.text(style.text(MarkedText($0.summary)))]
        }
        return [".RS"] + items + [".RE", ".IP"]
    }

    private static func examples(_ manual: Manual) -> [String] {
        guard !manual.examples.isEmpty else { return [] }
        return [".SH EXAMPLES"]
            + manual.examples.flatMap { [".TP", $0.purpose + ":", ".EX", Roff.literalLine($0.line), ".EE"] }
    }

    private static func seeAlso(_ name: String, _ program: ProgramDescription) -> [String] {
        if name != program.name {
            return [".SH SEE ALSO", "\(Roff.bold(program.name))(1), which lists all pages"]
        }
        let names = program.sectionsByPage().dropFirst().map { Roff.bold($0.page) + "(\($0.number))" }
        return [".SH SEE ALSO", names.joined(separator: ",\n")]
    }

    private static func blocks(_ blocks: [ManualBlock], _ style: TextStyle) -> [String] {
        var lines: [String] = []
        var isAfterHeading = true
        for block in blocks {
            switch block {
            case .definitions, .heading: break
            case .paragraph, .listing, .table: if !isAfterHeading { lines.append(".PP") }
            }
            lines += self.block(block, style)
            isAfterHeading = if case .heading = block { true } else { false }
        }
        return lines
    }

    private static func block(_ block: ManualBlock, _ style: TextStyle) -> [String] {
        switch block {
        case .heading(let text):
            return [".SS " + text]
        case .paragraph(let text):
            return Roff.paragraph(style.text(text))
        case .definitions(let definitions):
            return definitions.flatMap { [".TP", Roff.text($0.term)] + Roff.paragraph(style.text($0.text)) }
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

    /// Lowercases the first letter, except in a name such as WebSocket.
    private static func lowercasingFirst(_ text: String) -> String {
        let word = text.prefix { $0 != " " }
        return word.dropFirst().contains(where: \.isUppercase) ? text : text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension CommandDescription {
    /// The option of this name under the same heading, or nil if the command has none.
    fileprivate func counterpart(of option: OptionDescription) -> OptionDescription? {
        options.first { $0.long == option.long && $0.heading == option.heading }
    }
}
