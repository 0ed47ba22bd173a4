/// One option of a group or command: its description, and the function that writes its value into the arguments.
///
/// An option is declared once, for the struct that has its property. A command lifts it by the key path to that struct:
///
///     extension LimitArguments {
///         static let options = [
///             OptionSpecification<Self>("max-fragments", value: OptionValue("N"), …) { arguments, value … }
///         ]
///     }
///     extension ConnectArguments {
///         @OptionTable<Self> static var options: [OptionSpecification<Self>] {
///             LimitArguments.options.lifted(\.limits)
///             …
///         }
///     }
public struct OptionSpecification<Arguments>: Sendable {
    /// Writes a value, empty for an option that takes none, into the arguments.
    public typealias Update = @Sendable (inout Arguments, String) throws(ValueProblem) -> Void

    /// The names and words of the option.
    public internal(set) var description: OptionDescription
    /// The subjects of further options that conflict with this one; see ``Array/resolved()``.
    fileprivate let excludedSubjects: OptionSubjects
    let update: Update

    private init(_ description: OptionDescription, excludes subjects: OptionSubjects, update: @escaping Update) {
        self.description = description
        excludedSubjects = subjects
        self.update = update
    }

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - long: The name without its two hyphens.
    ///   - short: The letter that stands for it.
    ///   - value: The value that follows; nil: the option takes no value.
    ///   - defaultValue: The default as typed, for help and manual.
    ///   - repetition: The meaning of several occurrences.
    ///   - subjects: What the option is about.
    ///   - conflicts: The options that conflict with this one.
    ///   - excludedSubjects: All options about these subjects conflict with this one, too.
    ///   - requirements: This option has no effect without at least one of these.
    ///   - heading: The heading under which help and manual show it.
    ///   - summary: One line for help, without a full stop.
    ///   - startsProgram: Whether a value, empty for an option that takes none, starts a program. By default, none does.
    ///   - manual: The paragraphs of `--help` and the manual.
    ///   - example: A fragment of a command line that uses the option. Help puts it after the command's name and before its
    ///     operands.
    ///   - seeAlso: Related options that the same commands have.
    ///   - aliases: Other names that users know from other tools.
    ///   - update: Writes the value into the arguments.
    public init(
        _ long: String, _ short: Character? = nil, value: OptionValue? = nil, default defaultValue: String? = nil,
        repetition: OptionRepetition = .lastCounts, about subjects: OptionSubjects = [],
        conflicts: [OptionReference] = [], excludes excludedSubjects: OptionSubjects = [],
        requires requirements: [OptionReference] = [],
        startsProgram: @escaping OptionDescription.ProgramRule = { _ in false }, heading: OptionHeading,
        summary: String, manual: MarkedText..., example: String? = nil, seeAlso: [OptionReference] = [],
        aliases: [OptionAlias] = [], update: @escaping Update
    ) {
        description = OptionDescription(
            long: long, short: short, value: value, defaultValue: defaultValue, repetition: repetition,
            subjects: subjects, conflicts: conflicts, requirements: requirements, startsProgram: startsProgram,
            heading: heading, summary: summary, manual: manual, example: example, seeAlso: seeAlso, aliases: aliases)
        self.excludedSubjects = excludedSubjects
        self.update = update
    }

    /// Returns the option for arguments that contain this option's arguments.
    public func lifted<Whole>(
        _ path: WritableKeyPath<Whole, Arguments> & Sendable
    ) -> OptionSpecification<Whole> {
        let update = update
        return OptionSpecification<Whole>(description, excludes: excludedSubjects) {
            whole, value throws(ValueProblem) in
            try update(&whole[keyPath: path], value)
        }
    }
}

/// Builds the table of a command or group from options and groups, one per line.
@resultBuilder
public enum OptionTable<Arguments> {
    /// One option.
    public static func buildExpression(
        _ option: OptionSpecification<Arguments>
    ) -> [OptionSpecification<Arguments>] { [option] }

    /// The options of a group.
    public static func buildExpression(
        _ options: [OptionSpecification<Arguments>]
    ) -> [OptionSpecification<Arguments>] { options }

    /// All of them.
    public static func buildBlock(_ parts: [OptionSpecification<Arguments>]...) -> [OptionSpecification<Arguments>] {
        parts.flatMap { $0 }
    }
}

extension Array {
    /// Returns the options of a group for arguments that contain the group.
    public func lifted<Group, Whole>(
        _ path: WritableKeyPath<Whole, Group> & Sendable
    ) -> [OptionSpecification<Whole>] where Element == OptionSpecification<Group> {
        map { $0.lifted(path) }
    }

    /// Returns those of the options that have one of these names.
    public func only<Arguments>(_ names: [String]) -> Self where Element == OptionSpecification<Arguments> {
        filter { names.contains($0.description.long) }
    }

    /// Returns the options of a command that takes them from others: without references to options that it lacks, and with
    /// its own examples.
    /// - Parameter examples: Fragments of command lines, by the names of options.
    public func adapted<Arguments>(
        examples: [String: String]
    ) -> Self where Element == OptionSpecification<Arguments> {
        let names = map(\.description.long)
        return map { option in
            var option = option
            option.description.conflicts.removeAll { !names.contains($0.long) }
            option.description.seeAlso.removeAll { !names.contains($0.long) }
            if let example = examples[option.description.long] { option.description.example = example }
            return option
        }
    }

    /// Returns the options of a command with the conflicts that follow from their subjects.
    func resolved<Arguments>() -> Self where Element == OptionSpecification<Arguments> {
        var options = self
        for (index, option) in enumerated() where !option.excludedSubjects.isEmpty {
            options[index].description.conflicts += flatMap { other in
                other.description.long == option.description.long
                    ? [] : other.description.references(to: option.excludedSubjects)
            }
        }
        return options
    }
}

/// The meaning of several occurrences of an option.
public enum OptionRepetition: Sendable {
    /// The last one counts.
    case lastCounts
    /// They add up.
    case adds
    /// They add up, and those of the command line replace those of a configuration file.
    case replaces
    /// A second, different value is an error: only one of them could have an effect.
    case mustAgree

    /// Whether several values have an effect.
    var isRepeatable: Bool { self == .adds || self == .replaces }
    /// Whether a value of a higher layer, such as the command line, takes the place of those of a lower one.
    var isReplaced: Bool { self == .mustAgree || self == .replaces }
}

/// The description of an option, for help, manual, completions, and errors.
public struct OptionDescription: Sendable {
    /// Whether a value starts a program.
    public typealias ProgramRule = @Sendable (String) -> Bool

    /// The name without its two hyphens.
    public let long: String
    /// The letter that stands for it.
    public var short: Character?
    /// The value, or nil for an option that takes none.
    public var value: OptionValue?
    /// The default as typed, for help and manual.
    public var defaultValue: String?
    /// The meaning of several occurrences.
    public var repetition = OptionRepetition.lastCounts
    /// What the option is about with any value.
    var subjects: OptionSubjects = []
    /// The options that conflict with this one. A value equal to its option's default never conflicts.
    public internal(set) var conflicts: [OptionReference] = []
    /// This option has no effect without at least one of these.
    public var requirements: [OptionReference] = []
    /// Whether a value, empty for an option that takes none, starts a program. Texts of other people, such as pasted
    /// commands and configuration files that they can write, must not contain such a value.
    public internal(set) var startsProgram: ProgramRule = { _ in false }
    /// Whether a value inserts the output of a program with a placeholder, `{{exec:COMMAND}}`, in whatever option.
    static func insertsOutput(_ value: String) -> Bool {
        let utf8 = value.utf8
        func contains(_ text: String) -> Bool { utf8.indices.contains { utf8[$0...].starts(with: text.utf8) } }
        return contains("{{") && contains("exec:")
    }

    /// The heading under which help and manual show it.
    public let heading: OptionHeading
    /// One line for help, without a full stop.
    public let summary: String
    /// The paragraphs of `--help` and the manual.
    public let manual: [MarkedText]
    /// A fragment of a command line that uses the option, without the command's name and operands.
    public var example: String?
    /// Related options that the same commands have.
    public var seeAlso: [OptionReference] = []
    /// Other names, which the manual mentions but completions do not offer.
    public var aliases: [OptionAlias] = []

    /// The option that every command has.
    static let help = OptionDescription(
        long: "help", short: "h", heading: .general, summary: "Show help; -h is the short form",
        manual: ["Show help: `-h` a line per option, `--help` everything."])

    /// The option that the program has without a command.
    static let version = OptionDescription(
        long: "version", short: "V", heading: .general, summary: "Show the version",
        manual: [
            """
            Show the version on standard output and exit. `--version -v` also shows those of the libraries in the program.
            """
        ])

    /// Whether the option ends the parse with a text, unlike those of ``OptionSpecification``.
    var isInformational: Bool { heading == .general }

    /// Whether `typed`, with its hyphens and without a value, is a name or an alias of the option.
    func isNamed(_ typed: String) -> Bool { names.contains(typed) || alias(typed) != nil }

    /// The alias that was typed, or nil for another name of the option.
    func alias(_ typed: String) -> OptionAlias? { aliases.first { $0.name == typed } }

    /// The forms in which the option is typed: `-n` and `--count`.
    var names: [String] { [short.map { "-\($0)" }, "--" + long].compactMap { $0 } }

    /// The references to this option, or to its values, that are about one of the subjects.
    func references(to subjects: OptionSubjects) -> [OptionReference] {
        guard subjects.isDisjoint(with: self.subjects) else { return [OptionReference(long)] }
        let choices = value?.completion.choices ?? []
        return choices.filter { !subjects.isDisjoint(with: $0.subjects) }.map { OptionReference(long, value: $0.name) }
    }

    /// The sentences that follow the manual: default, other names, repetition, requirements, and conflicts.
    var notes: [MarkedText] {
        var notes: [MarkedText] = []
        if let defaultValue { notes.append(MarkedText("Default: `\(defaultValue)`.")) }
        let synonyms = aliases.filter { $0.value == nil }.map { "`\($0.name)`" }
        if !synonyms.isEmpty { notes.append(MarkedText("Also: \(synonyms.joined(separator: ", ")).")) }
        for alias in aliases {
            guard let value = alias.value else { continue }
            notes.append(MarkedText("`\(alias.name)` is short for `--\(long) \(value)`."))
        }
        switch repetition {
        case .lastCounts: break
        case .adds, .replaces: notes.append("May be repeated.")
        case .mustAgree: notes.append("If repeated, all values must be equal.")
        }
        if !requirements.isEmpty {
            notes.append(MarkedText("Only with \(Self.alternatives(requirements))."))
        }
        // A longer list is that of a mode, which excludes most options. Errors and `wsx help --json` name them.
        if !conflicts.isEmpty, conflicts.count < 12 {
            notes.append(MarkedText("Cannot be used with \(Self.alternatives(conflicts))."))
        }
        return notes
    }

    /// References as a list, with the values of an option together: `--size` or `--mode=send|idle`.
    private static func alternatives(_ references: [OptionReference]) -> String {
        var merged: [OptionReference] = []
        for reference in references {
            if let last = merged.last, last.long == reference.long, let earlier = last.value,
                let value = reference.value
            {
                merged[merged.count - 1] = OptionReference(last.long, value: earlier + "|" + value)
            } else {
                merged.append(reference)
            }
        }
        return ValueProblem.alternatives(merged.map { "`\($0.words)`" })
    }

    /// The sentence that names related options that the explanation does not mention, if any.
    var relatedOptions: MarkedText? {
        let literals = (manual + notes).flatMap(\.runs).filter { $0.style == .literal }.map(\.text)
        let mentioned = literals.flatMap { $0.split { $0 == " " || $0 == "=" } }
        let others = seeAlso.map(\.words).filter { name in !mentioned.contains { $0 == name } }
        guard !others.isEmpty else { return nil }
        return MarkedText("See also: " + others.map { "`\($0)`" }.joined(separator: ", ") + ".")
    }
}

/// Another name for an option, which parses like the option.
public struct OptionAlias: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The name as typed: `--cacert` or `-u`.
    public let name: String
    /// The value that the name implies; none may follow. Nil: a value follows, as after the option.
    public let value: String?

    /// Declares an alias.
    ///
    /// - Parameters:
    ///   - name: The name without hyphens. A name of one letter gets one hyphen, any other gets two.
    ///   - value: The value that the name implies; nil: none.
    public init(_ name: String, value: String? = nil) {
        self.name = (name.count == 1 ? "-" : "--") + name
        self.value = value
    }

    /// Declares an alias without a value.
    public init(stringLiteral name: String) { self.init(name) }
}

/// The value that follows an option.
public struct OptionValue: Equatable, Sendable {
    /// The placeholder in help and manual.
    public let placeholder: String
    /// The words that a shell may offer.
    public let completion: ValueCompletion
    /// The value of the option alone. Another value then follows an equals sign, and there is no short name. Nil: a
    /// value must follow.
    public let implied: String?

    /// Describes a value.
    public init(_ placeholder: String, _ completion: ValueCompletion = .none, implied: String? = nil) {
        self.placeholder = placeholder
        self.completion = completion
        self.implied = implied
    }

    /// The text after the option's name, with the placeholder as `style` shows it: ` N` or `[=off]`.
    func suffix(_ style: (String) -> String = { $0 }) -> String {
        implied == nil ? " " + style(placeholder) : "[=" + style(placeholder) + "]"
    }
}

/// A heading over options in help and manual.
public struct OptionHeading: Equatable, Sendable {
    /// The words.
    public let title: String

    /// The heading over `--help` and `--version`, which is the last one.
    public static let general = OptionHeading("General")

    /// Creates a heading.
    public init(_ title: String) {
        self.title = title
    }
}
