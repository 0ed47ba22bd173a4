import CommandLine

/// What the manual of `wsx` says, and help of its small commands.
enum ProgramManual {
    /// The program as a whole.
    static let manual = Manual(
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

    /// `wsx completions`.
    static let completions = Manual(
        description: [
            .paragraph(
                """
                Prints a script that makes the shell complete the commands, options and values of wsx. \
                For bash, load it in ~/.bashrc; for zsh, save it as _wsx in a directory of $fpath; \
                for fish, save it as ~/.config/fish/completions/wsx.fish.
                """)
        ],
        examples: [
            CommandExample(purpose: "Load it into this bash", line: "eval \"$(wsx completions bash)\""),
            CommandExample(purpose: "Load it into this zsh", line: "source <(wsx completions zsh)"),
            CommandExample(purpose: "Load it into this fish", line: "wsx completions fish | source"),
        ])
}
