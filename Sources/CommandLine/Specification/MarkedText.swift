/// Text with two kinds of marks: `` `literal` `` is typed verbatim, and `*placeholder*` is replaced by the user.
///
/// The manual sets them in bold and italic; the help removes the marks. Inside a literal, `*` has no special meaning.
public struct MarkedText: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The style of a run of characters.
    enum Style {
        case roman
        case literal
        case placeholder
    }

    /// The text with its marks.
    public let source: String

    /// Creates a text from its source with marks.
    public init(_ source: String) {
        self.source = source
    }

    /// Creates a text from its source with marks.
    public init(stringLiteral source: String) {
        self.source = source
    }

    /// The text split into runs of one style.
    var runs: [(style: Style, text: String)] {
        var runs: [(style: Style, text: String)] = []
        var style = Style.roman
        var text = ""
        for character in source {
            let next = Self.style(after: character, in: style)
            guard next != style else {
                text.append(character)
                continue
            }
            if !text.isEmpty { runs.append((style, text)) }
            text = ""
            style = next
        }
        if !text.isEmpty { runs.append((style, text)) }
        return runs
    }

    /// The style after a character, which is a mark if the style changes.
    static func style(after character: Character, in style: Style) -> Style {
        switch (style, character) {
        case (.roman, "`"): .literal
        case (.roman, "*"): .placeholder
        case (.literal, "`"), (.placeholder, "*"): .roman
        default: style
        }
    }

    /// The text without its marks.
    public var plain: String { runs.map(\.text).joined() }
}
