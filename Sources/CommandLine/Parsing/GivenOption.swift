/// An option as given on the command line.
struct GivenOption {
    /// The description of the option.
    let description: OptionDescription
    /// The name as typed, with its hyphens.
    let typed: String
    /// The value as typed; empty for an option without a value.
    let value: String

    /// Checks conflicts and requirements between options.
    ///
    /// - Parameter given: The given options, in order.
    /// - Throws: ``UsageError`` for the first conflict or missing requirement.
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

    /// The options that take effect. If an option is repeated, the last one counts.
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

    /// Whether the option only repeats the default value.
    private var isDefault: Bool { description.value != nil && value == description.defaultValue }

    /// Whether any of the references refers to this option.
    private func isAny(of references: [OptionReference]) -> Bool {
        references.contains { $0.long == description.long && ($0.value ?? value) == value }
    }

    /// The first conflicting option, and its words if the conflict depends on its value.
    private func opponent(among others: [GivenOption]) -> (GivenOption, words: String?)? {
        for other in others where !other.isDefault {
            guard let reference = description.conflicts.first(where: { other.isAny(of: [$0]) }) else { continue }
            return (other, reference.value.map { "\(other.typed)=\($0)" })
        }
        return nil
    }
}
