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
    }

    /// Where readline's callbacks, which carry no context, find the editor; set on the loop's thread alone.
    nonisolated(unsafe) private static weak var active: LineEditor?

    /// What stands before the line.
    var prompt: String {
        didSet {
            guard isOpen, prompt != oldValue else { return }
            rl_clear_visible_line()
            rl_set_prompt(prompt)
            rl_on_new_line()
            rl_redisplay()
        }
    }
    /// Takes the lines; to be set before the loop turns.
    weak var delegate: (any Delegate)?
    private var watcher: ReadinessWatcher?
    private var signals: [SignalWatcher] = []
    private var isOpen = false
    private let loop: EventLoop
    /// What is to appear above the line.
    private var pending = ""
    /// When something appeared last, in the loop's time; and what has it appear when that was but a moment ago.
    private var lastShown: Duration?
    private var showTimer: Timer?

    /// The least time between two redraws: what comes meanwhile appears together, so that thousands of messages a second
    /// cost a terminal sixty redraws, and a single one appears at once.
    private static let redrawInterval = Duration.milliseconds(16)

    /// Shows the prompt on the terminal that is standard input, and begins to edit.
    init(prompt: String, on loop: EventLoop) throws(IOError) {
        self.prompt = prompt
        self.loop = loop
        let watcher = try ReadinessWatcher(descriptor: StandardDescriptors.input, on: loop, for: .readable) {
            rl_callback_read_char()
        }
        guard let screen = Self.openScreen() else { throw .noTerminal }
        self.watcher = watcher
        Self.active = self
        wsx_readline_set_locale()
        wsx_readline_configure("wsx")
        wsx_readline_set_streams(fdopen(StandardDescriptors.input, "r"), screen)
        rl_initialize()
        wsx_readline_bind_tab()
        wsx_readline_bind_enter { _, _ in
            LineEditor.active?.accept()
            return 0
        }
        rl_callback_handler_install(prompt) { line in LineEditor.active?.finished(line) }
        isOpen = true
        signals = [
            SignalWatcher(.resize, on: loop) { [unowned self] in resized() },
            SignalWatcher(.resume, on: loop) { [unowned self] in resumed() },
            SignalWatcher(.suspend, on: loop) { [unowned self] in suspend() },
        ].compactMap { $0 }
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

    /// Throws the line being typed away and begins a new one.
    func discardLine() {
        guard isOpen else { return }
        rl_callback_sigcleanup()
        write("\n")
        wsx_readline_reset_line()
        rl_on_new_line()
        rl_redisplay()
    }

    /// Ends editing: erases the prompt and restores the terminal.
    func close() {
        guard isOpen else { return }
        isOpen = false
        watcher = nil
        signals = []
        showTimer = nil
        rl_clear_visible_line()
        write(pending)
        pending = ""
        rl_callback_handler_remove()
        wsx_readline_flush()
        Self.active = nil
    }

    private func showPending() {
        guard isOpen, !pending.isEmpty else { return }
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
        rl_redisplay()
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

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { wsx_readline_write($0.baseAddress, $0.count) }
        }
    }

    /// Enter: takes the line off the screen, where the transcript will show it, and hands it on.
    private func accept() {
        let line = currentLine
        rl_clear_visible_line()
        wsx_readline_flush()
        if !line.isEmpty { add_history(wsx_readline_buffer()) }
        wsx_readline_reset_line()
        // A search that was under way when the prompt changed has restored the one before.
        rl_set_prompt(prompt)
        delegate?.editor(self, didAccept: line)
        guard isOpen else { return }
        rl_on_new_line()
        rl_redisplay()
    }

    private var currentLine: [UInt8] {
        guard let buffer = wsx_readline_buffer() else { return [] }
        return UnsafeRawBufferPointer(start: buffer, count: Int(wsx_readline_length())).map { $0 }
    }

    /// Readline itself has taken a line, by another key than Enter, or the end of the input.
    private func finished(_ line: UnsafeMutablePointer<CChar>?) {
        guard let line else {
            delegate?.editorDidReachEnd(self)
            return
        }
        defer { free(line) }
        let bytes = UnsafeRawBufferPointer(start: line, count: strlen(line)).map { $0 }
        if !bytes.isEmpty { add_history(line) }
        delegate?.editor(self, didAccept: bytes)
    }

    private func resized() {
        rl_resize_terminal()
    }

    /// Ctrl-Z: gives the terminal back and stops, as the signal would have done.
    private func suspend() {
        rl_clear_visible_line()
        wsx_readline_flush()
        rl_deprep_terminal()
        SignalWatcher.suspendProcess()
    }

    private func resumed() {
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
