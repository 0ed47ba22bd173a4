import CommandLine

/// The words of `/help`.
enum ReplHelp {
    /// A line for each command.
    static func text(of commands: [ReplCommand]) -> String {
        let width = commands.map(\.usage.count).max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.usage.count + 2)
            return command.usage + padding + command.summary + "\n"
        }
        return lines.joined() + "Anything else is sent as a message; //TEXT sends /TEXT.\n"
    }

    /// What `/help NAME` shows; nil: there is no such command.
    static func text(about topic: String, among commands: [ReplCommand]) -> String? {
        let name = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        guard let command = commands.first(where: { $0.name == name }) else { return nil }
        return ([command.usage] + HelpText.wrapped(command.explanation.plain, indentation: 2)).joined(separator: "\n")
            + "\n"
    }
}
