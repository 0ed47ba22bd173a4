import CommandLine

/// A command of the prompt: its name, its words, and how what follows the name is read. Parser, `/help`, completion and
/// the manual come from ``all``.
struct ReplCommand: Sendable {
    /// What can be completed after the name.
    enum Completion {
        case none
        case file
        /// The names of the commands.
        case command
    }

    /// Which prompts have a command.
    enum Audience {
        case client, server, both
    }

    /// Without the slash.
    let name: String
    /// What may follow the name, as help shows it: `[CODE [REASON]]`; empty: nothing.
    let argument: String
    /// What one line of help says, without a full stop.
    let summary: String
    /// What `/help NAME` and the manual say besides.
    let details: MarkedText?
    let completion: Completion
    /// Whether what follows is JSON, which may go on over several lines.
    let takesJSON: Bool
    let audience: Audience
    /// Reads what follows the name and one space.
    let read: @Sendable (ReplArgument) throws(ReplMistake) -> ReplAction

    init(
        _ name: String, _ argument: String = "", _ summary: String, details: MarkedText? = nil,
        completion: Completion = .none, takesJSON: Bool = false, audience: Audience = .client,
        read: @escaping @Sendable (ReplArgument) throws(ReplMistake) -> ReplAction
    ) {
        self.name = name
        self.argument = argument
        self.summary = summary
        self.details = details
        self.completion = completion
        self.takesJSON = takesJSON
        self.audience = audience
        self.read = read
    }

    /// The command as one types it: `/close [CODE [REASON]]`.
    var usage: String { argument.isEmpty ? "/\(name)" : "/\(name) \(argument)" }

    /// The words that stand for themselves in what may follow: `text` and `binary` in `[text|binary] PATH`.
    var argumentWords: [String] {
        argument.split { !$0.isLetter }.filter { $0 == $0.lowercased() }.map(String.init)
    }

    /// The commands, in the order in which help shows them.
    static let all = sending + reading + connection + editing + general

    /// The commands of a prompt.
    static func commands(forServer: Bool) -> [ReplCommand] {
        all.filter { $0.audience != (forServer ? .client : .server) }
    }

    private static let general = [
        ReplCommand(
            "help", "[COMMAND]", "list the commands, or explain one", completion: .command, audience: .both
        ) { .help(topic: $0.text.isEmpty ? nil : $0.text) },
        ReplCommand("quit", "", "close the connection and leave, like Ctrl-D", audience: .both) {
            (argument) throws(ReplMistake) in
            try argument.checkEmpty()
            return .quit
        },
    ]
}
