/// A file with the cases of a section.
package struct CaseFile: Sendable {
    /// The section's id: `3` or `F`.
    package private(set) var section = ""
    package private(set) var title = ""
    package private(set) var cases: [Case] = []
    package private(set) var controls: [String: Control] = [:]

    /// The defaults of the section's cases.
    private var reference = ""
    private var consequence = ""

    /// Parses a file.
    /// - Throws: ``CaseError``.
    package init(_ text: [UInt8]) throws(CaseError) {
        var item: [Line] = []
        var number = 0
        for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard let string = String(validating: bytes, as: UTF8.self) else {
                throw CaseError(line: number, "it is not UTF-8 text")
            }
            let isIndented = string.first == " "
            let content = string.drop { $0 == " " }
            if content.isEmpty || content.first == "#" { continue }
            if !isIndented, !item.isEmpty {
                try add(item)
                item = []
            }
            item.append(Line(number: number, text: String(content)))
        }
        if !item.isEmpty { try add(item) }
        guard !section.isEmpty else { throw CaseError(line: 1, "it lacks a line 'section ID TITLE'") }
    }

    private mutating func add(_ item: [Line]) throws(CaseError) {
        let (keyword, rest) = item[0].split()
        let (name, title) = Line(number: item[0].number, text: rest).split()
        let lines = item.dropFirst()
        switch keyword {
        case "section":
            (section, self.title) = (name, title)
            for line in lines {
                let (word, text) = line.split()
                switch word {
                case "rfc": reference = text
                case "why": consequence = text
                default: throw line.error("unknown line '\(word)'")
                }
            }
        case "control":
            var control = Control(name: name)
            for line in lines {
                var words = try WordReader(line)
                guard let step = try Step(&words) else { throw line.error("this is no step") }
                if let word = words.next() { throw line.error("unexpected '\(word.source)'") }
                control.steps.append(step)
            }
            controls[name] = control
        case "case": try addCases(id: name, title: title, lines)
        default: throw item[0].error("unknown item '\(keyword)'; use section, control, or case")
        }
    }

    private mutating func addCases(id: String, title: String, _ lines: ArraySlice<Line>) throws(CaseError) {
        let rows = lines.filter { $0.split().word == "row" }
        guard !rows.isEmpty else { return cases.append(try makeCase(id: id, title: title, lines)) }
        let others = lines.filter { $0.split().word != "row" }
        for (index, row) in rows.enumerated() {
            let values = try WordReader(Line(number: row.number, text: row.split().rest)).words.reversed().map(\.source)
            cases.append(
                try makeCase(
                    id: id.split(separator: "*", omittingEmptySubsequences: false).joined(separator: "\(index + 1)"),
                    title: Line.substitute(values, in: title),
                    others.map { Line(number: $0.number, text: Line.substitute(values, in: $0.text)) }[...]))
        }
    }

    private func makeCase(id: String, title: String, _ lines: ArraySlice<Line>) throws(CaseError) -> Case {
        var result = Case(id: id, title: title, reference: reference, consequence: consequence)
        for line in lines {
            let (word, rest) = line.split()
            switch word {
            case "rfc": result.reference = rest
            case "why": result.consequence = rest
            default:
                result.source.append(line.text)
                var words = try WordReader(line)
                try result.read(&words)
                if let word = words.next() { throw line.error("unexpected '\(word.source)'") }
            }
        }
        guard !cases.contains(where: { $0.id == id }) else {
            throw CaseError(line: lines.first?.number ?? 1, "case \(id) exists already")
        }
        guard !result.outcomes.isEmpty else {
            throw CaseError(line: lines.first?.number ?? 1, "case \(id) lacks an outcome, such as 'pass echo'")
        }
        return result
    }
}

/// An error in a case file.
package struct CaseError: Error, CustomStringConvertible {
    /// The number of the line, from 1.
    package let line: Int
    package let reason: String

    init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }

    package var description: String { "line \(line): \(reason)" }
}

/// A line without its indentation.
struct Line {
    let number: Int
    let text: String

    /// The first word, and the text after it.
    func split() -> (word: String, rest: String) {
        let word = text.prefix { $0 != " " }
        return (String(word), String(text.dropFirst(word.count).drop { $0 == " " }))
    }

    func error(_ reason: String) -> CaseError { CaseError(line: number, reason) }

    /// Replaces `$1` to `$9`.
    static func substitute(_ values: [String], in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "$", let number = rest.first?.wholeNumberValue, number > 0, number <= values.count {
                result += values[number - 1]
                rest = rest.dropFirst()
            } else {
                result.append(character)
            }
        }
        return result
    }
}
