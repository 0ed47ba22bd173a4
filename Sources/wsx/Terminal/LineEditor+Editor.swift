import CReadline
import WSCore

/// The user's editor, starting or running.
enum EditorTask {
    /// The editor starts when readline is idle.
    case starting(Timer)
    /// The editor has the terminal, which had these modes before.
    case running(ExternalEditor, TerminalModes?)
    /// The pager has the terminal, which had these modes before.
    case paging(ExternalPager, TerminalModes?)
}

// The user's editor, which replaces the prompt.
extension LineEditor {
    /// Opens the user's editor. The saved text becomes the line at the prompt.
    /// - Parameter text: The text to edit.
    func edit(_ text: [UInt8]) {
        guard isOpen, task == nil else { return }
        // Do not start within a readline callback, which would continue to draw the line.
        let timer = Timer(on: loop) { [unowned self] in open(text) }
        task = .starting(timer)
        timer.start(after: .zero)
    }

    /// The text that `/edit` opens, or nil if there is no such line.
    func text(for source: EditSource) -> [UInt8]? {
        switch source {
        case .text(let text): text
        case .line(let number): history.line(number: number)
        // The command itself is a line of the history.
        case .lastLine: history.lines.last { !$0.starts(with: "/edit".utf8) } ?? []
        }
    }

    /// Ends an editor that has the terminal.
    func endTask() {
        switch task {
        case .running(let editor, let modes):
            editor.end()
            modes?.restore()
        case .paging(let pager, let modes):
            pager.end()
            modes?.restore()
        case .starting, nil: return
        }
        task = nil
    }

    /// Shows a text, in the pager if it is longer than the screen.
    func page(_ text: String) {
        guard isOpen, task == nil, Self.isLong(text), let command = Pager.command(Self.environment) else {
            return print(text)
        }
        // Do not start within a readline callback, which would continue to draw the line.
        let timer = Timer(on: loop) { [unowned self] in openPager(text, command) }
        task = .starting(timer)
        timer.start(after: .zero)
    }

    private static func isLong(_ text: String) -> Bool {
        let (rows, columns) = screenSize
        var rowCount = 0
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            rowCount += 1 + line.count / max(1, columns)
            if rowCount >= rows { return true }
        }
        return false
    }

    private func openPager(_ text: String, _ command: String) {
        guard isOpen else { return }
        leaveTerminal()
        let modes = TerminalModes(of: StandardDescriptors.input)
        do throws(IOError) {
            let pager = try ExternalPager(
                of: text, command: command, screen: wsx_readline_screen_descriptor(),
                directory: ExternalEditor.temporaryDirectory(Self.environment), on: loop
            ) { [unowned self] exists in
                modes?.restore()
                if !exists { print(text) }
                finishTask(nil)
            }
            task = .paging(pager, modes)
        } catch {
            print(text)
            finishTask(nil)
        }
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private func open(_ text: [UInt8]) {
        guard isOpen else { return }
        leaveTerminal()
        let modes = TerminalModes(of: StandardDescriptors.input)
        do throws(IOError) {
            let editor = try ExternalEditor(
                of: text, screen: wsx_readline_screen_descriptor(), environment: Self.environment, on: loop
            ) { [unowned self] result in
                modes?.restore()
                finish(result)
            }
            task = .running(editor, modes)
        } catch {
            finish(.failed("creating a temporary file: \(error)"))
        }
    }

    private func finish(_ result: ExternalEditor.Result) {
        var problem: String?
        switch result {
        case .saved(let text):
            (text + [0]).withUnsafeBytes { bytes in
                wsx_readline_replace(
                    0, wsx_readline_length(), bytes.assumingMemoryBound(to: CChar.self).baseAddress)
            }
        case .failed(let why): problem = why
        }
        finishTask(problem)
    }

    /// Takes the terminal back after a program has exited.
    private func finishTask(_ problem: String?) {
        var problem = problem
        task = nil
        do throws(IOError) {
            try retakeTerminal()
        } catch {
            problem = "\(error)"
        }
        delegate?.editorDidReturn(with: problem)
    }
}
