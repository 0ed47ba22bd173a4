import WSCore

/// The user's pager, which replaces the prompt while it shows a text. Unlike ``Pager``, it does not block the event loop.
final class ExternalPager {
    private let file: TemporaryFile
    private var process: ChildProcess?

    /// Starts the pager.
    /// - Parameters:
    ///   - text: The text to show, in a temporary file that only the user can read.
    ///   - command: The shell command, which reads standard input.
    ///   - screen: The descriptor for the terminal's output.
    ///   - directory: The directory for the temporary file.
    ///   - didEnd: Called once after the pager has exited, with whether it existed.
    init(
        of text: String, command: String, screen: Int32, directory: String, on loop: EventLoop,
        didEnd: @escaping (Bool) -> Void
    ) throws(IOError) {
        let file = try TemporaryFile(at: "\(directory)/wsx-", suffix: ".txt", contents: Array(text.utf8))
        self.file = file
        do throws(IOError) {
            // The options that Git uses: pass colors through, and leave the text on the screen.
            let script = "LESS=${LESS-FRX}; export LESS; exec < \"$1\"; \(command)"
            process = try ChildProcess(
                ["/bin/sh", "-c", script, "sh", file.path], streams: ChildProcess.StandardStreams(output: screen),
                on: loop
            ) { exit in
                file.remove()
                // 126: found, but not executable.
                didEnd(exit != .status(Int(ShellCommand.notFoundStatus)) && exit != .status(126))
            }
        } catch {
            file.remove()
            throw error
        }
    }

    /// Ends the pager and waits until the terminal is free.
    func end() {
        process?.terminate()
        process?.waitForExit(atMost: .seconds(2))
        process = nil
        file.remove()
    }
}
