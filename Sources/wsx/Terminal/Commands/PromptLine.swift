import WSCore

/// A line typed at the prompt.
enum PromptLine<Action: Equatable & Sendable>: Equatable {
    /// A message to send; never empty.
    case message([UInt8])
    /// An empty line.
    case empty
    case action(Action)
    /// The error for an unknown command or an invalid argument.
    case mistake(String)

    /// Parses a line. A line that begins with a slash is a command; two slashes begin a message that starts with one.
    /// - Parameter commands: The commands of the prompt.
    init(_ line: [UInt8], commands: [PromptCommand<Action>]) {
        guard line.first == UInt8(ascii: "/") else {
            self = line.isEmpty ? .empty : .message(line)
            return
        }
        let rest = Array(line.dropFirst())
        guard rest.first != UInt8(ascii: "/") else {
            self = .message(rest)
            return
        }
        let words = rest.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: words[0], as: UTF8.self)
        guard let command = commands.first(where: { $0.description.name == name }) else {
            self = .mistake(PromptHelp.unknown(name, among: commands.map(\.description)))
            return
        }
        do throws(PromptMistake) {
            self = .action(try command.read(PromptArgument(bytes: words.count > 1 ? Array(words[1]) : [])))
        } catch {
            self = .mistake("/\(name): \(error.why); usage: \(command.description.usage)")
        }
    }
}
