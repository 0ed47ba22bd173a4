/// One command: its operands and its words. The options come from ``OptionTable``.
struct CommandSpecification: Sendable {
    /// Nil for the program without a command.
    let command: Command?
    let operands: [OperandSpecification]
    /// What one line of help says, without a full stop.
    let summary: String
    let description: [ManualBlock]
    /// The manual's sections between the options and the examples.
    let sections: [ManualSection]
    let examples: [CommandExample]

    /// `wsx`, or `wsx connect`.
    var name: String {
        command.map { "wsx " + $0.rawValue } ?? "wsx"
    }

    /// The name of its page in the manual: `wsx`, or `wsx-connect`.
    var manualName: String {
        (["wsx"] + (command?.words ?? [])).joined(separator: "-")
    }

    /// `wsx connect` without its name, which a URL is enough for.
    static let shortSynopsis = "wsx [OPTION...] URL [MESSAGE...]"

    /// The command as one types it.
    var synopsis: String {
        var words = [name]
        switch command {
        case nil: words.append("COMMAND [ARGUMENT...]")
        case .connect, .listen, .bench, .merge: words.append("[OPTION...]")
        case .help, .completions: break
        }
        return (words + operands.map(\.synopsis)).joined(separator: " ")
    }
}
