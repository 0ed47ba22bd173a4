import CReadline
import WSCore

// Drawing the line, and sharing the terminal with other programs.
extension LineEditor {
    /// Draws the prompt and the status line again after a change.
    func redrawAll() {
        guard shown != .nothing else { return }
        erase()
        draw()
    }

    /// Erases the status line and the line being typed. The cursor is then where they began.
    func erase() {
        guard shown != .nothing else { return }
        // The signal of a new size may come later.
        guard size == Self.windowSize else { return eraseRewrapped() }
        if modal == nil { rl_clear_visible_line() } else { write("\r\u{1B}[K") }
        wsx_readline_flush()
        if case .lineBelowStatus = shown { write("\u{1B}[A\u{1B}[2K") }
        shown = .nothing
    }

    /// Erases the status line and the line being typed after a change of the window size.
    ///
    /// Terminals rewrap their contents, so the line occupies other rows than readline believes. Readline would clear
    /// only the cursor's row and leave fragments of the line above it.
    private func eraseRewrapped() {
        let shownPrompt = wsx_readline_prompt().map { Array(String(cString: $0).utf8) } ?? []
        let shownLine =
            window.map { $0.text.prefix($0.cursor) } ?? currentLine.prefix(Int(wsx_readline_point()))
        let statusColumns = if case .lineBelowStatus(let columns) = shown { columns } else { 0 }
        adoptSize()
        let columns = max(1, Self.screenSize.columns)
        let row =
            (statusColumns + columns - 1) / columns
            + (modal.map { $0.cursor / columns }
                ?? LineWindow.cursorRow(after: shownPrompt + shownLine, columns: columns))
        let up = row > 0 ? "\u{1B}[\(row)A" : ""
        // Erase the first row, then those below: tmux would move a screen that is erased at once into its history.
        write("\(up)\r\u{1B}[K\u{1B}7\u{1B}[B\u{1B}[J\u{1B}8")
        shown = .nothing
    }

    /// Draws the status line and the line being typed, at the beginning of a row.
    func draw() {
        shown = .line
        if let statusLine, hasRoom(for: statusLine) {
            write(statusLine.text + "\n")
            shown = .lineBelowStatus(columns: statusLine.columns)
        }
        guard modal == nil else { return drawModalLine() }
        if wsx_readline_is_busy() == 0 { rl_set_prompt(prompt) }
        rl_on_new_line()
        redraw()
    }

    /// Whether a status line can be shown: it needs one row, and a terminal that can move the cursor up to erase it.
    private func hasRoom(for line: StyledText) -> Bool {
        let (rows, columns) = Self.screenSize
        return line.columns < columns && rows >= Self.minimumStatusRows && rl_get_termcap("up") != nil
    }

    private static let minimumStatusRows = 8

    /// Clears the screen, for Ctrl-L.
    func clearScreen() {
        write("\u{1B}[H\u{1B}[2J")
        draw()
    }

    /// Draws the line, or the part of a long one that fits on the screen.
    func redraw() {
        guard modal == nil else { return }
        guard let window else { return rl_redisplay() }
        var text = window.text + [0]
        text.withUnsafeMutableBytes { bytes in
            wsx_readline_redisplay_as(
                bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(window.text.count), Int32(window.cursor))
        }
    }

    /// The visible part of a text that is taller than the screen.
    private var window: LineWindow? {
        let (rows, columns) = Self.screenSize
        let statusRows = if case .lineBelowStatus = shown { 1 } else { 0 }
        return LineWindow(
            of: currentLine, cursor: Int(wsx_readline_point()), rows: rows - statusRows, columns: columns,
            promptColumns: DisplayWidth.of(prompt))
    }

    /// The rows and columns of ``size``, or of an assumed size.
    static var screenSize: (rows: Int, columns: Int) {
        var (rows, columns) = (Int32(0), Int32(0))
        rl_get_screen_size(&rows, &columns)
        return (Int(rows), Int(columns))
    }

    /// The present size of the terminal.
    static var windowSize: ScreenSize? {
        StandardDescriptors.windowSize(of: StandardDescriptors.input).map {
            ScreenSize(columns: $0.columns, rows: $0.rows)
        }
    }

    /// Draws for the present size of the terminal from now on.
    func adoptSize() {
        size = Self.windowSize
        rl_reset_screen_size()
    }

    /// Hands the terminal, with its original modes, to another program.
    func leaveTerminal() {
        keys?.cancel()
        erase()
        rl_deprep_terminal()
    }

    /// Takes the terminal back.
    func retakeTerminal() throws(IOError) {
        rl_prep_terminal(1)
        keys = try KeyWatcher(on: loop) { [unowned self] in readKeys() }
        returnToLine()
    }

    private func returnToLine() {
        adoptSize()
        // The other program's cursor position is unknown.
        write("\r")
        delegate?.editorDidResize()
        draw()
        showPending()
    }

    /// Redraws the line after a change of the window size.
    func resized() {
        guard canDraw else { return }
        eraseRewrapped()
        delegate?.editorDidResize()
        draw()
    }

    /// Handles Ctrl-Z: restores the terminal and stops, as the signal would.
    func suspend() {
        if canDraw, ControllingTerminal.mayUse(StandardDescriptors.input) {
            erase()
            rl_deprep_terminal()
            // Messages may come before the signal that the process continues.
            access = .lost
        }
        SignalWatcher.suspendProcess()
    }

    /// Handles SIGCONT: takes the terminal, or stops again if another program has it.
    func resumed() {
        guard !isAway else { return }
        guard ControllingTerminal.mayUse(StandardDescriptors.input) else {
            return waitForTerminal(access == .notYet ? .notYet : .lost)
        }
        switch access {
        case .notYet: install()
        case .granted, .lost:
            access = .granted
            rl_prep_terminal(1)
        }
        returnToLine()
        delegate?.editorDidReturn(with: nil)
    }

    /// Stops the process until the shell gives it the terminal, as the system would on the first use.
    func waitForTerminal(_ access: Access) {
        self.access = access
        shown = .nothing
        ControllingTerminal.stopInBackground()
    }
}
