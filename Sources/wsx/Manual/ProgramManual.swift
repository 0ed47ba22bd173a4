import CommandLine

/// The manual of `wsx` as a whole, and the help of its small commands.
enum ProgramManual {
    /// The manual of the program.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                `wsx` is a WebSocket client, server, and load generator. On a terminal, `wsx connect` and `wsx listen` \
                are interactive prompts. Elsewhere they are pipes that transfer messages byte for byte, and the exit \
                status reports the outcome.
                """),
            .paragraph(
                """
                `wsx` *URL* is short for `wsx connect` *URL*. For users of wscat, `wsx -c` *URL* and `wsx -l` *PORT* \
                work as well, and `wsx curl` takes the command lines of curl, such as those that browsers copy.
                """),
        ],
        sections: [.configuration, .values, .secrets, .curlCommands, .exitStatus, .environment, .files],
        examples: [
            CommandExample(purpose: "Try the built-in echo server", line: "wsx echo:"),
            CommandExample(
                purpose: "Send a message and print the first reply",
                line: "wsx connect -n 1 ws://localhost:8080/ hello"),
            CommandExample(purpose: "Run an echo server", line: "wsx listen --echo 8080"),
        ])

    /// The manual of `wsx completions`.
    static let completions = Manual(
        description: [
            .paragraph(
                """
                Prints a script that completes the commands, options, and values of wsx in a shell. For bash, load it \
                in ~/.bashrc. For zsh, save it as _wsx in a directory of $fpath. For fish, save it as \
                ~/.config/fish/completions/wsx.fish.
                """),
            .paragraph(
                "The script runs `wsx completions targets`, which prints the profiles and the recent URLs."),
        ],
        examples: [
            CommandExample(purpose: "Enable completion in this bash", line: "eval \"$(wsx completions bash)\""),
            CommandExample(purpose: "Enable completion in this zsh", line: "source <(wsx completions zsh)"),
            CommandExample(purpose: "Enable completion in this fish", line: "wsx completions fish | source"),
        ])
}
