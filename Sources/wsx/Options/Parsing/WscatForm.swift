/// Command lines as wscat has them: an option says what to do, `-c URL` or `-l PORT`, anywhere among the others.
enum WscatForm {
    private static let forms: [(command: Command, short: String, long: String, placeholder: String)] = [
        (.connect, "-c", "--connect", "URL"), (.listen, "-l", "--listen", "PORT"),
    ]

    /// The command that such a line means and what follows it; nil: it is no such line.
    /// - Throws: ``UsageError/missingValue(option:placeholder:)``.
    static func command(of words: [String]) throws(UsageError) -> (Command, arguments: [String])? {
        for (index, word) in words.enumerated() {
            if word == "--" { return nil }
            for form in forms {
                var rest = words
                if word == form.short || word == form.long {
                    guard index + 1 < words.count else {
                        throw .missingValue(option: word, placeholder: form.placeholder)
                    }
                    rest.removeSubrange(index...index + 1)
                    return (form.command, [words[index + 1]] + rest)
                }
                guard word.hasPrefix(form.long + "=") else { continue }
                rest.remove(at: index)
                return (form.command, [String(word.dropFirst(form.long.count + 1))] + rest)
            }
        }
        return nil
    }
}
