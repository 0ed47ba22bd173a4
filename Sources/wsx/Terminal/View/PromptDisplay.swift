import WSCore

/// Everything around the line being typed: the text before it, and the status line above it.
///
///     wss://api.example.com/feed · ↑ 12 ↓ 1,830
///     [/error/ 214 hidden] (reconnecting in 3 s) > the line being typed
final class PromptDisplay {
    /// The state of the connection, shown in parentheses, or `nil` to show none.
    var words: String? {
        didSet {
            updatePrompt()
            statusLine.update()
        }
    }
    let statusLine: StatusLine

    private weak var editor: (any PromptEditor)?
    private let view: MessageView
    private let loop: EventLoop
    /// Updates the prompt after a change of the view's label.
    private lazy var labelTimer = Timer(on: loop) { [unowned self] in
        isLabelDue = false
        updatePrompt()
    }
    private var isLabelDue = false

    /// The minimum time between updates of the counters in the prompt.
    private static let labelInterval = Duration.milliseconds(100)

    /// Starts to show the filters of a view and the facts of a connection around an editor's line.
    /// - Parameters:
    ///   - isTerminalShared: Whether another program may write to the terminal.
    ///   - facts: Returns the facts for the status line.
    init(
        around editor: any PromptEditor, of view: MessageView, isTerminalShared: Bool = false, on loop: EventLoop,
        facts: @escaping () -> StatusLine.Facts
    ) {
        self.editor = editor
        self.view = view
        self.loop = loop
        statusLine = StatusLine(
            above: editor, palette: view.console.palette, isTerminalShared: isTerminalShared, on: loop, facts: facts)
        view.editor = editor
        view.labelDidChange = { [weak self] in self?.scheduleUpdate() }
    }

    private func scheduleUpdate() {
        guard !isLabelDue else { return }
        isLabelDue = true
        labelTimer.start(after: Self.labelInterval)
    }

    private func updatePrompt() {
        let parts = [view.label, words.map { "(\($0))" }].compactMap { $0 }
        editor?.prompt = parts.map { $0 + " " }.joined() + "> "
    }
}
