extension OptionSpecification {
    /// What the table's data say besides the words: the default, whether to repeat, what contradicts, what is needed.
    var notes: [MarkedText] {
        var notes: [MarkedText] = []
        if let defaultValue { notes.append(MarkedText(stringLiteral: "Default: `\(defaultValue)`.")) }
        if isSingular { notes.append("Given twice, it must have the same value.") }
        if isRepeatable { notes.append("May be repeated.") }
        if !requirements.isEmpty {
            let others = requirements.map { "`\($0.words)`" }.joined(separator: " or ")
            notes.append(MarkedText(stringLiteral: "Only with \(others)."))
        }
        if !conflicts.isEmpty {
            let others = ValueProblem.alternatives(conflicts.map { "`\($0.words)`" })
            notes.append(MarkedText(stringLiteral: "Contradicts \(others)."))
        }
        return notes
    }
}
