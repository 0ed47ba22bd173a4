extension OptionTable {
    /// A page for browsers.
    static let console = [
        OptionSpecification(
            "console", group: .web, summary: "A page on / that talks to servers",
            manual: """
                Show browsers a page on `/` by which they can talk to this server or any other: it connects, \
                sends text, JSON, bytes and files, and keeps a log that can be searched and saved as JSON events. \
                The page loads nothing else. Its address is printed at the start. With `--path` the page stays on \
                `/`, and connects to that path at first.
                """,
            effect: .update(.listen { arguments, _ in arguments.servesConsole = true }))
    ]
}
