import CReadline
import WSCore

// Pastes of several messages.
extension LineEditor {
    /// Inserts a paste into the line. If it is the whole line and has several messages, sends them, or asks how.
    func insertPaste(_ insert: () -> Int32) -> Int32 {
        let wasEmpty = wsx_readline_length() == 0
        let result = insert()
        guard wasEmpty, services.paste.choice != .one, let pasted = PastedLines(currentLine, commands: commands) else {
            return result
        }
        if services.paste.choice == .lines {
            send(pasted)
        } else {
            ask(about: pasted)
        }
        return result
    }

    private func ask(about pasted: PastedLines) {
        open(
            PasteQuestion(about: pasted.lines.count) { [unowned self] answer in
                erase()
                modal = nil
                switch answer {
                case .lines:
                    explain("--paste lines sends each line without asking.")
                    send(pasted)
                case .one:
                    explain("--paste one keeps the lines in one message without asking.")
                    accept()
                case .edit: break
                case .discard: wsx_readline_reset_line()
                }
            })
    }

    /// The number of lines of a paste that enter the history: the last ones.
    private static var recordedPasteLines: Int { 20 }

    private func send(_ pasted: PastedLines) {
        // A long paste would take the place of everything else.
        for line in pasted.lines.suffix(Self.recordedPasteLines) { record(line.typed) }
        deliver(pasted.lines.map(\.submitted))
    }

    /// Says once how to keep an answer.
    private func explain(_ words: String) {
        if !services.paste.isExplained { services.notice(words) }
        services.paste.isExplained = true
    }
}
