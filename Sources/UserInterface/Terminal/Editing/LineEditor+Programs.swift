import CReadline
import WSCore

/// The user's editor or pager.
enum ProgramTask {
    /// It starts when readline is idle.
    case starting(Timer)
    /// It has the terminal.
    case running(ExternalProgram)
}

// The user's editor and pager, which replace the prompt.
extension LineEditor {
    /// Opens the user's editor. The saved text becomes the line at the prompt.
    /// - Parameter text: The text to edit.
    package func edit(_ text: [UInt8]) {
        let command = ExternalEditor.command(Self.environment)
        run(
            ExternalEditor.script(for: command), on: text + [UInt8(ascii: "\n")],
            suffix: ExternalEditor.suffix(for: text)
        ) { outcome in
            switch ExternalEditor.result(of: outcome, command: command) {
            case .failed(let why): return why
            case .saved(let text):
                (text + [0]).withUnsafeBytes { bytes in
                    wsx_readline_replace(
                        0, wsx_readline_length(), bytes.assumingMemoryBound(to: CChar.self).baseAddress)
                }
                return nil
            }
        }
    }

    /// The text that `/edit` opens, or nil if there is no such line.
    package func text(for source: EditSource) -> [UInt8]? {
        switch source {
        case .text(let text): text
        case .line(let number): history.line(number: number)
        // The command itself is a line of the history.
        case .lastLine: history.lines.last { !$0.starts(with: "/edit".utf8) } ?? []
        }
    }

    /// Shows a text, in the pager if it is longer than the screen.
    package func page(_ text: String) {
        guard isOpen, task == nil, Self.isLong(text), let command = Pager.command(Self.environment) else {
            return print(text)
        }
        run(Pager.script(for: command), on: Array(text.utf8), suffix: ".txt") { [unowned self] outcome in
            if !Pager.existed(outcome) { print(text) }
            return nil
        }
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

    /// Ends a program that has the terminal.
    func endTask() {
        guard case .running(let program) = task else { return }
        program.end()
        task = nil
    }

    /// Hands the terminal to a program as soon as readline is idle.
    /// - Parameters:
    ///   - text: The contents of the file for the program.
    ///   - didEnd: Uses the result, and returns the problem to report, or `nil` if there is none.
    private func run(
        _ script: String, on text: [UInt8], suffix: String, didEnd: @escaping (ExternalProgram.Outcome) -> String?
    ) {
        guard isOpen, task == nil else { return }
        // Do not start within a readline callback, which would continue to draw the line.
        let timer = Timer(on: loop) { [unowned self] in
            guard isOpen else { return }
            leaveTerminal()
            do throws(IOError) {
                let program = try ExternalProgram(
                    script, on: text, suffix: suffix, screen: wsx_readline_screen_descriptor(),
                    environment: Self.environment, on: loop
                ) { [unowned self] outcome in finishTask(didEnd(outcome)) }
                task = .running(program)
            } catch {
                finishTask(didEnd(.failed(error)))
            }
        }
        task = .starting(timer)
        timer.start(after: .zero)
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

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
