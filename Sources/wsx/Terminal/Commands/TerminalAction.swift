/// An action that concerns only the terminal: its display, its editor, and help.
enum TerminalAction: Equatable {
    case history(HistoryQuery)
    case edit(EditSource)
    /// Nil: toggle.
    case pretty(Bool?)
    /// Nil: toggle between the time of day and the time since the start.
    case time(TimestampStyle?)
    /// Nil: list all commands.
    case help(topic: String?)
}

extension Console {
    /// Carries out an action.
    /// - Parameters:
    ///   - editor: The editor of the prompt, or nil before it is opened.
    ///   - commands: The commands of the prompt, for `/help`.
    func carryOut(
        _ action: TerminalAction, with editor: (any PromptEditor)?, transcript: Transcript,
        commands: [PromptCommandDescription]
    ) {
        switch action {
        case .history(let query): if let editor { showHistory(query, of: editor.history) }
        case .edit(let source): if let editor { edit(source, with: editor) }
        case .pretty(let isPretty): setPretty(isPretty, of: transcript)
        case .time(let style): setTime(style, of: transcript)
        case .help(let topic): showHelp(topic, of: commands)
        }
    }
}
