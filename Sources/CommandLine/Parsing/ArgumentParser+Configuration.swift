// The options of a configuration file, as if they stood at the beginning of the command line.
extension ArgumentParser {
    /// What an entry of the file means for the command.
    private enum Meaning {
        case option(GivenOption)
        /// Withdraws an option, or only one of its values.
        case withdrawal(long: String, value: String?)
        /// The entry is an operand, or concerns other commands only.
        case nothing
    }

    /// Adds the defaults, and the options of the profiles that operands name.
    ///
    /// The profile overrides the defaults, and the command line overrides both: an option gives way if it contradicts
    /// one of a higher layer. An option without another one that it requires has no effect.
    mutating func addConfiguration(from source: ConfigurationSource) throws(UsageError) {
        // The commands without options of their own, such as help, work without a valid file.
        guard !options.isEmpty else { return }
        let configuration = try source.load()
        // Before the search for a profile, which such an operand may have been meant to begin.
        if let entry = configuration.defaults.first(where: { profileKeys.contains($0.name) }) {
            throw error(.operandOutsideProfile(entry.name), in: configuration, line: entry.line)
        }
        var profiles: [Configuration.Profile] = []
        var operandLines: [(String, Int?)] = []
        for (index, operand) in operandSpecifications.enumerated() {
            if let profile = try takeProfile(for: operand.description, at: index, from: configuration) {
                profiles.append(profile)
            } else if !takeOmitted(operand.description, at: index, from: profiles.last) {
                continue
            }
            let line = profiles.last?.entries.last { $0.name == operand.description.profileKey }?.line
            operandLines.append((operand.description.placeholder, line))
        }
        let layers = try layers([configuration.defaults] + profiles.map(\.entries), of: configuration)
        guard !layers.allSatisfy(\.isEmpty) || !profiles.isEmpty else { return }
        var all = given
        for layer in layers.reversed() { all = layer.filter { !$0.isOverridden(by: all) } + all }
        given = GivenOption.withoutUnmetRequirements(all)
        try updateArguments(with: configuration)
        // An option that is also on the command line may have its error there.
        let typed = Set(given.filter { $0.line == nil }.map(\.description.long))
        let named =
            given.filter { !typed.contains($0.description.long) }.map { ("--" + $0.description.long, $0.line) }
            + operandLines
        source.didUse(
            named.compactMap { name, line in
                line.map { ConfigurationSource.Place(name: name, path: configuration.path, line: $0) }
            })
    }

    // MARK: The profile

    /// Takes the name of a profile from an operand's place, and puts the profile's operand there.
    private mutating func takeProfile(
        for operand: OperandDescription, at index: Int, from configuration: Configuration
    ) throws(UsageError) -> Configuration.Profile? {
        guard let key = operand.profileKey, index < operandCountBeforeEnd ?? operands.count,
            Configuration.isProfileReference(operands[index])
        else { return nil }
        let word = operands[index]
        let name = Configuration.profileName(in: word) ?? ""
        if let absence = configuration.absence {
            throw error(.noProfiles(name, absence: absence), in: configuration)
        }
        guard !name.isEmpty else {
            throw error(.missingProfileName(names: configuration.profiles.map(\.name)), in: configuration)
        }
        guard let profile = configuration.profile(named: name) else {
            let names = configuration.profiles.map(\.name)
            let nearest = EditDistance.nearest(to: name, among: names)
            throw error(.unknownProfile(name, nearest: nearest, names: names), in: configuration)
        }
        operands.remove(at: index)
        operandCountBeforeEnd = operandCountBeforeEnd.map { $0 - 1 }
        if let entry = profile.entries.last(where: { $0.name == key }) {
            guard let value = entry.value else {
                let reason = ConfigurationError.Reason.missingValue(option: key, placeholder: operand.placeholder)
                throw error(reason, in: configuration, line: entry.line)
            }
            guard !Configuration.isProfileReference(value) else {
                let reason = ConfigurationError.Reason.profileInProfile(
                    option: key, value: value, placeholder: operand.placeholder)
                throw error(reason, in: configuration, line: entry.line)
            }
            operands.insert(value, at: index)
            operandCountBeforeEnd = operandCountBeforeEnd.map { $0 + 1 }
        } else if operands.count == index, operand.isRequired || index > 0 {
            throw error(.missingOperand(profile: name, key: key), in: configuration, line: profile.line)
        }
        return profile
    }

    /// Takes an operand that is not typed from the profile that an earlier operand has named.
    /// - Returns: Whether the profile contains it.
    private mutating func takeOmitted(
        _ operand: OperandDescription, at index: Int, from profile: Configuration.Profile?
    ) -> Bool {
        guard let key = operand.profileKey, index == operandCountBeforeEnd ?? operands.count,
            let value = profile?.entries.last(where: { $0.name == key })?.value
        else { return false }
        operands.insert(value, at: index)
        operandCountBeforeEnd = operandCountBeforeEnd.map { $0 + 1 }
        return true
    }

    // MARK: Options

    /// The options of the sections, without those that a later entry withdraws.
    private func layers(
        _ sections: [[Configuration.Entry]], of configuration: Configuration
    ) throws(UsageError) -> [[GivenOption]] {
        var layers: [[GivenOption]] = []
        for (index, section) in sections.enumerated() {
            layers.append([])
            for entry in section {
                switch try meaning(of: entry, in: configuration) {
                case .option(let option): layers[index].append(option)
                case .withdrawal(let long, let value):
                    layers = layers.map { layer in
                        layer.filter { $0.description.long != long || (value != nil && $0.value != value) }
                    }
                case .nothing: break
                }
            }
            if let conflict = GivenOption.conflict(among: layers[index]) {
                throw error(.usage(conflict.error), in: configuration, line: conflict.option.line)
            }
        }
        return layers
    }

    private func meaning(
        of entry: Configuration.Entry, in configuration: Configuration
    ) throws(UsageError) -> Meaning {
        guard let option = options.first(where: { $0.description.isNamed("--" + entry.name) })?.description else {
            return try meaningElsewhere(of: entry, in: configuration)
        }
        let included = option.alias("--" + entry.name)?.value
        guard included == nil, let expected = option.value else {
            switch entry.value {
            case nil, "true": return .option(given(option, entry, value: included ?? ""))
            case "false": return .withdrawal(long: option.long, value: included)
            default: throw error(.notASwitch(option: entry.name), in: configuration, line: entry.line)
            }
        }
        if let implied = expected.implied {
            switch entry.value {
            case nil, "true": return .option(given(option, entry, value: implied))
            case "false": return .withdrawal(long: option.long, value: nil)
            default: break
            }
        }
        guard let value = entry.value else {
            let reason = ConfigurationError.Reason.missingValue(option: entry.name, placeholder: expected.placeholder)
            throw error(reason, in: configuration, line: entry.line)
        }
        return .option(given(option, entry, value: expandingHome(value, of: expected, configuration.home)))
    }

    /// The meaning of an entry that is not an option of this command.
    private func meaningElsewhere(
        of entry: Configuration.Entry, in configuration: Configuration
    ) throws(UsageError) -> Meaning {
        if profileKeys.contains(entry.name) { return .nothing }
        let others = program.commands.flatMap(\.options).filter { !$0.isInformational }
        if others.contains(where: { $0.isNamed("--" + entry.name) }) { return .nothing }
        let nearest = EditDistance.nearest(to: entry.name, among: Set(others.map(\.long) + profileKeys).sorted())
        throw error(.unknownOption(entry.name, nearest: nearest), in: configuration, line: entry.line)
    }

    /// The names of the operands that profiles may contain.
    private var profileKeys: [String] { program.commands.flatMap(\.operands).compactMap(\.profileKey) }

    private func given(_ option: OptionDescription, _ entry: Configuration.Entry, value: String) -> GivenOption {
        GivenOption(description: option, typed: entry.name, value: value, line: entry.line)
    }

    /// Replaces `~/` at the beginning of a path, which a shell does on a command line, and `@~/` before a secret's path.
    private func expandingHome(_ value: String, of expected: OptionValue, _ home: String?) -> String {
        guard let home else { return value }
        if value.hasPrefix("@~/") { return "@" + home + value.dropFirst(2) }
        let isPath = expected.completion == .file || expected.completion == .directory
        return isPath && value.hasPrefix("~/") ? home + value.dropFirst() : value
    }

    /// Applies all options in the order of their layers.
    private mutating func updateArguments(with configuration: Configuration) throws(UsageError) {
        arguments = initialArguments
        for option in given {
            guard let update = options.first(where: { $0.description.long == option.description.long })?.update else {
                continue
            }
            do throws(ValueProblem) {
                try update(&arguments, option.value)
            } catch {
                let problem = UsageError.badValue(name: option.typed, value: option.value, problem: error)
                guard let line = option.line else { throw problem }
                throw self.error(.usage(problem), in: configuration, line: line)
            }
        }
    }

    private func error(
        _ reason: ConfigurationError.Reason, in configuration: Configuration, line: Int? = nil
    ) -> UsageError {
        .configuration(ConfigurationError(path: configuration.path, line: line, reason: reason))
    }
}

extension ProgramDescription {
    /// Whether an entry of a configuration file starts a program, in any command.
    public func startsProgram(_ entry: Configuration.Entry) -> Bool {
        guard entry.value != "false" else { return false }
        if OptionDescription.insertsOutput(entry.value ?? "") { return true }
        let operands = commands.flatMap(\.operands).filter { $0.profileKey == entry.name }
        if operands.contains(where: { $0.startsProgram(entry.value ?? "") }) { return true }
        let typed = "--" + entry.name
        return commands.flatMap(\.options).contains { option in
            option.isNamed(typed) && option.startsProgram(option.alias(typed)?.value ?? entry.value ?? "")
        }
    }
}
