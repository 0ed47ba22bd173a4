/// A manual page without operands and options, from a file in a dialect of Markdown.
///
/// `Sources/CPages/Manual/wsx.md` begins with the list of its elements, which are separated by empty lines.
///
/// A file with an error is an error of the program.
public struct ManualFile: Sendable {
    /// The sections, in their order.
    public private(set) var sections: [ManualSection] = []

    /// Reads a file.
    /// - Parameters:
    ///   - text: The contents.
    ///   - part: The blocks of a `{{name}}`.
    public init(_ text: String, part: (String) -> [ManualBlock]) {
        // By bytes: finding characters would take most of the time of `--help`.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0) }[...]
        while let element = Self.element(&lines) { add(element, part) }
    }

    /// The page: its description, its examples, and the other sections.
    public var manual: Manual {
        Manual(
            description: section("DESCRIPTION")?.blocks ?? [],
            sections: sections.filter { $0.title != "DESCRIPTION" && $0.title != "EXAMPLES" },
            examples: examples)
    }

    /// The section with a title.
    public func section(_ title: String) -> ManualSection? { sections.first { $0.title == title } }

    /// Purposes, each followed by a listing.
    private var examples: [CommandExample] {
        var purpose = ""
        return (section("EXAMPLES")?.blocks ?? []).compactMap { block in
            switch block {
            case .paragraph(let text): purpose = text.source
            case .listing(let lines): return CommandExample(purpose: purpose, line: lines.joined())
            case .heading, .definitions, .table: preconditionFailure("EXAMPLES have purposes and command lines")
            }
            return nil
        }
    }

    /// Removes the next element, whose lines belong together.
    private static func element(_ lines: inout ArraySlice<Substring>) -> [Substring]? {
        lines = lines.drop { $0.isEmpty }
        guard let first = lines.first else { return nil }
        if first.hasPrefix("```") || first.hasPrefix("<!--") {
            let end = first.hasPrefix("```") ? "```" : "-->"
            guard let last = lines.dropFirst().firstIndex(of: end[...]) else { preconditionFailure("no \(end)") }
            defer { lines = lines[(last + 1)...] }
            return Array(lines[..<last])
        }
        let element = lines.prefix { !$0.isEmpty }
        lines = lines.dropFirst(element.count)
        return Array(element)
    }

    private mutating func add(_ element: [Substring], _ part: (String) -> [ManualBlock]) {
        let first = element[0]
        if first.hasPrefix("<!--") { return }
        if first.hasPrefix("# ") {
            let words = first.dropFirst(2).split(separator: "(")
            let aliases = words.dropFirst().first?.dropLast().split(separator: ",").map(Self.trimmed) ?? []
            sections.append(ManualSection(Self.trimmed(words[0]), aliases: aliases, blocks: []))
        } else if first.hasPrefix("### ") {
            let words = first.dropFirst(4).split(separator: ":", maxSplits: 1)
            sections[sections.count - 1].subtopics.append(
                ManualSubtopic(
                    name: String(words[0]), prefix: words[0].hasPrefix("@") ? "@" : nil,
                    summary: Self.trimmed(words[1]),
                    blocks: []))
        } else if first.hasPrefix("{{"), first.hasSuffix("}}"), element.count == 1 {
            part(String(first.dropFirst(2).dropLast(2))).forEach { append($0) }
        } else {
            append(Self.block(element))
        }
    }

    private static func block(_ element: [Substring]) -> ManualBlock {
        let first = element[0]
        if first.hasPrefix("## ") { return .heading(String(first.dropFirst(3))) }
        if first.hasPrefix("```") { return .listing(element.dropFirst().map(String.init)) }
        if first.hasPrefix("|") {
            let rows = element.map(cells)
            return .table(headings: rows[0], rows: Array(rows.dropFirst(2)))
        }
        if element.count > 1, element[1].hasPrefix(": ") {
            let text = [element[1].dropFirst(2)] + element.dropFirst(2).map { $0.drop { $0 == " " } }
            return .definitions([(MarkedText(String(first)), MarkedText(text.joined(separator: " ")))])
        }
        return .paragraph(MarkedText(element.joined(separator: " ")))
    }

    /// The cells of a row: `| a | b \| c |`.
    private static func cells(_ row: Substring) -> [String] {
        var cells = [""]
        for character in row.dropFirst().dropLast() {
            if character != "|" {
                cells[cells.count - 1].append(character)
            } else if cells[cells.count - 1].last == "\\" {
                cells[cells.count - 1].removeLast()
                cells[cells.count - 1].append(character)
            } else {
                cells.append("")
            }
        }
        return cells.map { trimmed($0[...]) }
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    /// Adds a block to the last section or its last part. Adjacent definitions become one block.
    private mutating func append(_ block: ManualBlock) {
        let section = sections.count - 1
        let part = sections[section].subtopics.count - 1
        func extended(_ blocks: [ManualBlock]) -> [ManualBlock] {
            guard case .definitions(let new) = block, case .definitions(let old) = blocks.last else {
                return blocks + [block]
            }
            return blocks.dropLast() + [.definitions(old + new)]
        }
        if part < 0 {
            sections[section].blocks = extended(sections[section].blocks)
        } else {
            sections[section].subtopics[part].blocks = extended(sections[section].subtopics[part].blocks)
        }
    }
}
