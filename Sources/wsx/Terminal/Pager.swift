import WSCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The user's pager, for texts that are longer than the screen.
enum Pager {
    /// Shows a text through the pager and waits until the user leaves it.
    ///
    /// - Returns: Whether the text was shown. It is not if standard output is not a terminal, if the text fits the screen,
    ///   or if the pager cannot be run.
    static func show(_ text: String, _ environment: (String) -> String?) -> Bool {
        guard StandardDescriptors.isTerminal(StandardDescriptors.input), environment("TERM") != "dumb",
            let size = StandardDescriptors.windowSize(of: StandardDescriptors.output),
            text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= size.rows,
            let command = command(environment)
        else { return false }
        // Git's defaults: colors, no clearing of the screen at the end.
        if environment("LESS") == nil { setenv("LESS", "FRX", 1) }
        guard let pipe = popen(command, "w") else { return false }
        // Ctrl-C and Ctrl-\ are for the pager. It is running already and does not inherit these settings.
        let interrupt = signal(SIGINT, SIG_IGN)
        let quit = signal(SIGQUIT, SIG_IGN)
        defer {
            signal(SIGINT, interrupt)
            signal(SIGQUIT, quit)
        }
        _ = fputs(text, pipe)
        return pclose(pipe) >> 8 != commandNotFound
    }

    /// The status with which a shell reports a program that does not exist.
    private static let commandNotFound: Int32 = 127

    /// The shell command of the pager: `$PAGER`, or `less` if that is not set. nil: `$PAGER` is empty or `cat`.
    private static func command(_ environment: (String) -> String?) -> String? {
        guard let pager = environment("PAGER") else { return "command -v less >/dev/null || exit 127; exec less" }
        let isUseful = pager != "cat" && pager.contains { !$0.isWhitespace }
        return isUseful ? pager : nil
    }
}
