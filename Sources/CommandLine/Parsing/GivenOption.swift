/// An option as given on the command line or in a configuration file.
struct GivenOption {
    /// The description of the option.
    let description: OptionDescription
    /// The name as typed: with its hyphens on the command line, without them in a file.
    let typed: String
    /// The value as typed; empty for an option without a value.
    let value: String
    /// The number of the line in the configuration file, or `nil` on the command line.
    var line: Int?

    /// Whether words of the command line are a program that the option starts. An option without a value starts the
    /// words after `--`, even if a file contains the option.
    var startsPastedProgram: Bool {
        (description.startsProgram(value) || OptionDescription.insertsOutput(value))
            && (line == nil || description.value == nil)
    }

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

    /// Whether an option of a higher layer contradicts this one, or excludes another value.
    func isOverridden(by others: [GivenOption]) -> Bool {
        others.contains { other in
            (other.description.long == description.long && description.repetition.isReplaced)
                || (!isDefault && opponent(among: [other]) != nil)
                || (!other.isDefault && other.opponent(among: [self]) != nil)
        }
    }

    /// The first conflict between options of one section, with the later option.
    static func conflict(among options: [GivenOption]) -> (option: GivenOption, error: UsageError)? {
        for (index, option) in options.enumerated() where !option.isDefault {
            for other in options[..<index] {
                if option.description.repetition == .mustAgree, other.description.long == option.description.long,
                    other.value != option.value
                {
                    return (option, .twoValues(option: option.typed, other.value, option.value))
                }
                guard !other.isDefault,
                    option.opponent(among: [other]) != nil || other.opponent(among: [option]) != nil
                else { continue }
                return (option, .conflict(option.typed, other.typed))
            }
        }
        return nil
    }

    /// Removes the options of a file that require another one which is not given.
    static func withoutUnmetRequirements(_ options: [GivenOption]) -> [GivenOption] {
        var options = options
        while true {
            let kept = options.filter { option in
                let requirements = option.description.requirements
                return option.line == nil || requirements.isEmpty || options.contains { $0.isAny(of: requirements) }
            }
            guard kept.count < options.count else { return kept }
            options = kept
        }
    }

    /// The options that take effect. If an option is repeated, the last one counts.
    private static func effective(among given: [GivenOption]) throws(UsageError) -> [GivenOption] {
        var effective: [GivenOption] = []
        for option in given {
            let index = effective.firstIndex { $0.description.long == option.description.long }
            if let earlier = index.map({ effective.remove(at: $0) }), option.description.repetition == .mustAgree,
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
        references.contains { reference in
            guard reference.long == description.long, let choice = reference.value else {
                return reference.long == description.long
            }
            // A choice may have an argument: `chunks:3200`.
            return value == choice || value.hasPrefix(choice + ":")
        }
    }

    /// The first conflicting option, and its words if the conflict depends on its value.
    private func opponent(among others: [GivenOption]) -> (GivenOption, words: String?)? {
        for other in others where !other.isDefault {
            guard let reference = description.conflicts.first(where: { other.isAny(of: [$0]) }) else { continue }
            return (other, reference.value == nil ? nil : reference.words)
        }
        return nil
    }
}
