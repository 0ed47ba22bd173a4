/// The completions that shells offer for a value.
public enum ValueCompletion: Equatable, Sendable {
    case none
    case file
    case directory
    /// A program, followed by the program's arguments.
    case program
    /// A URL with one of these prefixes, or a line that the completions command prints for the operand `list`.
    case url(prefixes: [String], list: String)
    case choices([ValueChoice])

    /// The words of a type, with their descriptions.
    public static func choices(of type: (some OptionChoice).Type) -> ValueCompletion {
        .choices(type.allCases.map { ValueChoice(name: $0.rawValue, summary: $0.summary, subjects: $0.subjects) })
    }

    /// The choices; empty if the value is not one of a fixed set.
    public var choices: [ValueChoice] {
        if case .choices(let choices) = self { choices } else { [] }
    }
}

/// A word that an option or operand accepts.
public struct ValueChoice: Equatable, Sendable {
    /// The word.
    public let name: String
    /// A one-line description without a period.
    public let summary: String
    /// What the option is about with this value, in addition to its own subjects.
    let subjects: OptionSubjects

    /// Creates a choice.
    public init(name: String, summary: String, subjects: OptionSubjects = []) {
        self.name = name
        self.summary = summary
        self.subjects = subjects
    }
}

/// A value from a fixed set of words.
public protocol OptionChoice: CaseIterable, RawRepresentable<String> {
    /// The description of the word for the manual and the shells.
    var summary: String { get }
    /// What the option is about with this value, in addition to its own subjects. None by default.
    var subjects: OptionSubjects { get }
}

extension OptionChoice {
    public var subjects: OptionSubjects { [] }

    /// Parses one of the words.
    /// - Throws: ``ValueProblem/notAChoice(_:)``.
    public static func parse(_ text: String) throws(ValueProblem) -> Self {
        guard let choice = Self(rawValue: text) else { throw .notAChoice(allCases.map(\.rawValue)) }
        return choice
    }
}
