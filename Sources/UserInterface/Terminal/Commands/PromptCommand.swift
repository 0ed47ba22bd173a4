import CommandLine

/// A slash command of a prompt: its description, and its call.
package struct PromptCommand<Prompt>: Sendable {
    /// What a command does, with its argument.
    package typealias Call = (Prompt) -> Void

    /// The command's description.
    package let description: PromptCommandDescription
    /// Reads the argument, the text after the name and one space.
    let read: @Sendable (PromptArgument) throws(PromptMistake) -> Call

    /// Declares a command.
    ///
    /// - Parameters:
    ///   - name: The name without the slash.
    ///   - argument: The argument's syntax, as help shows it: `[CODE [REASON]]`; empty if there is no argument.
    ///   - summary: One line for help, without a full stop.
    ///   - group: The place in help.
    ///   - details: Further sentences for `/help NAME` and the manual.
    ///   - completion: The kind of argument that Tab completes.
    ///   - takesJSON: Whether the argument is JSON, which may span several lines.
    ///   - isForOneClient: Whether a server's prompt may address the command to one client.
    ///   - read: The method that reads the argument.
    ///   - call: Executes the command with its argument.
    package init<Argument>(
        _ name: String, _ argument: String, _ summary: String, in group: PromptCommandDescription.Group,
        details: MarkedText? = nil, completion: PromptCommandDescription.Completion = .none, takesJSON: Bool = false,
        isForOneClient: Bool = false,
        reading read: @escaping @Sendable (PromptArgument) -> () throws(PromptMistake) -> Argument,
        call: @escaping @Sendable (Prompt, Argument) -> Void
    ) {
        description = PromptCommandDescription(
            name: name, argument: argument, summary: summary, group: group, details: details, completion: completion,
            takesJSON: takesJSON, isForOneClient: isForOneClient)
        self.read = { argument throws(PromptMistake) in
            let value = try read(argument)()
            return { prompt in call(prompt, value) }
        }
    }

    /// Declares a command without an argument.
    package init(
        _ name: String, _ summary: String, in group: PromptCommandDescription.Group, details: MarkedText? = nil,
        call: @escaping @Sendable (Prompt) -> Void
    ) {
        self.init(name, "", summary, in: group, details: details, reading: PromptArgument.checkEmpty) { prompt, _ in
            call(prompt)
        }
    }

    private init(
        _ description: PromptCommandDescription,
        read: @escaping @Sendable (PromptArgument) throws(PromptMistake) -> Call
    ) {
        (self.description, self.read) = (description, read)
    }

    /// The command of a prompt that has those of another.
    /// - Parameter prompt: Returns the other prompt.
    package func of<Other>(_ prompt: @escaping @Sendable (Other) -> Prompt) -> PromptCommand<Other> {
        let read = read
        return PromptCommand<Other>(description) { argument throws(PromptMistake) in
            let call = try read(argument)
            return { call(prompt($0)) }
        }
    }
}

extension Sequence {
    /// The commands in the order of help: by group, and otherwise as they are.
    package func inOrderOfHelp<Prompt>() -> [PromptCommand<Prompt>] where Element == PromptCommand<Prompt> {
        PromptCommandDescription.Group.allCases.flatMap { group in filter { $0.description.group == group } }
    }
}

/// The description of a slash command, for help, completion, and the manual.
package struct PromptCommandDescription: Sendable {
    /// The place of a command in help.
    package enum Group: CaseIterable, Sendable {
        case sending
        case messages
        case decoding
        case display
        case connection
        case session
        case prompt
    }

    /// The kind of argument that Tab completes.
    package enum Completion: Sendable {
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
    package let group: Group
    /// Further sentences for `/help NAME` and the manual.
    let details: MarkedText?
    let completion: Completion
    /// Whether the argument is JSON, which may span several lines.
    let takesJSON: Bool
    /// Whether a server's prompt may address the command to one client.
    package let isForOneClient: Bool

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
    package var explanation: MarkedText {
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        return MarkedText(sentence + (details.map { " " + $0.source } ?? ""))
    }
}
