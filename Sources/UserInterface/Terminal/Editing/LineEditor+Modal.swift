import CReadline
import WSCore

/// An open modal line with its keys.
struct OpenModalLine {
    let line: any ModalLine
    var keys = PromptKeyReader()
    /// Recognizes the Escape key, whose byte also begins the sequences of other keys.
    let escapeTimer: Timer
    /// The column of the cursor as it was drawn last.
    var cursor = 0
}

// Lines in place of the one being typed.
extension LineEditor {
    /// How long to wait for the rest of a sequence after an escape character.
    private static let escapeTime = Duration.milliseconds(100)

    /// Handles Ctrl-F: opens the search through messages.
    func openSearch() {
        guard rl_get_termcap("up") != nil else {
            return print("wsx: Ctrl-F needs a terminal that can be drawn again; /find REGEX searches, too\n")
        }
        guard let search = services.openSearch() else { return }
        open(search)
    }

    /// Shows a modal line. The line being typed is kept.
    func open(_ line: any ModalLine) {
        guard isOpen, canDraw else { return }
        erase()
        let timer = Timer(on: loop) { [unowned self] in
            if let key = modal?.keys.escape() { press(key) }
        }
        modal = OpenModalLine(line: line, escapeTimer: timer)
        line.didChange = { [unowned self] in redrawModalLine() }
        draw()
    }

    private func redrawModalLine() {
        guard shown != .nothing else { return }
        if size == Self.windowSize { drawModalLine() } else { redrawAll() }
    }

    /// Draws the modal line over the current row.
    func drawModalLine() {
        guard let line = modal?.line else { return }
        let (text, cursor) = line.line(columns: max(1, Self.screenSize.columns - 1))
        modal?.cursor = cursor
        write("\r\(text.text)\u{1B}[K\r" + (cursor > 0 ? "\u{1B}[\(cursor)C" : ""))
    }

    /// Reads a byte for the modal line.
    func readModalKey() {
        let byte = rl_read_key()
        modal?.escapeTimer.stop()
        // Readline will find the end of the input again.
        guard let byte = UInt8(exactly: byte) else { return press(.escape) }
        if let key = modal?.keys.receive(byte) { press(key) }
        if modal?.keys.mayBeEscape ?? false { modal?.escapeTimer.start(after: Self.escapeTime) }
    }

    /// Passes a key to the modal line, and returns to the line being typed if it ends.
    func press(_ key: PromptKey) {
        guard let line = modal?.line else { return }
        guard !line.press(key) else { return redrawModalLine() }
        erase()
        modal = nil
        draw()
    }
}
