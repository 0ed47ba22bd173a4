import UserInterface

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
    /// - Parameter columns: The width of a line; nil: unlimited.
    static func text(columns: Int?) -> String {
        let end = "Replace echo: with the URL of your server. For more, run 'wsx help'."
        let list = TermList.text(of: commands, columns: columns, indentation: 2, gap: 3)
        let lastLines = WrappedText.lines(of: end, columns: columns ?? .max).lines
        return "Try one of these:\n\n" + list + "\n" + lastLines.joined(separator: "\n") + "\n"
    }
}
