import WSCore

/// Everything around the line being typed, and the commands that concern only the terminal.
///
///     wss://api.example.com/feed · ↑ 12 ↓ 1,830 · filter /error/
///     [/error/ 214 hidden] (reconnecting in 3 s) > the line being typed
package final class PromptDisplay {
    /// The state of the connection, shown in parentheses, or `nil` to show none.
    package var words: String? {
        didSet {
            updatePrompt()
            statusLine.update()
        }
    }
    package let statusLine: StatusLine

    private weak var editor: (any PromptEditor)?
    private let view: MessageView
    private let commands: [PromptCommandDescription]
    private let helpNote: String?
    private let loop: EventLoop
    private let screenSize: () -> ScreenSize?
    private var diagnostics: Diagnostics { view.diagnostics }
    /// Updates the prompt after a change of the view's tags.
    private lazy var tagTimer = Timer(on: loop) { [unowned self] in
        isUpdateDue = false
        updatePrompt()
    }
    private var isUpdateDue = false

    /// The minimum time between updates of the counters in the prompt.
    private static let tagInterval = Duration.milliseconds(100)

    /// Starts to show the filters of a view and the facts of a connection around an editor's line.
    /// - Parameters:
    ///   - commands: The commands of the prompt.
    ///   - helpNote: A sentence below the list of the commands, or `nil` if there is none.
    ///   - screenSize: Returns the size of the window; nil: unlimited.
    ///   - facts: Returns the facts about the connection for the status line.
    package init(
        around editor: any PromptEditor, of view: MessageView, commands: [PromptCommandDescription],
        helpNote: String? = nil, on loop: EventLoop,
        screenSize: @escaping () -> ScreenSize? = { ScreenSize.current(isPrompt: true) },
        facts: @escaping () -> StatusLine.Facts
    ) {
        self.editor = editor
        self.screenSize = screenSize
        self.view = view
        self.commands = commands
        self.helpNote = helpNote
        self.loop = loop
        // The reader of standard output may write to the terminal.
        statusLine = StatusLine(
            above: editor, palette: view.diagnostics.palette, isTerminalShared: !view.showsReceived, on: loop,
            screenSize: screenSize
        ) { [unowned view] in
            var all = facts()
            all.filters = view.filterNames
            if case .hidden(let count) = view.pings { all.hiddenPings = count }
            return all
        }
        view.editor = editor
        editor.services.paths = { [weak view] in view?.paths ?? [] }
        editor.services.openSearch = { [weak view] in view?.openSearch() }
        editor.services.notice = { [weak view] in view?.diagnostics.notice($0) }
        view.tagsDidChange = { [weak self] in self?.scheduleUpdate() }
    }

    // MARK: Commands

    /// Changes how messages are shown, and updates the prompt and the status line.
    package func change(_ change: (MessageView) -> Void) {
        change(view)
        updatePrompt()
        statusLine.update()
    }

    /// Does the same for a command that decides which messages are shown as they arrive.
    package func filter(_ command: String, _ change: (MessageView) -> Void) {
        guard view.showsReceived else {
            return diagnostics.error(
                "/\(command): received messages go to standard output, not to this terminal; /find and /tail show them")
        }
        self.change(change)
    }

    /// Lists earlier lines.
    func showHistory(_ query: HistoryQuery) {
        let lines = editor.map { query.lines(of: $0.history) } ?? []
        guard !lines.isEmpty else { return diagnostics.notice("No line in the history matches.") }
        diagnostics.show(HistoryQuery.text(of: lines))
    }

    /// Opens the user's editor, or reports that there is no such line.
    func edit(_ source: EditSource) {
        guard let editor, let text = editor.text(for: source) else {
            return diagnostics.error("/edit: no line with this number; /history lists the lines")
        }
        editor.edit(text)
    }

    /// Lists the commands, or explains one.
    func showHelp(topic: String?) {
        guard let topic else {
            diagnostics.show(PromptHelp.text(of: commands, columns: diagnostics.columns))
            diagnostics.show(paragraph: PromptHelp.end)
            if let helpNote { diagnostics.show(paragraph: helpNote) }
            return
        }
        guard let text = PromptHelp.text(about: topic, among: commands, columns: diagnostics.columns) else {
            return diagnostics.error(PromptHelp.unknownTopic(topic, among: commands))
        }
        diagnostics.show(text)
    }

    // MARK: The text before the line

    private func scheduleUpdate() {
        guard !isUpdateDue else { return }
        isUpdateDue = true
        tagTimer.start(after: Self.tagInterval)
    }

    /// Adapts everything to the size of the window.
    package func resized() {
        updatePrompt()
        statusLine.update()
    }

    private func updatePrompt() {
        editor?.prompt = Self.prompt(tags: view.tags, words: words, columns: screenSize()?.columns)
    }

    /// The text before the line. It fits on one row, and tags leave a third of the row to the line.
    static func prompt(tags: [PromptTag], words: String?, columns: Int?) -> String {
        let columns = columns ?? .max
        let state = words.map { "(\($0.cut(toColumns: columns - "() > ".count - 1))) " } ?? ""
        let room = columns / 3 * 2 - DisplayWidth.of(state)
        return (PromptTag.text(of: tags, columns: room).map { $0 + " " } ?? "") + state + "> "
    }
}
