extension CommandSpecification {
    /// The program without a command.
    static let program = CommandSpecification(
        command: nil,
        operands: [],
        summary: "Talk WebSocket from the command line",
        description: [
            .paragraph(
                """
                `wsx` connects to WebSocket servers from a terminal or a script, and is a WebSocket server itself. \
                On a terminal it is a prompt, elsewhere a pipe that loses nothing and whose exit status tells what \
                happened.
                """),
            .paragraph(
                """
                `wsx` *URL* is `wsx connect` *URL*. `wsx -c` *URL* and `wsx -l` *PORT* are understood, too, as \
                people know them from wscat.
                """),
        ],
        sections: [.exitStatus, .environment],
        examples: [
            CommandExample(purpose: "Try it out against the embedded echo server", line: "wsx echo:"),
            CommandExample(
                purpose: "Send one message and print the first reply",
                line: "wsx connect -n 1 ws://localhost:8080/ hello"),
            CommandExample(purpose: "Run an echo server", line: "wsx listen --echo 8080"),
        ])

    /// `wsx help`.
    static let help = CommandSpecification(
        command: .help,
        operands: [
            OperandSpecification(
                "COMMAND", required: false,
                completion: .choices([connect, listen, bench, completions].compactMap(\.choice)),
                summary: "The command to explain")
        ],
        summary: "Explain the program or a command",
        description: [.paragraph("Shows what `--help` shows.")],
        sections: [],
        examples: [])

    /// `wsx completions`.
    static let completions = CommandSpecification(
        command: .completions,
        operands: [
            OperandSpecification(
                "SHELL", required: true, completion: .choices(of: Shell.self), summary: "bash, zsh or fish")
        ],
        summary: "Print a shell's completion script",
        description: [
            .paragraph(
                """
                Prints a script that makes the shell complete the commands, options and values of wsx. \
                For bash, load it in ~/.bashrc; for zsh, save it as _wsx in a directory of $fpath; \
                for fish, save it as ~/.config/fish/completions/wsx.fish.
                """)
        ],
        sections: [],
        examples: [
            CommandExample(purpose: "Load it into this bash", line: "eval \"$(wsx completions bash)\""),
            CommandExample(purpose: "Load it into this zsh", line: "source <(wsx completions zsh)"),
            CommandExample(purpose: "Load it into this fish", line: "wsx completions fish | source"),
        ])

    /// The specification of a command; nil is the program without one.
    static func of(_ command: Command?) -> CommandSpecification {
        switch command {
        case nil: program
        case .connect: connect
        case .listen: listen
        case .bench: bench
        case .merge: merge
        case .help: help
        case .completions: completions
        }
    }

    /// The command as a word to choose.
    var choice: ValueChoice? {
        command.map { ValueChoice(name: $0.rawValue, summary: summary) }
    }
}
