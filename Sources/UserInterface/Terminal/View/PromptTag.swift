import WSCore

/// A filter or a pause, as the prompt shows it before the line: `[/error/ 214 hidden]`.
struct PromptTag: Equatable {
    /// The filter or the pause: `/error/`.
    let name: String
    /// A count after the name, with its separator, or an empty string. A narrow line has no room for it.
    let note: String

    var text: String { "[\(name)\(note)]" }

    /// The tags in a limited width, or `nil` if there are none, or not enough room for the first one. Notes are omitted
    /// first; then names are cut within their brackets, and the last tags are omitted.
    static func text(of tags: [PromptTag], columns: Int) -> String? {
        func joined(_ texts: [String]) -> String? {
            let text = texts.joined(separator: " ")
            return DisplayWidth.of(text) <= columns ? text : nil
        }
        guard !tags.isEmpty else { return nil }
        if let text = joined(tags.map(\.text)) ?? joined(tags.map { "[\($0.name)]" }) { return text }
        let count = min(tags.count, (columns + 1) / (minimumColumns + 1))
        guard count > 0 else { return nil }
        let share = (columns + 1) / count - 1
        return tags.prefix(count).map { "[\($0.name.cut(toColumns: share - 2))]" }.joined(separator: " ")
    }

    /// The minimum width of a tag. A shorter part of a name would be meaningless.
    private static let minimumColumns = 6
}

extension String {
    /// The beginning that fits into a width, with an ellipsis for the rest.
    func cut(toColumns columns: Int) -> String {
        guard DisplayWidth.of(self) > columns else { return self }
        return DisplayWidth.prefix(of: self, columns: max(0, columns - 1)) + Glyphs.ellipsis
    }
}
