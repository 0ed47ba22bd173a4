import WSCore

/// The user's editor, at work on a text.
///
/// The text is in a file of its own meanwhile, which only the user can read and which is removed afterwards. The editor
/// runs in our group of processes, so Ctrl-Z stops both, as the shell expects of a job.
final class ExternalEditor {
    /// What became of the text.
    enum Result: Equatable {
        case saved([UInt8])
        /// One line that says why there is no text.
        case failed(String)
    }

    /// The longest text that is taken, in bytes: 1 MiB, which readline can still handle at one prompt.
    static let maximumBytes = 1 << 20

    private let file: TemporaryFile
    private var process: ChildProcess?

    /// Starts the editor.
    /// - Parameters:
    ///   - text: What there is to be edited.
    ///   - screen: The descriptor of the terminal's output side.
    ///   - environment: Looks an environment variable up.
    ///   - loop: The loop that waits for it.
    ///   - didEnd: Called once when the editor has ended.
    init(
        of text: [UInt8], screen: Int32, environment: (String) -> String?, on loop: EventLoop,
        didEnd: @escaping (Result) -> Void
    ) throws(IOError) {
        let file = try TemporaryFile(
            at: Self.pathPrefix(environment), suffix: Self.suffix(for: text), contents: text + [UInt8(ascii: "\n")])
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

    /// The longest that an editor may take to give the terminal back when it is asked to end.
    private static let endLimit = Duration.seconds(2)

    /// Ends the editor, whose text is lost, and waits until the terminal is free.
    func end() {
        process?.terminate()
        process?.waitForExit(atMost: Self.endLimit)
        process = nil
        file.remove()
    }

    /// What the environment calls the editor.
    static func command(_ environment: (String) -> String?) -> String {
        for name in ["VISUAL", "EDITOR"] {
            if let command = environment(name), command.contains(where: { !$0.isWhitespace }) { return command }
        }
        return "vi"
    }

    /// What the shell is given, which splits the command, as other programs have it do. Where the command is but words, the
    /// editor takes the shell's place, and signals are its own.
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

    private static func pathPrefix(_ environment: (String) -> String?) -> String {
        let directory = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        return "\(directory)/wsx-"
    }

    /// By which editors choose colours.
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

    /// What a file holds for the prompt: all but the newline at the end, with which editors end every file.
    static func text(in contents: [UInt8]) -> Result {
        let text = contents.last == UInt8(ascii: "\n") ? contents.dropLast() : contents[...]
        guard text.count <= maximumBytes else {
            return .failed("the saved text is longer than \(maximumBytes >> 20) MiB")
        }
        guard !text.contains(0) else { return .failed("the saved text contains a NUL byte") }
        return .saved(Array(text))
    }
}
