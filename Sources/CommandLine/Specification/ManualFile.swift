/// A manual page without operands and options, from a file in a dialect of Markdown.
///
/// `Sources/CPages/Manual/wsx.md` begins with the list of its elements, which are separated by empty lines.
///
/// Only the titles of sections are read at once. A file with an error is an error of the program.
public struct ManualFile: Sendable {
    /// The sections, in their order.
    public let sections: [ManualSection]

    /// Reads a file.
    /// - Parameters:
    ///   - text: The contents.
    ///   - part: The blocks of a `{{name}}`.
    public init(_ text: String, part: @escaping @Sendable (String) -> [ManualBlock]) {
        let starts = Self.sectionStarts(text)
        sections = zip(starts, starts.dropFirst() + [text.utf8.count]).map { start, end in
            let section = text.utf8.dropFirst(start).prefix(end - start)
            let lines = section.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map { Substring($0) }
            let words = lines[0].dropFirst(2).split(separator: "(")
            let aliases = words.dropFirst().first?.dropLast().split(separator: ",").map(trimmed) ?? []
            let body = lines.dropFirst().first ?? ""
            return ManualSection(
                trimmed(words[0]), aliases: aliases, blocks: SectionContents(body, part: part).blocks,
                subtopics: SectionContents(body, part: part).subtopics)
        }
    }

    /// The page: its description, its examples, and the other sections.
    public var manual: Manual { Manual(sections) }

    /// The section with a title.
    public func section(_ title: String) -> ManualSection? { sections.first { $0.title == title } }

    /// The offsets of the lines with the titles of sections: those that begin with `# ` outside of listings and comments.
    private static func sectionStarts(_ text: String) -> [Int] {
        var starts: [Int] = []
        // The end of a listing or comment, within one.
        var end: StaticString?
        var text = text
        text.withUTF8 { bytes in
            func begins(_ line: Int, with prefix: StaticString) -> Bool {
                bytes.dropFirst(line).starts(
                    with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
            }
            var line = 0
            while line < bytes.count {
                if let last = end {
                    if begins(line, with: last) { end = nil }
                } else if begins(line, with: "```") {
                    end = "```"
                } else if begins(line, with: "<!--") {
                    end = "-->"
                } else if begins(line, with: "# ") {
                    starts.append(line)
                }
                while line < bytes.count, bytes[line] != UInt8(ascii: "\n") { line += 1 }
                line += 1
            }
        }
        return starts
    }
}

/// The contents of a section of a file.
private struct SectionContents {
    private(set) var blocks: [ManualBlock] = []
    private(set) var subtopics: [ManualSubtopic] = []

    init(_ text: Substring, part: (String) -> [ManualBlock]) {
        // By bytes: finding characters would take most of the time of `--help`.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0) }[...]
        while let element = Self.element(&lines) { add(element, part) }
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
        if first.hasPrefix("### ") {
            let words = first.dropFirst(4).split(separator: ":", maxSplits: 1)
            subtopics.append(
                ManualSubtopic(
                    name: String(words[0]), prefix: words[0].hasPrefix("@") ? "@" : nil, summary: trimmed(words[1]),
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

    /// Adds a block to the section or its last part. Adjacent definitions become one block.
    private mutating func append(_ block: ManualBlock) {
        func append(to blocks: inout [ManualBlock]) {
            if case .definitions(let new) = block, case .definitions(let old) = blocks.last {
                blocks[blocks.count - 1] = .definitions(old + new)
            } else {
                blocks.append(block)
            }
        }
        if subtopics.isEmpty { append(to: &blocks) } else { append(to: &subtopics[subtopics.count - 1].blocks) }
    }
}

private func trimmed(_ text: Substring) -> String {
    var rest = text.drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
}
