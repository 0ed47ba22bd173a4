/// The roff escapes used in manual pages.
enum Roff {
    /// Formats marked text on one line.
    static func text(_ text: MarkedText) -> String { guardLineStart(styled(text)) }

    /// Formats marked text on lines of at most ``columns`` characters. Each sentence begins a new line, which lets roff
    /// set the space between sentences and keeps changes to the page small.
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

    /// Formats text that users may copy and paste, with hyphens and quotes preserved.
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

    /// Formats a line verbatim.
    static func literalLine(_ line: String) -> String { guardLineStart(literal(line)) }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "\\" { escaped += "\\e" } else { escaped.append(character) }
        }
        return escaped
    }

    /// Escapes a period or quote at the beginning of a line, where it would start a request.
    private static func guardLineStart(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
