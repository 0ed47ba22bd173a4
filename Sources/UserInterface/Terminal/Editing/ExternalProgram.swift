import WSCore

/// A program of the user that has the terminal until it exits: an editor or a pager.
///
/// Its text is in a temporary file, which only the user can read and which is removed afterwards. The program runs in
/// our process group: Ctrl-Z stops both, as a shell expects of a job.
final class ExternalProgram {
    /// How a program ended.
    enum Outcome {
        /// It exited and left its text in the file at a path.
        case exited(ChildProcess.Exit, path: String)
        /// It could not be started.
        case failed(IOError)
    }

    private let file: TemporaryFile
    /// The terminal's modes before the program started.
    private let modes: TerminalModes?
    private var process: ChildProcess?

    /// The time that a program gets to restore the terminal after it was asked to exit.
    private static let endLimit = Duration.seconds(2)

    /// Starts the program.
    /// - Parameters:
    ///   - script: The shell script that runs it; `$1` is the path of the file.
    ///   - text: The contents of the file.
    ///   - suffix: The extension of the file.
    ///   - screen: The descriptor for the terminal's output.
    ///   - environment: Looks up an environment variable.
    ///   - loop: The loop that waits for the program.
    ///   - didEnd: Called once after the program has exited. The file is removed when it returns.
    init(
        _ script: String, on text: [UInt8], suffix: String, screen: Int32, environment: (String) -> String?,
        on loop: EventLoop, didEnd: @escaping (Outcome) -> Void
    ) throws(IOError) {
        let directory = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let file = try TemporaryFile(at: "\(directory)/wsx-", suffix: suffix, contents: text)
        let modes = TerminalModes(of: StandardDescriptors.input)
        self.file = file
        self.modes = modes
        do throws(IOError) {
            process = try ChildProcess(
                ["/bin/sh", "-c", script, "sh", file.path], streams: ChildProcess.StandardStreams(output: screen),
                on: loop
            ) { exit in
                modes?.restore()
                didEnd(.exited(exit, path: file.path))
                file.remove()
            }
        } catch {
            file.remove()
            throw error
        }
    }

    /// Ends the program, discards its text, and waits until the terminal is free.
    func end() {
        process?.terminate()
        process?.waitForExit(atMost: Self.endLimit)
        process = nil
        modes?.restore()
        file.remove()
    }

    /// A user's command as the last one of a script. The shell splits it into words, as it does for other programs. If
    /// it has no special characters, it replaces the shell, so the program itself receives signals.
    static func lastCommand(_ command: String) -> String {
        let isPlain = command.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
            default: " /._-+,:@%~".utf8.contains(byte)
            }
        }
        return isPlain ? "exec \(command)" : command
    }
}
