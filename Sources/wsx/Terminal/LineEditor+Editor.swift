import CReadline
import WSCore

/// The user's editor on its way to the terminal, or there.
enum EditorTask {
    /// It starts when readline has come to rest.
    case starting(Timer)
    /// It has the terminal, whose modes were these.
    case running(ExternalEditor, TerminalModes?)
}

// The user's editor in place of the prompt.
extension LineEditor {
    /// Opens the user's editor; what is saved is the line then, to be looked at and sent.
    /// - Parameter text: What there is to be edited.
    func edit(_ text: [UInt8]) {
        guard isOpen, task == nil else { return }
        // Not within a callback of readline, which would go on drawing the line.
        let timer = Timer(on: loop) { [unowned self] in open(text) }
        task = .starting(timer)
        timer.start(after: .zero)
    }

    /// The text that a command wants to be edited; nil: there is no such line.
    func text(for source: EditSource) -> [UInt8]? {
        switch source {
        case .text(let text): text
        case .line(let number): history.line(number: number)
        // The command itself is a line, too.
        case .lastLine: history.lines.last { !$0.starts(with: "/edit".utf8) } ?? []
        }
    }

    /// Ends the editor for good, where it has the terminal.
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
