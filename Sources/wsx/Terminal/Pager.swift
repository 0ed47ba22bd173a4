import WSCore

/// The user's pager, for texts longer than the screen.
enum Pager {
    /// Shows a text in the pager and waits until the user leaves it.
    ///
    /// - Returns: Whether the text was shown. It is not shown if standard output is not a terminal, if the text fits the
    ///   screen, or if the pager does not exist.
    static func show(_ text: String, _ environment: (String) -> String?) -> Bool {
        guard StandardDescriptors.isTerminal(StandardDescriptors.input), environment("TERM") != "dumb",
            let size = StandardDescriptors.windowSize(of: StandardDescriptors.output),
            text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= size.rows,
            let command = command(environment)
        else { return false }
        // The options that Git uses: pass colors through, and leave the text on the screen.
        let status = ShellCommand.run(command, input: text, setting: ("LESS", "FRX"))
        return status != ShellCommand.notFoundStatus
    }

    /// The shell command of the pager: `$PAGER`, or `less` if it is not set. Returns `nil` if `$PAGER` is empty or `cat`.
    static func command(_ environment: (String) -> String?) -> String? {
        guard let pager = environment("PAGER") else { return "command -v less >/dev/null || exit 127; exec less" }
        return pager != "cat" && pager.contains { !$0.isWhitespace } ? pager : nil
    }
}
