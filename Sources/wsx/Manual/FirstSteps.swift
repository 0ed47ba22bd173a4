/// The answer to `wsx` alone on a terminal.
enum FirstSteps {
    /// Command lines that need neither a server nor the network, each with its purpose.
    static let commands = [
        ("wsx echo:", "a prompt, connected to a built-in echo server"),
        ("wsx -1 echo: hello", "one request, one reply"),
        ("wsx listen --echo 8080", "an echo server"),
        ("wsx bench -d 5s echo:", "a load test"),
    ]

    /// The text. It has no comment signs: zsh would pass them to the command.
    static let text: String = {
        let width = commands.map(\.0.count).max() ?? 0
        let lines = commands.map { command, purpose in
            "  " + command + String(repeating: " ", count: width - command.count + 3) + purpose
        }
        let end = "Replace echo: with the URL of your server. For more, run 'wsx help'."
        return (["Try one of these:", ""] + lines + ["", end, ""]).joined(separator: "\n")
    }()
}
