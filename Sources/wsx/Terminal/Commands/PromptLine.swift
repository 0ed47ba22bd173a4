import WSCore

/// A line typed at the prompt.
enum PromptLine<Action: Equatable & Sendable>: Equatable {
    /// A message to be sent; never empty.
    case message([UInt8])
    /// Nothing was typed.
    case empty
    case action(Action)
    /// A command that cannot be carried out, and why.
    case mistake(String)

    /// Reads a line: one that begins with a slash is a command, with two slashes a message that begins with one.
    /// - Parameter commands: Those there are.
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
            self = .mistake("/\(name): \(error.why)")
        }
    }
}
