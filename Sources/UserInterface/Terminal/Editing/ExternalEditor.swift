import WSCore

/// The user's editor.
enum ExternalEditor {
    /// The result of editing a text.
    enum Result: Equatable {
        case saved([UInt8])
        /// The editor returned no text; the reason in one line.
        case failed(String)
    }

    /// The maximum size of the text in bytes: 1 MiB, which readline still handles at a prompt.
    static let maximumBytes = 1 << 20

    /// The editor that the environment names.
    static func command(_ environment: (String) -> String?) -> String {
        for name in ["VISUAL", "EDITOR"] {
            if let command = environment(name), command.contains(where: { !$0.isWhitespace }) { return command }
        }
        return "vi"
    }

    /// The shell script that edits a file.
    static func script(for command: String) -> String {
        ExternalProgram.lastCommand(command) + " \"$@\""
    }

    /// The extension, by which editors select syntax highlighting.
    static func suffix(for text: [UInt8]) -> String {
        text.first.map { "{[".utf8.contains($0) } ?? false ? ".json" : ".txt"
    }

    /// The result of an editor that has ended.
    static func result(of outcome: ExternalProgram.Outcome, command: String) -> Result {
        let command = escapingControls(command)
        switch outcome {
        case .failed(let error): return .failed("creating a temporary file: \(error)")
        case .exited(.signal(let number), _): return .failed("'\(command)' was killed by signal \(number)")
        case .exited(.status(0), let path):
            do throws(IOError) {
                return text(in: try File.readRegular(path, maximumBytes: maximumBytes + 1))
            } catch {
                return .failed("\(escapingControls(path)): \(error)")
            }
        case .exited(.status(let status), _): return .failed("'\(command)' exited with status \(status)")
        }
    }

    /// The edited text: the file's contents without the final newline, which editors add to every file.
    static func text(in contents: [UInt8]) -> Result {
        let text = contents.last == UInt8(ascii: "\n") ? contents.dropLast() : contents[...]
        guard text.count <= maximumBytes else {
            return .failed("the saved text is longer than \(maximumBytes >> 20) MiB")
        }
        guard !text.contains(0) else { return .failed("the saved text contains a NUL byte") }
        return .saved(Array(text))
    }
}
