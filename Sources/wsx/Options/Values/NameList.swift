/// Names separated by commas, with or without spaces around them.
enum NameList {
    /// Reads one name or more, none of them empty.
    static func parse(_ text: String) throws(ValueProblem) -> [String] {
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = part.drop(while: { $0 == " " })
            let end = trimmed.lastIndex(where: { $0 != " " })
            guard let end else { throw .empty }
            names.append(String(trimmed[...end]))
        }
        return names
    }
}
