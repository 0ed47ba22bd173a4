/// What a shell may offer in place of a value.
enum ValueCompletion: Equatable {
    case none
    case file
    case choices([ValueChoice])

    /// The words of a type, with their meanings.
    static func choices(of type: (some OptionChoice).Type) -> ValueCompletion {
        .choices(type.allCases.map { ValueChoice(name: $0.rawValue, summary: $0.summary) })
    }

    /// The words to choose from, if the value is one of a few.
    var choices: [ValueChoice] {
        if case .choices(let choices) = self { choices } else { [] }
    }
}
