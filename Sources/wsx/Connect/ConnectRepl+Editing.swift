import WSCore

// What was typed before, and the user's editor.
extension ConnectRepl {
    /// The history that the settings ask for, with what earlier sessions have left.
    static func history(_ settings: ConnectSettings, console: Console) -> History {
        // /connect may bring more secrets.
        let record = settings.secrets.record
        let isOwnFile = settings.arguments.history == .host
        let history = History(path: settings.historyPath, isOwnFile: isOwnFile) { HistoryPolicy(secrets: record.texts) }
        history.didFail = { [weak console] problem in console?.error(problem) }
        history.load()
        return history
    }

    /// Shows what there was while the user's editor had the terminal, and goes on to receive.
    func returned(with problem: String?) {
        if let problem { run.console.error("/edit: \(problem)") }
        run.outputDidDrain()
    }
}
