import CReadline
import WSCore

/// The line being typed, on readline's callback interface, with output that appears above it.
///
/// Readline keeps its state in globals, so there is one editor a process. The terminal is restored by ``close()``.
final class LineEditor {
    /// What happens to the line.
    protocol Delegate: AnyObject {
        /// Enter was typed; the line has been erased from the screen.
        func editor(_ editor: LineEditor, didAccept line: [UInt8])
        /// The end of the input: Ctrl-D on an empty line, or the terminal has gone away.
        func editorDidReachEnd(_ editor: LineEditor)
        /// The user's editor has given the terminal back; what was held is about to be shown.
        /// - Parameter problem: Why there is no text of its, in one line.
        func editor(_ editor: LineEditor, didReturnWith problem: String?)
    }

    /// Where readline's callbacks, which carry no context, find the editor; set on the loop's thread alone.
    nonisolated(unsafe) static weak var active: LineEditor?

    /// While the user's editor has the terminal, so much is held to be shown afterwards; then nothing more is to be
    /// asked of the peer.
    private static let maximumHeldBytes = 1 << 20

    /// What stands before the line.
    var prompt: String {
        didSet {
            guard isOpen, prompt != oldValue else { return }
            if !isAway { rl_clear_visible_line() }
            rl_set_prompt(prompt)
            guard !isAway else { return }
            rl_on_new_line()
            redraw()
        }
    }
    /// Takes the lines; to be set before the loop turns.
    weak var delegate: (any Delegate)?
    /// What has been typed so far.
    let history: History
    /// The commands that can be typed.
    let commands: [PromptCommandDescription]
    /// The words that can be completed.
    var words = WordMemory()
    /// Whether the user's editor has the terminal.
    private(set) var isAway = false
    /// The user's editor, while it has the terminal or is about to.
    var task: EditorTask?
    /// What the line was when a new line was begun in it; Enter on that hands it on.
    private var continuedText: [UInt8]?
    /// What another key than Tab offers, while readline asks for it.
    var offered: ArraySlice<String> = []
    private var keys: KeyWatcher?
    private var signals: [SignalWatcher] = []
    private(set) var isOpen = false
    let loop: EventLoop
    /// What is to appear above the line.
    private var pending = ""
    /// When something appeared last, in the loop's time; and what has it appear when that was but a moment ago.
    private var lastShown: Duration?
    private var showTimer: Timer?

    /// The least time between two redraws: what comes meanwhile appears together, so that thousands of messages a second
    /// cost a terminal sixty redraws, and a single one appears at once.
    private static let redrawInterval = Duration.milliseconds(16)

    /// Shows the prompt on the terminal that is standard input, and begins to edit.
    /// - Parameters:
    ///   - prompt: What stands before the line.
    ///   - history: What was typed before, which can be called back.
    ///   - commands: The commands that can be typed.
    ///   - loop: The loop that watches the terminal.
    init(prompt: String, history: History, commands: [PromptCommandDescription], on loop: EventLoop) throws(IOError) {
        self.prompt = prompt
        self.history = history
        self.commands = commands
        self.loop = loop
        guard let screen = Self.openScreen() else { throw .noTerminal }
        keys = try KeyWatcher(on: loop) { rl_callback_read_char() }
        Self.active = self
        wsx_readline_set_locale()
        wsx_readline_configure()
        wsx_readline_set_streams(fdopen(StandardDescriptors.input, "r"), screen)
        rl_initialize()
        bindKeys()
        stifle_history(Int32(History.maximumEntries))
        for line in history.lines { Self.remember(line) }
        rl_callback_handler_install(prompt) { line in LineEditor.active?.finished(line) }
        isOpen = true
        signals = [
            SignalWatcher(.resize, on: loop) { [unowned self] in resized() },
            SignalWatcher(.resume, on: loop) { [unowned self] in resumed() },
            SignalWatcher(.suspend, on: loop) { [unowned self] in suspend() },
        ].compactMap { $0 }
    }

    private func bindKeys() {
        wsx_readline_bind_tab { _, _ in
            LineEditor.active?.complete()
            return 0
        }
        wsx_readline_bind_enter { _, _ in
            LineEditor.active?.accept()
            return 0
        }
        wsx_readline_bind_editor { _, _ in
            LineEditor.active.map { $0.edit($0.currentLine) }
            return 0
        }
        wsx_readline_bind_paste()
        wsx_readline_set_redisplay { LineEditor.active?.redraw() }
        bindCompletion()
    }

    deinit {
        close()
    }

    /// Whether nothing has been typed.
    var isEmpty: Bool { wsx_readline_length() == 0 && wsx_readline_is_busy() == 0 }

    /// Shows text, which ends with a newline, above the line being typed: at the end of the turn, together with what
    /// else the turn shows, or a moment later.
    func print(_ text: String) {
        guard isOpen else { return }
        if pending.isEmpty { loop.atEndOfTurn(self) }
        pending += text
    }

    /// Whether so much waits to be shown that no more should come.
    var holdsMuch: Bool { isAway && pending.utf8.count >= Self.maximumHeldBytes }

    /// Throws the line being typed away and begins a new one.
    func discardLine() {
        guard isOpen, !isAway else { return }
        rl_callback_sigcleanup()
        wsx_readline_move_to_end()
        redraw()
        write("\n")
        wsx_readline_reset_line()
        rl_on_new_line()
        redraw()
    }

    /// Ends editing: erases the prompt and restores the terminal.
    func close() {
        guard isOpen else { return }
        isOpen = false
        keys?.cancel()
        signals = []
        showTimer = nil
        if isAway { endTask() } else { rl_clear_visible_line() }
        write(pending)
        pending = ""
        rl_callback_handler_remove()
        wsx_readline_flush()
        Self.active = nil
    }

    private func showPending() {
        guard isOpen, !isAway, !pending.isEmpty else { return }
        let now = loop.now
        if let lastShown, now - lastShown < Self.redrawInterval {
            let timer = showTimer ?? Timer(on: loop) { [unowned self] in showPending() }
            showTimer = timer
            return timer.start(after: Self.redrawInterval - (now - lastShown))
        }
        lastShown = now
        rl_clear_visible_line()
        write(pending)
        pending = ""
        rl_on_new_line()
        redraw()
    }

    /// The terminal's output side: standard output where that is the terminal, else standard error or the terminal
    /// itself, so that prompt and editing never get into a file.
    private static func openScreen() -> UnsafeMutablePointer<FILE>? {
        for descriptor in [StandardDescriptors.output, StandardDescriptors.error]
        where StandardDescriptors.isTerminal(descriptor) {
            return fdopen(descriptor, "w")
        }
        return ttyname(StandardDescriptors.input).flatMap { fopen($0, "w") }
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { wsx_readline_write($0.baseAddress, $0.count) }
        }
    }

    /// Enter: hands the line on, or begins another below.
    private func accept() {
        let text = currentLine
        let isOnNewLine = text == continuedText
        switch LineContinuation(after: text, isOnNewLine: isOnNewLine, commands: commands) {
        case .continues(let byteCount):
            let end = Int32(text.count)
            wsx_readline_replace(end - Int32(byteCount), end, "\n")
            continuedText = currentLine
        case .complete(let line):
            continuedText = nil
            // As it was typed, so that it means the same when it is called back.
            record(isOnNewLine ? line : text)
            handOn(line)
        }
    }

    /// Takes the line off the screen, where the transcript will show it, and hands it on.
    private func handOn(_ line: [UInt8]) {
        rl_clear_visible_line()
        wsx_readline_flush()
        wsx_readline_reset_line()
        // A search that was under way when the prompt changed has restored the one before.
        rl_set_prompt(prompt)
        delegate?.editor(self, didAccept: line)
        guard isOpen else { return }
        rl_on_new_line()
        redraw()
    }

    /// What has been typed so far.
    var currentLine: [UInt8] {
        guard let buffer = wsx_readline_buffer() else { return [] }
        return UnsafeRawBufferPointer(start: buffer, count: Int(wsx_readline_length())).map { $0 }
    }

    /// Readline itself has taken a line, by another key than Enter, or the end of the input.
    private func finished(_ line: UnsafeMutablePointer<CChar>?) {
        guard let line else {
            // A terminal that is gone would be at its end again and again.
            if StandardDescriptors.hasHungUp(StandardDescriptors.input) { keys?.cancel() }
            delegate?.editorDidReachEnd(self)
            return
        }
        defer { free(line) }
        let bytes = UnsafeRawBufferPointer(start: line, count: strlen(line)).map { $0 }
        record(bytes)
        delegate?.editor(self, didAccept: bytes)
    }

    private func record(_ line: [UInt8]) {
        if history.record(line) { Self.remember(line) }
    }

    /// Has readline know a line.
    private static func remember(_ line: [UInt8]) {
        (line + [0]).withUnsafeBytes { bytes in
            add_history(bytes.assumingMemoryBound(to: CChar.self).baseAddress)
        }
    }

    /// Draws the line, or what fits on the screen of one that is higher.
    private func redraw() {
        guard let window else { return rl_redisplay() }
        var text = window.text + [0]
        text.withUnsafeMutableBytes { bytes in
            wsx_readline_redisplay_as(
                bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(window.text.count), Int32(window.cursor))
        }
    }

    /// What is shown of a line that is higher than the screen.
    private var window: LineWindow? {
        let (rows, columns) = Self.screenSize
        return LineWindow(of: currentLine, cursor: Int(wsx_readline_point()), rows: rows, columns: columns)
    }

    /// How many rows and columns the terminal has.
    static var screenSize: (rows: Int, columns: Int) {
        var (rows, columns) = (Int32(0), Int32(0))
        rl_get_screen_size(&rows, &columns)
        return (Int(rows), Int(columns))
    }

    // MARK: The terminal in other hands

    /// Gives the terminal to another program, as it was found.
    func leaveTerminal() {
        isAway = true
        keys?.cancel()
        rl_clear_visible_line()
        wsx_readline_flush()
        rl_deprep_terminal()
    }

    /// Takes the terminal back.
    func retakeTerminal() throws(IOError) {
        isAway = false
        rl_prep_terminal(1)
        rl_reset_screen_size()
        keys = try KeyWatcher(on: loop) { rl_callback_read_char() }
        // Where the other program has left the cursor.
        write("\r")
        rl_on_new_line()
        if pending.isEmpty { redraw() } else { showPending() }
    }

    /// Draws the line again in a window of another size.
    ///
    /// Terminals rewrap what they show, so the line now takes other rows than readline believes. Readline would clear the
    /// row of the cursor alone and leave fragments of the line above it.
    private func resized() {
        guard !isAway else { return }
        let shownPrompt = wsx_readline_prompt().map { Array(String(cString: $0).utf8) } ?? []
        let shown =
            window.map { $0.text.prefix($0.cursor) } ?? currentLine.prefix(Int(wsx_readline_point()))
        rl_reset_screen_size()
        let row = LineWindow.cursorRow(after: shownPrompt + shown, columns: Self.screenSize.columns)
        let up = row > 0 ? "\u{1B}[\(row)A" : ""
        // The first row, then those below it: tmux would move a screen that is erased at once into its history.
        write("\(up)\r\u{1B}[K\u{1B}7\u{1B}[B\u{1B}[J\u{1B}8")
        rl_on_new_line()
        redraw()
    }

    /// Ctrl-Z: gives the terminal back and stops, as the signal would have done.
    private func suspend() {
        if !isAway {
            rl_clear_visible_line()
            wsx_readline_flush()
            rl_deprep_terminal()
        }
        SignalWatcher.suspendProcess()
    }

    private func resumed() {
        guard !isAway else { return }
        rl_prep_terminal(1)
        rl_on_new_line()
        rl_forced_update_display()
    }
}

extension LineEditor: EndOfTurnWork {
    /// Shows what the turn has produced.
    func endTurn() {
        showPending()
    }
}
