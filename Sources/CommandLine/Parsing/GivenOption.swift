/// An option of a command line.
struct GivenOption {
    /// What is said of it.
    let description: OptionDescription
    /// The name as it was typed, with its hyphens.
    let typed: String
    /// As it was typed; empty where the option takes none.
    let value: String

    /// Checks what options say of one another.
    ///
    /// - Parameter given: All of them, in their order.
    /// - Throws: ``UsageError``, with the first contradiction.
    static func checkCompany(of given: [GivenOption]) throws(UsageError) {
        let effective = try effective(among: given)
        for option in effective {
            if !option.isDefault, let (other, words) = option.opponent(among: effective) {
                throw .conflict(option.typed, words ?? other.typed)
            }
            let requirements = option.description.requirements
            if !requirements.isEmpty, !effective.contains(where: { $0.isAny(of: requirements) }) {
                throw .missingRequirement(option.typed, requirements: requirements)
            }
        }
    }

    /// The options that count: of several of a name the last one.
    private static func effective(among given: [GivenOption]) throws(UsageError) -> [GivenOption] {
        var effective: [GivenOption] = []
        for option in given {
            let index = effective.firstIndex { $0.description.long == option.description.long }
            if let earlier = index.map({ effective.remove(at: $0) }), option.description.isSingular,
                earlier.value != option.value
            {
                throw .twoValues(option: option.typed, earlier.value, option.value)
            }
            effective.append(option)
        }
        return effective
    }

    /// Whether it says what holds anyway.
    private var isDefault: Bool { description.value != nil && value == description.defaultValue }

    /// Whether it is one that others name.
    private func isAny(of references: [OptionReference]) -> Bool {
        references.contains { $0.long == description.long && ($0.value ?? value) == value }
    }

    /// The first option that contradicts this one, and its words where it does so by its value.
    private func opponent(among others: [GivenOption]) -> (GivenOption, words: String?)? {
        for other in others where !other.isDefault {
            guard let reference = description.conflicts.first(where: { other.isAny(of: [$0]) }) else { continue }
            return (other, reference.value.map { "\(other.typed)=\($0)" })
        }
        return nil
    }
}
