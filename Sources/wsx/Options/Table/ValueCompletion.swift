/// What a shell may offer in place of a value.
enum ValueCompletion: Equatable {
    case none
    case file
    case directory
    /// A program, and after it the words that the program takes.
    case program
    /// The beginning of a URL.
    case url
    case choices([ValueChoice])

    /// The words of a type, with their meanings.
    static func choices(of type: (some OptionChoice).Type) -> ValueCompletion {
        .choices(type.allCases.map { ValueChoice(name: $0.rawValue, summary: $0.summary) })
    }

    /// How the URLs begin that a server is reached by.
    static let urlPrefixes = ["echo:", "ws://", "wss://"]

    /// The words to choose from, if the value is one of a few.
    var choices: [ValueChoice] {
        if case .choices(let choices) = self { choices } else { [] }
    }
}
