extension Console {
    /// Carries out `/history`.
    func showHistory(_ query: HistoryQuery, of history: History) {
        let lines = query.lines(of: history)
        guard !lines.isEmpty else { return notice("No line in the history matches.") }
        show(HistoryQuery.text(of: lines))
    }

    /// Opens the editor for `/edit`, or reports that there is no such line.
    func edit(_ source: EditSource, with editor: any PromptEditor) {
        guard let text = editor.text(for: source) else {
            return error("/edit: no line with this number; /history lists the lines")
        }
        editor.edit(text)
    }
}
