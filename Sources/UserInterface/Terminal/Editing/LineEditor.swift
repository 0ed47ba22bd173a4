import CReadline
import WSCore

/// The line being typed, on readline's callback interface, with output that appears above it.
///
/// Readline keeps its state in globals, so a process has one editor. ``close()`` restores the terminal.
package final class LineEditor {
    /// The editor for readline's callbacks, which carry no context; set only on the loop's thread.
    nonisolated(unsafe) static weak var active: LineEditor?

    /// The output held while the user's editor or pager has the terminal. Beyond this limit, reading from the peer should pause.
    private static let maximumHeldBytes = 1 << 20

    /// The text before the line.
    package var prompt: String {
        didSet {
            // During a search, readline shows its own prompt.
            if isOpen, prompt != oldValue, wsx_readline_is_busy() == 0 { redrawAll() }
        }
    }
    /// The line above the prompt, or `nil` for none.
    package var statusLine: StyledText? {
        didSet { if isOpen, statusLine != oldValue { redrawAll() } }
    }
    /// The part of the screen that the editor has drawn, at the bottom.
    enum Shown: Equatable {
        /// Another program has the terminal, or the screen is about to be drawn again.
        case nothing
        /// The prompt and the line being typed.
        case line
        /// The same, below a status line of this width.
        case lineBelowStatus(columns: Int)
    }
    var shown = Shown.nothing
    /// The size of the terminal for which the editor draws.
    var size: ScreenSize?
    /// Receives the lines; set it before the loop runs.
    package weak var delegate: (any PromptEditorDelegate)?
    /// The lines typed so far.
    package let history: History
    /// The commands of the prompt.
    let commands: [PromptCommandDescription]
    package var services = PromptServices()
    /// The line in place of the one being typed, or `nil` for none.
    var modal: OpenModalLine?
    /// The user's editor or pager, while it is starting or has the terminal.
    var task: ProgramTask?
    /// The text when a continuation line began; Enter without a change submits it.
    private var continuedText: [UInt8]?
    /// The candidates for a completion key other than Tab, while readline asks for them.
    var offered: ArraySlice<String> = []
    var keys: KeyWatcher?
    /// The terminal, as this process may use it.
    enum Access {
        /// The process was started in the background, and readline has not started.
        case notYet
        /// The process is stopped, or continues in the background.
        case lost
        /// Readline has set the terminal's modes, unless the user's editor or pager has the terminal.
        case granted
    }
    var access = Access.notYet
    private var signals: [SignalWatcher] = []
    private(set) var isOpen = false
    let loop: EventLoop
    /// The output to show above the line.
    private let output: PacedOutput
    private lazy var hidingTimer = Timer(on: loop) { [unowned self] in showAgain() }
    /// How long the line is hidden: programs such as jq need a few milliseconds for a message.
    private static let hidingTime = Duration.milliseconds(100)

    /// Shows the prompt on the terminal that is standard input, and starts to edit.
    /// - Parameters:
    ///   - prompt: The text before the line.
    ///   - history: The earlier lines, which the arrow keys recall.
    ///   - commands: The commands of the prompt.
    ///   - loop: The loop that watches the terminal.
    init(prompt: String, history: History, commands: [PromptCommandDescription], on loop: EventLoop) throws(IOError) {
        self.prompt = prompt
        self.history = history
        self.commands = commands
        self.loop = loop
        output = PacedOutput(on: loop)
        keys = try KeyWatcher(on: loop) { [unowned self] in readKeys() }
        signals = [
            try SignalWatcher(.resize, on: loop) { [unowned self] in resized() },
            try SignalWatcher(.resume, on: loop) { [unowned self] in resumed() },
            try SignalWatcher(.suspend, on: loop) { [unowned self] in suspend() },
        ]
        // Nothing below throws: readline keeps the stream.
        guard let screen = Self.openScreen() else { throw .noTerminal }
        Self.active = self
        Glyphs.setLocale()
        wsx_readline_configure()
        wsx_readline_set_streams(fdopen(StandardDescriptors.input, "r"), screen)
        rl_initialize()
        adoptSize()
        bindKeys()
        stifle_history(Int32(History.maximumEntries))
        for line in history.lines { Self.remember(line) }
        isOpen = true
        output.isDue = { [unowned self] in showPending() }
        if ControllingTerminal.mayUse(StandardDescriptors.input) { install() } else { waitForTerminal(.notYet) }
    }

    /// Starts readline, which sets the terminal's modes and draws the line.
    func install() {
        access = .granted
        shown = .line
        rl_callback_handler_install(prompt) { line in LineEditor.active?.finished(line) }
    }

    private func bindKeys() {
        wsx_readline_bind_tab { _, _ in
            LineEditor.active?.complete()
            return 0
        }
        let accept: @convention(c) (Int32, Int32) -> Int32 = { _, _ in
            LineEditor.active?.accept()
            return 0
        }
        // Readline's own commands would leave the line on the screen.
        wsx_readline_replace_command(rl_newline, accept)
        wsx_readline_replace_command(rl_vi_eof_maybe, accept)
        wsx_readline_replace_command(rl_insert_comment) { _, _ in
            wsx_readline_replace(0, 0, "#")
            LineEditor.active?.accept()
            return 0
        }
        wsx_readline_replace_command(rl_operate_and_get_next) { _, _ in
            LineEditor.active?.acceptAndRecallNext()
            return 0
        }
        wsx_readline_bind_editor { _, _ in
            LineEditor.active.map { $0.edit($0.currentLine) }
            return 0
        }
        wsx_readline_bind_search { _, _ in
            LineEditor.active?.openSearch()
            return 0
        }
        wsx_readline_bind_paste { count, key in
            LineEditor.active?.insertPaste { wsx_readline_insert_paste(count, key) } ?? 0
        }
        wsx_readline_set_redisplay { LineEditor.active?.redraw() }
        wsx_readline_replace_command(rl_clear_screen) { _, _ in
            LineEditor.active?.clearScreen()
            return 0
        }
        bindCompletion()
    }

    deinit {
        close()
    }

    /// Whether the line is empty.
    package var isEmpty: Bool { modal == nil && wsx_readline_length() == 0 && wsx_readline_is_busy() == 0 }

    /// Whether the user's editor or pager has the terminal.
    package var isAway: Bool { if case .running = task { true } else { false } }

    /// Whether the line can be drawn.
    var canDraw: Bool { access == .granted && !isAway }

    /// Shows text, which ends with a newline, above the line: at the end of the turn together with other output, or a
    /// moment later.
    package func print(_ text: String) {
        guard isOpen else { return }
        if output.isEmpty { loop.atEndOfTurn(self) }
        output.append(text)
    }

    /// Whether so much output is waiting that the caller should pause.
    package var holdsMuch: Bool { !canDraw && output.byteCount >= Self.maximumHeldBytes }

    package func hideBriefly() {
        guard isOpen, canDraw, wsx_readline_is_busy() == 0 else { return }
        erase()
        hidingTimer.start(after: Self.hidingTime)
    }

    private func showAgain() {
        if isOpen, canDraw, shown == .nothing { draw() }
    }

    func readKeys() {
        guard access == .granted else {
            // In the foreground, the signal that the process continues follows.
            if !ControllingTerminal.mayUse(StandardDescriptors.input) { ControllingTerminal.stopInBackground() }
            return
        }
        showAgain()
        if modal == nil { rl_callback_read_char() } else { readModalKey() }
    }

    /// Ends a modal line, or discards the line and starts a new one.
    package func discardLine() {
        guard isOpen, canDraw else { return }
        guard modal == nil else { return press(.control("C")) }
        rl_callback_sigcleanup()
        let line = String(decoding: currentLine, as: UTF8.self)
        erase()
        // The discarded line stays on the screen, as in a shell.
        write(prompt + escapingControls(line, keepingLayout: true) + "\n")
        wsx_readline_reset_line()
        draw()
    }

    /// Ends editing: erases the prompt and restores the terminal, unless another program has it now.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        keys?.cancel()
        signals = []
        endTask()
        let hasTerminal = access == .granted && ControllingTerminal.mayUse(StandardDescriptors.input)
        if hasTerminal { erase() }
        write(output.takeAll())
        if hasTerminal { rl_callback_handler_remove() }
        wsx_readline_flush()
        Self.active = nil
    }

    func showPending() {
        guard isOpen, canDraw, let text = output.take() else { return }
        erase()
        write(text)
        draw()
    }

    /// The terminal's output: standard output if it is the terminal, otherwise standard error or the terminal itself.
    /// The prompt therefore never gets into a file.
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

    /// Handles Enter: submits the line or continues it on another.
    func accept() {
        let text = currentLine
        let isOnNewLine = text == continuedText
        switch LineContinuation(after: text, isOnNewLine: isOnNewLine, commands: commands) {
        case .continues(let byteCount):
            let end = Int32(text.count)
            wsx_readline_replace(end - Int32(byteCount), end, "\n")
            continuedText = currentLine
        case .complete(let line):
            continuedText = nil
            // The text as typed has the same meaning when it is recalled.
            record(isOnNewLine ? line : text)
            deliver([line])
        }
    }

    /// Handles Ctrl-O: submits the line, and recalls the line after it in the history.
    private func acceptAndRecallNext() {
        let position = wsx_readline_history_position()
        accept()
        if isOpen, isEmpty { wsx_readline_recall(position + 1) }
    }

    /// Erases the line, which the transcript will show, and submits it, or several lines in its place.
    func deliver(_ lines: [[UInt8]]) {
        erase()
        wsx_readline_reset_line()
        // If the prompt changed during a search, the end of the search has restored the old one.
        rl_set_prompt(prompt)
        // Draw first: the delegate may change the prompt, which erases it.
        draw()
        for line in lines where isOpen { delegate?.editorDidAccept(line) }
    }

    /// The text typed so far.
    var currentLine: [UInt8] {
        guard let buffer = wsx_readline_buffer() else { return [] }
        return UnsafeRawBufferPointer(start: buffer, count: Int(wsx_readline_length())).map { $0 }
    }

    /// Handles the end of the input. Lines do not arrive here: ``accept()`` handles all keys that submit one.
    private func finished(_ line: UnsafeMutablePointer<CChar>?) {
        guard line == nil else { return free(line) }
        // A terminal that is gone would report its end again and again.
        if StandardDescriptors.hasHungUp(StandardDescriptors.input) { keys?.cancel() }
        if wsx_readline_forget_end() != 0, rl_get_termcap("up") != nil { write("\u{1B}[A") }
        erase()
        delegate?.editorDidReachEnd()
        // Readline draws the prompt again.
        shown = .line
    }

    func record(_ line: [UInt8]) {
        if history.record(line) { Self.remember(line) }
    }

    /// Adds a line to readline's history.
    private static func remember(_ line: [UInt8]) {
        (line + [0]).withUnsafeBytes { bytes in
            add_history(bytes.assumingMemoryBound(to: CChar.self).baseAddress)
        }
    }
}

extension LineEditor: EndOfTurnWork {
    /// Shows the output of the turn.
    package func endTurn() {
        showPending()
    }
}

extension LibraryVersion {
    /// The version of GNU readline.
    package static var readline: LibraryVersion {
        LibraryVersion(name: "readline", text: String(cString: wsx_readline_version()))
    }
}
