import WSCore

/// A line typed at the prompt.
package enum PromptLine<Prompt> {
    /// A message to send; never empty.
    case message([UInt8])
    /// An empty line.
    case empty
    case call(PromptCommand<Prompt>.Call, of: PromptCommandDescription)
    /// The error for an unknown command or an invalid argument.
    case mistake(String)

    /// Parses a line. A line that begins with a slash is a command; two slashes begin a message that starts with one.
    /// - Parameter commands: The commands of the prompt.
    package init(_ line: [UInt8], commands: [PromptCommand<Prompt>]) {
        guard line.first == UInt8(ascii: "/") else {
            self = line.isEmpty ? .empty : .message(line)
            return
        }
        let rest = Array(line.dropFirst())
        guard rest.first != UInt8(ascii: "/") else {
            self = .message(rest)
            return
        }
        // Pasted text may have a newline after the name.
        let words = rest.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n")
        }
        var name = String(decoding: words[0], as: UTF8.self)
        var argument = words.count > 1 ? Array(words[1]) : []
        // `/17` is short for `/show 17`.
        if !name.isEmpty, words.count == 1, words[0].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            (name, argument) = ("show", Array(words[0]))
        }
        if PromptHelp.namesOfQuit.contains(name) { name = "quit" }
        if ["h", "?"].contains(name) { name = "help" }
        let descriptions = commands.map(\.description)
        let command = commands.first { $0.description.name == name }
        if let line = PromptHelp.addressed(name, argument, among: descriptions) {
            let mistake = command == nil ? "unknown command '/\(escapingControls(name))';" : "/\(name):"
            self = .mistake("\(mistake) to address a client, write '\(line)'")
            return
        }
        guard let command else {
            self = .mistake(PromptHelp.unknown(name, among: descriptions))
            return
        }
        do throws(PromptMistake) {
            self = .call(try command.read(PromptArgument(bytes: argument)), of: command.description)
        } catch {
            self = .mistake("/\(name): \(error.why); usage: \(command.description.usage)")
        }
    }
}
