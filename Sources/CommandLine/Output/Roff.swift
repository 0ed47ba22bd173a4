/// The escapes of roff, in which manual pages are written.
enum Roff {
    /// Text in the style of its marks, on one line.
    static func text(_ text: MarkedText) -> String { guardLineStart(styled(text)) }

    /// Text in the style of its marks, on lines of at most ``columns`` characters. Each sentence begins a line, which
    /// lets roff set the space between sentences and keeps changes to the page small.
    static func paragraph(_ text: MarkedText) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in styled(text).split(separator: " ") {
            if !line.isEmpty, line.hasSuffix(".") || line.count + 1 + word.count > columns {
                lines.append(guardLineStart(line))
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [guardLineStart(line)]
    }

    private static let columns = 80

    private static func styled(_ text: MarkedText) -> String {
        text.runs.map { run in
            switch run.style {
            case .roman: escape(run.text)
            case .literal: bold(run.text)
            case .placeholder: italic(run.text)
            }
        }.joined()
    }

    static func bold(_ text: String) -> String { "\\fB" + literal(text) + "\\fR" }

    static func italic(_ text: String) -> String { "\\fI" + literal(text) + "\\fR" }

    /// Characters that are copied and pasted: hyphens and quotes must stay what they are.
    static func literal(_ text: String) -> String {
        var escaped = ""
        for character in escape(text) {
            switch character {
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// A line set as it stands.
    static func literalLine(_ line: String) -> String { guardLineStart(literal(line)) }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "\\" { escaped += "\\e" } else { escaped.append(character) }
        }
        return escaped
    }

    /// A full stop or quote that begins a line would begin a request.
    private static func guardLineStart(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
