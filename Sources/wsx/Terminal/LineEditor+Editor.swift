import CReadline
import WSCore

/// The user's editor, starting or running.
enum EditorTask {
    /// The editor starts when readline is idle.
    case starting(Timer)
    /// The editor has the terminal, which had these modes before.
    case running(ExternalEditor, TerminalModes?)
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
        guard case .running(let editor, let modes) = task else { return }
        editor.end()
        modes?.restore()
        task = nil
    }

    private func open(_ text: [UInt8]) {
        guard isOpen else { return }
        leaveTerminal()
        let modes = TerminalModes(of: StandardDescriptors.input)
        do throws(IOError) {
            let editor = try ExternalEditor(
                of: text, screen: wsx_readline_screen_descriptor(),
                environment: { name in getenv(name).map { String(cString: $0) } }, on: loop
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
        task = nil
        do throws(IOError) {
            try retakeTerminal()
        } catch {
            problem = "\(error)"
        }
        delegate?.editorDidReturn(with: problem)
    }
}
