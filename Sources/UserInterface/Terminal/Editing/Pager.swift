import WSCore

/// The user's pager, for texts longer than the screen.
package enum Pager {
    /// The shell command of the pager: `$PAGER`, or `less` if it is not set. Returns `nil` if `$PAGER` is empty or `cat`.
    static func command(_ environment: (String) -> String?) -> String? {
        guard let pager = environment("PAGER") else { return "command -v less >/dev/null || exit 127; exec less" }
        return pager != "cat" && pager.contains { !$0.isWhitespace } ? pager : nil
    }

    /// The shell script that shows a file in the pager.
    static func script(for command: String) -> String {
        // The options that Git uses: pass colors through, and leave the text on the screen.
        "LESS=${LESS-FRX}; export LESS; exec < \"$1\"; " + ExternalProgram.lastCommand(command)
    }

    /// Whether a pager that ended existed and could be executed.
    static func existed(_ outcome: ExternalProgram.Outcome) -> Bool {
        switch outcome {
        // The statuses of a shell for a program that it cannot execute or find.
        case .exited(.status(126...127), _), .failed: false
        case .exited: true
        }
    }
}
