import CommandLine

/// A slash command: its description, and the function that turns its argument into an action.
struct PromptCommand<Action: Sendable>: Sendable {
    /// Reads the argument, after the name and one space.
    typealias Reader = @Sendable (PromptArgument) throws(PromptMistake) -> Action

    /// The command's description.
    let description: PromptCommandDescription
    let read: Reader

    private init(_ description: PromptCommandDescription, read: @escaping Reader) {
        self.description = description
        self.read = read
    }

    /// Declares a command.
    ///
    /// - Parameters:
    ///   - name: The name without the slash.
    ///   - argument: What may follow the name, as help shows it: `[CODE [REASON]]`; empty: nothing.
    ///   - summary: One line for help, without a full stop.
    ///   - details: What `/help NAME` and the manual say besides.
    ///   - completion: What can be completed after the name.
    ///   - takesJSON: Whether the argument is JSON, which may span several lines.
    ///   - read: Reads the argument, after the name and one space.
    init(
        _ name: String, _ argument: String = "", _ summary: String, details: MarkedText? = nil,
        completion: PromptCommandDescription.Completion = .none, takesJSON: Bool = false, read: @escaping Reader
    ) {
        description = PromptCommandDescription(
            name: name, argument: argument, summary: summary, details: details, completion: completion,
            takesJSON: takesJSON)
        self.read = read
    }

    /// The command with another action.
    func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> PromptCommand<Other> {
        let read = read
        return PromptCommand<Other>(description) { argument throws(PromptMistake) in transform(try read(argument)) }
    }
}

/// What help, completion, and the manual know of a command of a prompt.
struct PromptCommandDescription: Sendable {
    /// What can be completed after the name.
    enum Completion {
        case none
        case file
        /// The names of the commands.
        case command
    }

    /// The name without the slash.
    let name: String
    /// What may follow the name, as help shows it: `[CODE [REASON]]`; empty: nothing.
    let argument: String
    /// One line for help, without a full stop.
    let summary: String
    /// What `/help NAME` and the manual say besides.
    let details: MarkedText?
    let completion: Completion
    /// Whether the argument is JSON, which may span several lines.
    let takesJSON: Bool

    /// The command as one types it: `/close [CODE [REASON]]`.
    var usage: String { argument.isEmpty ? "/\(name)" : "/\(name) \(argument)" }

    /// The words that stand for themselves in what may follow: `text` and `binary` in `[text|binary] PATH`.
    var argumentWords: [String] {
        argument.split { !$0.isLetter }.filter { $0 == $0.lowercased() }.map(String.init)
    }

    /// The command as one types it, with its placeholders marked: `` `/close` [*CODE* [*REASON*]] ``.
    var markedUsage: MarkedText {
        guard !argument.isEmpty else { return MarkedText("`/\(name)`") }
        var marked = "`/\(name)` "
        var word = ""
        func endWord() {
            // Capitals stand for something, small letters for themselves.
            let mark = word == word.uppercased() ? "*" : "`"
            if !word.isEmpty { marked += mark + word + mark }
            word = ""
        }
        for character in argument {
            if character.isLetter {
                word.append(character)
            } else {
                endWord()
                marked.append(character)
            }
        }
        endWord()
        return MarkedText(marked)
    }

    /// What the command does, in sentences.
    var explanation: MarkedText {
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        return MarkedText(sentence + (details.map { " " + $0.source } ?? ""))
    }
}
