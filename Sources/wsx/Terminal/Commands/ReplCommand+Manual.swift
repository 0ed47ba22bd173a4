import CommandLine

// How the manual shows the commands of the prompt.
extension ReplCommand {
    /// The command as one types it, with its placeholders marked: `` `/close` [*CODE* [*REASON*]] ``.
    var markedUsage: MarkedText {
        guard !argument.isEmpty else { return MarkedText(stringLiteral: "`/\(name)`") }
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
        return MarkedText(stringLiteral: marked)
    }

    /// What the command does, in sentences.
    var explanation: MarkedText {
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        return MarkedText(stringLiteral: sentence + (details.map { " " + $0.source } ?? ""))
    }
}
