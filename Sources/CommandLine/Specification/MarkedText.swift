/// A sentence or paragraph with two marks: `` `literal` `` is typed as it stands, `*placeholder*` is replaced.
///
/// The manual sets them in bold and italic, help leaves the marks out. Inside a literal `*` is itself.
public struct MarkedText: Equatable, Sendable, ExpressibleByStringLiteral {
    /// How a run of characters is set.
    enum Style {
        case roman
        case literal
        case placeholder
    }

    /// The text with its marks.
    public let source: String

    /// Takes a text with its marks.
    public init(_ source: String) {
        self.source = source
    }

    /// Takes a text with its marks.
    public init(stringLiteral source: String) {
        self.source = source
    }

    /// The text as runs of one style each.
    var runs: [(style: Style, text: String)] {
        var runs: [(style: Style, text: String)] = []
        var style = Style.roman
        var text = ""
        for character in source {
            let next: Style
            switch (style, character) {
            case (.roman, "`"): next = .literal
            case (.roman, "*"): next = .placeholder
            case (.literal, "`"), (.placeholder, "*"): next = .roman
            default:
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

    /// The text without its marks.
    public var plain: String { runs.map(\.text).joined() }
}
