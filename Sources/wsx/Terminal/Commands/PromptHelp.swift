import CommandLine
import WSCore

/// The texts of `/help`.
enum PromptHelp {
    /// The list of commands, one per line.
    static func text(of commands: [PromptCommandDescription]) -> String {
        let width = commands.map(\.usage.count).max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.usage.count + 2)
            return command.usage + padding + command.summary + "\n"
        }
        return lines.joined() + "Any other line is sent as a message; //TEXT sends /TEXT.\n"
    }

    /// The explanation of one command, or nil if it does not exist.
    static func text(about topic: String, among commands: [PromptCommandDescription]) -> String? {
        let name = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        guard let command = commands.first(where: { $0.name == name }) else { return nil }
        return ([command.usage] + HelpText.wrapped(command.explanation.plain, indentation: 2)).joined(separator: "\n")
            + "\n"
    }

    /// The error for an unknown command.
    static func unknown(_ name: String, among commands: [PromptCommandDescription]) -> String {
        let nearest = EditDistance.nearest(to: name, among: commands.map(\.name))
        let shown = escapingControls(name)
        let hint = nearest.map { "did you mean '/\($0)'?" } ?? "/help lists the commands; //\(shown) sends it"
        return "unknown command '/\(shown)'; \(hint)"
    }
}
