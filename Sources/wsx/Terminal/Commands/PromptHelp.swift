import CommandLine
import WSCore

/// The texts of `/help`.
enum PromptHelp {
    /// The list of commands, one per line if the window is wide enough.
    /// - Parameter columns: The width of a line; nil: unlimited.
    static func text(of commands: [PromptCommandDescription], columns: Int? = nil) -> String {
        TermList.text(of: commands.map { ($0.usage, $0.summary) }, columns: columns)
    }

    /// The line after the list of commands.
    static let end = "Any other line is sent as a message; //TEXT sends /TEXT. Ctrl-F searches messages."

    /// The explanation of one command, or nil if it does not exist.
    static func text(about topic: String, among commands: [PromptCommandDescription], columns: Int? = nil) -> String? {
        let name = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        guard let command = commands.first(where: { $0.name == name }) else { return nil }
        let explanation = HelpText.wrapped(
            command.explanation.plain, indentation: 2, columns: min(HelpText.columns, columns ?? .max))
        return ([command.usage] + explanation).joined(separator: "\n") + "\n"
    }

    /// The error for `/help` with an unknown command.
    static func unknownTopic(_ topic: String, among commands: [PromptCommandDescription]) -> String {
        let name = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        let nearest = EditDistance.nearest(to: name, among: commands.map(\.name))
        let hint = nearest.map { "did you mean '/help \($0)'?" } ?? "/help lists the commands"
        return "/help: there is no command '/\(escapingControls(name))'; \(hint)"
    }

    /// The error for an unknown command.
    static func unknown(_ name: String, among commands: [PromptCommandDescription]) -> String {
        let nearest = EditDistance.nearest(to: name, among: commands.map(\.name))
        let shown = escapingControls(name)
        let hint = nearest.map { "did you mean '/\($0)'?" } ?? "/help lists the commands; //\(shown) sends it"
        return "unknown command '/\(shown)'; \(hint)"
    }
}
