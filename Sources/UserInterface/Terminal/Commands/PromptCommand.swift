import CommandLine

/// A slash command: its description, and the function that converts its argument to an action.
package struct PromptCommand<Action: Sendable>: Sendable {
    /// Converts the argument, the text after the name and one space.
    typealias Reader = @Sendable (PromptArgument) throws(PromptMistake) -> Action

    /// The command's description.
    package let description: PromptCommandDescription
    let read: Reader

    private init(_ description: PromptCommandDescription, read: @escaping Reader) {
        self.description = description
        self.read = read
    }

    /// Declares a command.
    ///
    /// - Parameters:
    ///   - name: The name without the slash.
    ///   - argument: The argument's syntax, as help shows it: `[CODE [REASON]]`; empty if there is no argument.
    ///   - summary: One line for help, without a full stop.
    ///   - details: Further sentences for `/help NAME` and the manual.
    ///   - completion: The kind of argument that Tab completes.
    ///   - takesJSON: Whether the argument is JSON, which may span several lines.
    ///   - read: Converts the argument, the text after the name and one space.
    init(
        _ name: String, _ argument: String = "", _ summary: String, details: MarkedText? = nil,
        completion: PromptCommandDescription.Completion = .none, takesJSON: Bool = false, read: @escaping Reader
    ) {
        description = PromptCommandDescription(
            name: name, argument: argument, summary: summary, details: details, completion: completion,
            takesJSON: takesJSON)
        self.read = read
    }

    /// The command with its action transformed.
    func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> PromptCommand<Other> {
        let read = read
        return PromptCommand<Other>(description) { argument throws(PromptMistake) in transform(try read(argument)) }
    }
}

/// The description of a slash command, for help, completion, and the manual.
package struct PromptCommandDescription: Sendable {
    /// The kind of argument that Tab completes.
    enum Completion {
        case none
        case file
        /// A command's name.
        case command
        /// A literal word of the argument's syntax.
        case word
        case closeCode
        /// A URL of an earlier `/connect`.
        case url
        /// The path of a value in recent messages.
        case path
        /// A format of binary messages, or `off`.
        case codec
        /// The name of a saved message, and its parameters.
        case savedMessage
    }

    /// The name without the slash.
    package let name: String
    /// The argument's syntax, as help shows it: `[CODE [REASON]]`; empty if there is no argument.
    let argument: String
    /// One line for help, without a full stop.
    package let summary: String
    /// Further sentences for `/help NAME` and the manual.
    let details: MarkedText?
    let completion: Completion
    /// Whether the argument is JSON, which may span several lines.
    let takesJSON: Bool

    /// The usage: `/close [CODE [REASON]]`.
    var usage: String { argument.isEmpty ? "/\(name)" : "/\(name) \(argument)" }

    /// The literal words in the argument's syntax: `text` and `binary` in `[text|binary] PATH`.
    var argumentWords: [String] {
        argument.split { !$0.isLetter }.filter { $0 == $0.lowercased() }.map(String.init)
    }

    /// The usage with its literals and placeholders marked: `` `/close` [*CODE* [*REASON*]] ``.
    package var markedUsage: MarkedText {
        guard !argument.isEmpty else { return MarkedText("`/\(name)`") }
        var marked = "`/\(name)` "
        var word = ""
        func endWord() {
            // Placeholders are in upper case, literals in lower case.
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

    /// The summary and the details as sentences.
    var explanation: MarkedText {
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        return MarkedText(sentence + (details.map { " " + $0.source } ?? ""))
    }
}
