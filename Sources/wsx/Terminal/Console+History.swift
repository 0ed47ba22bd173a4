extension Console {
    /// Shows what `/history` asks for.
    func showHistory(_ query: HistoryQuery, of history: History) {
        let lines = query.lines(of: history)
        guard !lines.isEmpty else { return notice("No line in the history matches.") }
        show(HistoryQuery.text(of: lines))
    }

    /// Has a line edited, or says that there is none.
    func edit(_ source: EditSource, with editor: any PromptEditor) {
        guard let text = editor.text(for: source) else {
            return error("/edit: no line with this number; /history lists the lines")
        }
        editor.edit(text)
    }
}
