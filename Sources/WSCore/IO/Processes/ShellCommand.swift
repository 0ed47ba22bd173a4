#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A shell command that reads a text from its standard input, such as a pager.
public enum ShellCommand {
    /// The exit status with which a shell reports a program that does not exist.
    public static let notFoundStatus: Int32 = 127

    /// Runs a command on the terminal of this process and waits until it exits. Meanwhile Ctrl-C and Ctrl-\ do not end
    /// this process.
    ///
    /// - Parameters:
    ///   - command: The command, which a shell parses.
    ///   - input: The text. A command that does not read all of it is not an error.
    ///   - variable: An environment variable to set for the command unless it is already set.
    /// - Returns: The exit status, ``notFoundStatus`` if the shell cannot be started, or `nil` if a signal ended it.
    public static func run(_ command: String, input: String, setting variable: (name: String, value: String)) -> Int32?
    {
        setenv(variable.name, variable.value, 0)
        guard let pipe = popen(command, "w") else { return notFoundStatus }
        // The command is running already and does not inherit these actions.
        let interrupt = signal(SIGINT, SIG_IGN)
        let quit = signal(SIGQUIT, SIG_IGN)
        defer {
            signal(SIGINT, interrupt)
            signal(SIGQUIT, quit)
        }
        _ = fputs(input, pipe)
        // The wait status of a normal exit has the exit status in its second byte, and 0 in the first.
        let status = pclose(pipe)
        return status & 0xFF == 0 ? status >> 8 : nil
    }
}
