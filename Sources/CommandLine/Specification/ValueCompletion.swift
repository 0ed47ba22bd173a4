/// What a shell may offer in place of a value.
public enum ValueCompletion: Equatable, Sendable {
    case none
    case file
    case directory
    /// A program, and after it the words that the program takes.
    case program
    /// The beginning of a URL, one of these.
    case url(prefixes: [String])
    case choices([ValueChoice])

    /// The words of a type, with their meanings.
    public static func choices(of type: (some OptionChoice).Type) -> ValueCompletion {
        .choices(type.allCases.map { ValueChoice(name: $0.rawValue, summary: $0.summary) })
    }

    /// The words to choose from, if the value is one of a few.
    public var choices: [ValueChoice] {
        if case .choices(let choices) = self { choices } else { [] }
    }
}

/// One of the words that an option or operand takes.
public struct ValueChoice: Equatable, Sendable {
    /// The word.
    public let name: String
    /// Its meaning, in a line without a full stop.
    public let summary: String

    /// Makes a choice.
    public init(name: String, summary: String) {
        self.name = name
        self.summary = summary
    }
}

/// A value that is one of a few words.
public protocol OptionChoice: CaseIterable, RawRepresentable<String> {
    /// What the word means, for the manual and the shells.
    var summary: String { get }
}

extension OptionChoice {
    /// Reads one of the words, or throws ``ValueProblem/notAChoice(_:)``.
    public static func parse(_ text: String) throws(ValueProblem) -> Self {
        guard let choice = Self(rawValue: text) else { throw .notAChoice(allCases.map(\.rawValue)) }
        return choice
    }
}
