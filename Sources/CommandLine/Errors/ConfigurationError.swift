/// An error in a configuration file, or in the use of one.
public struct ConfigurationError: Error, Equatable {
    /// The path of the file.
    public let path: String
    /// The number of the line, or `nil` if the error concerns the whole file.
    public let line: Int?
    /// The problem.
    public let reason: Reason

    /// Creates an error.
    public init(path: String, line: Int? = nil, reason: Reason) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// A problem of a configuration.
    public enum Reason: Error, Equatable {
        /// The file cannot be read, or must not be used. The words follow a colon.
        case unusable(String)
        /// The line contains a NUL byte.
        case nul
        /// The line is neither a section nor an option.
        case notAnOption
        /// The name of an option begins with hyphens; the name without them.
        case hyphens(String)
        case unclosedSection
        case textAfterSection
        case badProfileName(String)
        case repeatedProfile(String, firstLine: Int)
        case unclosedQuote
        case textAfterQuote
        case unknownEscape
        /// No command has the option. `nearest` is the name that was probably intended.
        case unknownOption(String, nearest: String?)
        /// An operand, such as `url`, outside of a profile.
        case operandOutsideProfile(String)
        /// An option without the value that it needs.
        case missingValue(option: String, placeholder: String)
        /// A value other than `true` and `false` for an option that takes none.
        case notASwitch(option: String)
        /// The program has no such profile. `nearest` is the name that was probably intended, and `names` are all.
        case unknownProfile(String, nearest: String?, names: [String])
        /// There is no configuration file, and why.
        case noProfiles(String, absence: String)
        /// An operand is `@` alone; the names of all profiles.
        case missingProfileName(names: [String])
        /// The operand in a profile is the name of a profile; the name of its option.
        case profileInProfile(option: String, value: String, placeholder: String)
        /// The profile lacks the operand that the command needs; the names of the profile and of its option.
        case missingOperand(profile: String, key: String)
        /// An error that could also occur on a command line, with the names of options as in the file.
        indirect case usage(UsageError)
    }
}

extension ConfigurationError {
    /// The number of profiles that an error lists.
    private static let listedNames = 8

    /// Returns the place, the problem, and the remedy on one line. Words from the file are included unchanged, with
    /// control characters.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - shown: Removes secrets, such as passwords, from a word.
    func words(of program: String, shown: (String) -> String) -> String {
        let place = line.map { "\(path), line \($0)" } ?? path
        switch reason {
        case .unknownProfile(let name, let nearest?, _):
            return "unknown profile '@\(name)'; did you mean '@\(nearest)'?"
        case .unknownProfile(let name, nil, let names):
            return "unknown profile '@\(name)'; \(path) has \(Self.list(names))"
        case .noProfiles(let name, let absence):
            return "unknown profile '@\(name)'; \(absence)"
        case .missingProfileName(let names):
            return "'@' needs the name of a profile; \(path) has \(Self.list(names))"
        case .profileInProfile(let option, let value, let placeholder):
            return
                "\(place): '\(option)' cannot be another profile ('\(shown(value))'): write \(option) = \(placeholder)"
        case .unusable(let words): return "\(place): \(words)"
        case .nul: return "\(place): the line contains a NUL byte; remove it"
        case .notAnOption: return "\(place): expected 'option = value', '[profile]', or a comment that begins with #"
        case .hyphens(let name): return "\(place): omit the leading hyphens: write '\(name)'"
        case .unclosedSection: return "\(place): the closing bracket of the profile's name is missing"
        case .textAfterSection: return "\(place): unexpected text after ']'; options need their own lines"
        case .badProfileName(let name):
            return "\(place): invalid profile name '\(name)'; use letters, digits, '-', '_', and '.'"
        case .repeatedProfile(let name, let firstLine):
            return "\(place): the profile '\(name)' already begins in line \(firstLine); give this one another name"
        case .unclosedQuote: return "\(place): the closing quote is missing"
        case .textAfterQuote:
            return "\(place): unexpected text after the closing quote; write quotes within quotes as \\\""
        case .unknownEscape: return "\(place): within quotes, write a backslash as \\\\ and a quote as \\\""
        case .unknownOption(let name, let nearest?):
            return "\(place): unknown option '\(name)'; did you mean '\(nearest)'?"
        case .unknownOption(let name, nil):
            return "\(place): unknown option '\(name)'; '\(program) help' and '-h' list the options"
        case .operandOutsideProfile(let name):
            return "\(place): '\(name)' belongs in a profile; begin one with a line such as [local]"
        case .missingValue(let option, let placeholder):
            return "\(place): '\(option)' needs a value: \(option) = \(placeholder)"
        case .notASwitch(let option): return "\(place): '\(option)' takes no value but true or false"
        case .missingOperand(let profile, let key):
            return "\(place): the profile '\(profile)' has no \(key); add one, or write it after @\(profile)"
        case .usage(let error): return "\(place): \(error.words(of: program, shown: shown))"
        }
    }
    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "no profiles" }
        let listed = names.prefix(listedNames).map { "@\($0)" } + (names.count > listedNames ? ["…"] : [])
        return listed.joined(separator: ", ")
    }
}
