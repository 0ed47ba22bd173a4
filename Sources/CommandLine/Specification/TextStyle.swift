/// How a text shows references to sections of the manual.
public struct TextStyle: Sendable {
    private let titles: [String]
    private let reference: @Sendable (String) -> String

    /// - Parameters:
    ///   - titles: The titles of sections.
    ///   - reference: The text for a title, with marks.
    init(titles: [String], reference: @escaping @Sendable (String) -> String) {
        // HOW A RUN ENDS before any title that it begins with.
        self.titles = Set(titles).sorted { ($1.count, $0) < ($0.count, $1) }
        self.reference = reference
    }

    /// The text with its references. Only whole words in roman type refer to a section.
    public func text(_ text: MarkedText) -> MarkedText {
        var result = ""
        var rest = Substring(text.source)
        var style = MarkedText.Style.roman
        var previous: Character?
        while let character = rest.first {
            if style == .roman, character.isUppercase, previous.map({ !$0.isWordCharacter }) ?? true,
                let title = titles.first(where: {
                    rest.hasPrefix($0) && rest.dropFirst($0.count).first?.isWordCharacter != true
                })
            {
                result += reference(title)
                rest = rest.dropFirst(title.count)
                previous = title.last
                continue
            }
            style = MarkedText.style(after: character, in: style)
            result.append(character)
            previous = character
            rest = rest.dropFirst()
        }
        return MarkedText(result)
    }

    /// The text without marks.
    public func plain(_ text: MarkedText) -> String { self.text(text).plain }
}

extension Character {
    fileprivate var isWordCharacter: Bool { isLetter || isNumber || self == "_" || self == "-" || self == "$" }
}
