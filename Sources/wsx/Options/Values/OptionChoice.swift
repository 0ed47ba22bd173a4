/// A value that is one of a few words.
protocol OptionChoice: CaseIterable, RawRepresentable<String> {
    /// What the word means, for the manual and the shells.
    var summary: String { get }
}

extension OptionChoice {
    /// Reads one of the words.
    static func parse(_ text: String) throws(ValueProblem) -> Self {
        guard let choice = Self(rawValue: text) else { throw .notAChoice(allCases.map(\.rawValue)) }
        return choice
    }
}
