import WSCore

/// The user's editor, running on a text.
///
/// The text is in a temporary file, which only the user can read and which is removed afterwards. The editor runs in
/// our process group: Ctrl-Z stops both, as a shell expects of a job.
final class ExternalEditor {
    /// The outcome.
    enum Result: Equatable {
        case saved([UInt8])
        /// The editor returned no text; the reason in one line.
        case failed(String)
    }

    /// The maximum size of the text in bytes: 1 MiB, which readline still handles at a prompt.
    static let maximumBytes = 1 << 20

    private let file: TemporaryFile
    private var process: ChildProcess?

    /// Starts the editor.
    /// - Parameters:
    ///   - text: The text to edit.
    ///   - screen: The descriptor for the terminal's output.
    ///   - environment: Looks up an environment variable.
    ///   - loop: The loop that waits for the editor.
    ///   - didEnd: Called once after the editor has exited.
    init(
        of text: [UInt8], screen: Int32, environment: (String) -> String?, on loop: EventLoop,
        didEnd: @escaping (Result) -> Void
    ) throws(IOError) {
        let file = try TemporaryFile(
            at: Self.temporaryDirectory(environment) + "/wsx-", suffix: Self.suffix(for: text),
            contents: text + [UInt8(ascii: "\n")])
        self.file = file
        let command = Self.command(environment)
        do throws(IOError) {
            process = try ChildProcess(
                ["/bin/sh", "-c", Self.script(for: command), "sh", file.path],
                streams: ChildProcess.StandardStreams(output: screen), on: loop
            ) { exit in
                let result = Self.result(of: exit, path: file.path, command: command)
                file.remove()
                didEnd(result)
            }
        } catch {
            file.remove()
            throw error
        }
    }

    /// The time that an editor gets to restore the terminal after it was asked to exit.
    private static let endLimit = Duration.seconds(2)

    /// Ends the editor, discards its text, and waits until the terminal is free.
    func end() {
        process?.terminate()
        process?.waitForExit(atMost: Self.endLimit)
        process = nil
        file.remove()
    }

    /// The editor that the environment names.
    static func command(_ environment: (String) -> String?) -> String {
        for name in ["VISUAL", "EDITOR"] {
            if let command = environment(name), command.contains(where: { !$0.isWhitespace }) { return command }
        }
        return "vi"
    }

    /// The shell script that runs the editor. The shell splits the command into words, as it does for other programs.
    /// If the command has no special characters, the editor replaces the shell and receives signals itself.
    static func script(for command: String) -> String {
        let isPlain = command.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
            default: " /._-+,:@%~".utf8.contains(byte)
            }
        }
        return (isPlain ? "exec " : "") + command + " \"$@\""
    }

    /// The directory for temporary files.
    static func temporaryDirectory(_ environment: (String) -> String?) -> String {
        environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }

    /// The extension, by which editors select syntax highlighting.
    private static func suffix(for text: [UInt8]) -> String {
        text.first.map { "{[".utf8.contains($0) } ?? false ? ".json" : ".txt"
    }

    private static func result(of exit: ChildProcess.Exit, path: String, command: String) -> Result {
        switch exit {
        case .status(0): break
        case .status(let status): return .failed("'\(escapingControls(command))' exited with status \(status)")
        case .signal(let number): return .failed("'\(escapingControls(command))' was killed by signal \(number)")
        }
        do throws(IOError) {
            return text(in: try File.readRegular(path, maximumBytes: maximumBytes + 1))
        } catch {
            return .failed("\(escapingControls(path)): \(error)")
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
