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
    private let screenSize: () -> ScreenSize?
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
    ///   - screenSize: Returns the size of the window; nil: unlimited.
    ///   - facts: Returns the facts for the status line.
    init(
        around editor: any PromptEditor, of view: MessageView, isTerminalShared: Bool = false, on loop: EventLoop,
        screenSize: @escaping () -> ScreenSize? = { ScreenSize.current(isPrompt: true) },
        facts: @escaping () -> StatusLine.Facts
    ) {
        self.editor = editor
        self.screenSize = screenSize
        self.view = view
        self.loop = loop
        statusLine = StatusLine(
            above: editor, palette: view.console.palette, isTerminalShared: isTerminalShared, on: loop,
            screenSize: screenSize, facts: facts)
        view.editor = editor
        view.labelDidChange = { [weak self] in self?.scheduleUpdate() }
    }

    private func scheduleUpdate() {
        guard !isLabelDue else { return }
        isLabelDue = true
        labelTimer.start(after: Self.labelInterval)
    }

    /// Adapts everything to the size of the window.
    func resized() {
        updatePrompt()
        statusLine.update()
    }

    private func updatePrompt() {
        editor?.prompt = Self.prompt(label: view.label, words: words, columns: screenSize()?.columns)
    }

    /// The text before the line. It fits on one row, and a label leaves a third of the row to the line.
    static func prompt(label: String?, words: String?, columns: Int?) -> String {
        let columns = columns ?? .max
        let state = words.map { "(\(cut($0, to: columns - "() > ".count - 1))) " } ?? ""
        let room = columns / 3 * 2 - DisplayWidth.of(state)
        let label = label.map { room >= minimumLabelColumns ? cut($0, to: room) + " " : "" } ?? ""
        return label + state + "> "
    }

    /// A shorter part of a label says nothing.
    private static let minimumLabelColumns = 4

    private static func cut(_ text: String, to columns: Int) -> String {
        guard DisplayWidth.of(text) > columns else { return text }
        return DisplayWidth.prefix(of: text, columns: max(0, columns - 1)) + "…"
    }
}
