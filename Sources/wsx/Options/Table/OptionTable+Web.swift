extension OptionTable {
    /// What a browser finds on the server's port.
    static let web = [
        OptionSpecification(
            "serve", value: OptionValue("DIR", .directory), singular: true, group: .web,
            summary: "Serve the files of DIR on the same port",
            manual: """
                Answer requests that ask for no WebSocket with the files of the directory *DIR*; WebSockets go on at \
                any path, or at that of `--path`. Conditional requests and ranges are heeded. A directory is answered \
                with its `index.html`, or with a page that lists it. Names that begin with a dot are neither served nor \
                listed, but for `.well-known`, and neither is what a symbolic link finds by such a name, or outside *DIR*.
                """,
            effect: .update(.listen { arguments, value in arguments.servedDirectory = value })),
        OptionSpecification(
            "console", group: .web, summary: "A page on / that talks to servers",
            manual: """
                Show browsers a page on `/` by which they can talk to this server or any other: it connects, sends text, \
                JSON, bytes and files, and keeps a log that can be searched and saved as JSON events. The page loads \
                nothing else. Its address is printed at the start. With `--path` the page stays on `/` and offers that \
                path; with `--serve` all other paths are those of files.
                """,
            effect: .update(.listen { arguments, _ in arguments.servesConsole = true })),
    ]
}
