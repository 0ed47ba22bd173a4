import CommandLine

// Commands about the connection, the recording, and the prompt itself.
extension PromptCommandTable {
    static let connection: [Entry] = [
        .both(
            PromptCommand(
                "close", "[CODE [REASON]]", "close the connection",
                details: "*CODE* defaults to 1000. *REASON* can have up to 123 bytes.",
                completion: .closeCode
            ) { argument throws(PromptMistake) in .close(try argument.closeFrame()) }),
        .connect(
            PromptCommand(
                "reconnect", "", "connect again",
                details: """
                    Closes an open connection first. If `--reconnect` is waiting for its next attempt, the attempt \
                    starts immediately.
                    """
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .reconnect
            }),
        .connect(
            PromptCommand(
                "retry", "", "resend the messages that were given up",
                details: """
                    With `--reconnect`, a message is given up if connections keep ending before the peer confirms it. \
                    See `wsx help staying-connected`.
                    """
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .retry
            }),
        .connect(
            PromptCommand(
                "drop", "", "discard the messages that were given up",
                details: "See `/retry`."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .drop
            }),
        .connect(
            PromptCommand(
                "connect", "URL", "connect to another server",
                details: """
                    Closes an open connection first. The options still apply, but another origin (scheme, host, or \
                    port) gets nothing that may be a secret: no `--auth`, `--bearer`, `--aws-sigv4`, `--cookie`, \
                    `--cert`, or `--subprotocol`, and pings instead of `--heartbeat-message`. Of the `--header` \
                    fields, it gets only User-Agent, Origin, Cache-Control, Pragma, DNT, and names that begin with \
                    Accept. Cookies of files and servers are sent as a browser would send them. Messages on the \
                    command line are not sent again. Messages that wait are dropped, and counted.
                    """,
                completion: .url
            ) { argument throws(PromptMistake) in .connect(url: try argument.required("the URL is missing")) }),
        .both(
            PromptCommand(
                "record", "[FILE]", "start or stop recording",
                details: """
                    Records both directions to *FILE* as JSON events, like `--record`. The file is readable only by \
                    you; an existing file is not overwritten. A recording in progress ends first. Without *FILE*, \
                    recording stops.
                    """,
                completion: .file
            ) { argument throws(PromptMistake) in .record(path: argument.text.isEmpty ? nil : argument.text) }),
        .listen(
            PromptCommand(
                "clients", "", "list the clients",
                details: "Shows the number, address, connection time, and traffic of each client."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .clients
            }),
        .listen(
            PromptCommand(
                "only", "[N] [client|server]", "show only messages of a client, or of a side",
                details: """
                    `/only 3` hides the messages of all clients but 3. In a relay, `/only server` hides the messages of \
                    clients, and `/only 3 client` shows only what client 3 sends. Other filters still apply. `/only` \
                    without an argument shows all again. Typed messages are always shown.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .shared(.view(.origin(try argument.optionalOrigin()))) }),
        .relay(
            PromptCommand(
                "to", "N server|client LINE", "send to client N, or for it to the server",
                details: """
                    *LINE* is a message, or `/ping`, `/pong`, or `/close`: `/to 3 server {"op":"list"}` sends a message \
                    to the server as if client 3 had, and `/to 3 client /close 4000` closes client 3. A recording \
                    marks such messages with `"injected":true`.
                    """
            ) { argument throws(PromptMistake) in
                let (client, toServer, line) = try argument.relayedLine()
                return .relay(line: line, client: client, toServer: toServer)
            }),
        .connect(
            PromptCommand("headers", "", "show the opening handshake", details: "Secrets appear as dots.") {
                argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .headers
            }),
        .connect(
            PromptCommand(
                "curl", "[secrets]", "print the connection as a curl command",
                details: """
                    The command sends the request of the current connection, or of the next one. `•••` replaces secrets; \
                    `/curl secrets` prints them.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .curl(showsSecrets: try argument.secretsSwitch()) }),
        .connect(
            PromptCommand(
                "info", "", "show address, TLS, compression, and traffic",
                details: "The round-trip time is that of the last answered ping; `/ping` measures it."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .info
            }),
        .both(
            PromptCommand(
                "edit", "[N|TEXT]", "edit a line in your editor",
                details: """
                    Opens `$VISUAL`, `$EDITOR`, or `vi` with line *N* of the history, with *TEXT*, or with the last \
                    line. The saved text appears at the prompt, where Enter sends it. Messages that arrive meanwhile \
                    are shown afterwards. Ctrl-X Ctrl-E opens the editor with the current line.
                    """
            ) { argument throws(PromptMistake) in .view(.edit(argument.editSource)) }),
        .both(
            PromptCommand(
                "history", "[N|REGEX]", "list earlier lines",
                details: """
                    Lists the last *N* lines (20 by default), or those that match the regular expression *REGEX*.
                    """
            ) { argument throws(PromptMistake) in .view(.history(try argument.historyQuery())) }),
        .both(
            PromptCommand(
                "help", "[COMMAND]", "list the commands, or explain one", completion: .command
            ) { argument throws(PromptMistake) in .view(.help(topic: argument.text.isEmpty ? nil : argument.text)) }),
        .both(
            PromptCommand(
                "quit", "", "close the connection and exit, like Ctrl-D", details: "Also `/exit` and `/q`."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .quit
            }),
    ]
}
