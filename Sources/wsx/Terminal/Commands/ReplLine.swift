import CommandLine
import WSCore

/// A line typed at the prompt.
enum ReplLine: Equatable {
    /// A message to be sent; never empty.
    case message([UInt8])
    /// Nothing was typed.
    case empty
    case action(ReplAction)
    /// A command that cannot be carried out, and why.
    case mistake(String)

    /// Reads a line: one that begins with a slash is a command, with two slashes a message that begins with one.
    /// - Parameter commands: Those there are.
    init(_ line: [UInt8], commands: [ReplCommand]) {
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
        guard let command = commands.first(where: { $0.name == name }) else {
            self = .mistake(Self.unknown(name, among: commands))
            return
        }
        do throws(ReplMistake) {
            self = .action(try command.read(ReplArgument(bytes: words.count > 1 ? Array(words[1]) : [])))
        } catch {
            self = .mistake("/\(name): \(error.why)")
        }
    }

    /// What is said of a command that there is not.
    static func unknown(_ name: String, among commands: [ReplCommand]) -> String {
        let nearest = EditDistance.nearest(to: name, among: commands.map(\.name))
        let shown = escapingControls(name)
        let hint = nearest.map { "did you mean '/\($0)'?" } ?? "/help lists the commands; //\(shown) sends it"
        return "unknown command '/\(shown)'; \(hint)"
    }
}
