import CommandLine

/// All commands of the prompts of `connect` and `listen`: the source for parsing, help, completion, and the manual.
///
/// Each command declares which prompts have it. A prompt's actions contain only those of its commands. See
/// docs/howto/add-a-slash-command.md.
enum PromptCommandTable {
    /// A command and the prompts that have it.
    enum Entry: Sendable {
        case both(PromptCommand<PromptAction>)
        case connect(PromptCommand<ConnectAction>)
        case listen(PromptCommand<ListenAction>)
        case relay(PromptCommand<ListenAction>)

        var description: PromptCommandDescription {
            switch self {
            case .both(let command): command.description
            case .connect(let command): command.description
            case .listen(let command), .relay(let command): command.description
            }
        }

        /// The explanation for the manual of both prompts.
        var explanation: MarkedText {
            let text = description.explanation.source
            return switch self {
            case .both: MarkedText(text)
            case .connect: MarkedText(text + " Only in `wsx connect`.")
            case .listen: MarkedText(text + " Only in `wsx listen` and `wsx relay`.")
            case .relay: MarkedText(text + " Only in `wsx relay`.")
            }
        }
    }

    /// The commands of `wsx connect`.
    static let connect: [PromptCommand<ConnectAction>] = all.compactMap { entry in
        switch entry {
        case .both(let command): command.map { .shared($0) }
        case .connect(let command): command
        case .listen, .relay: nil
        }
    }

    /// The commands of `wsx listen`.
    static let listen: [PromptCommand<ListenAction>] = all.compactMap { entry in
        switch entry {
        case .both(let command): command.map { .shared($0) }
        case .connect, .relay: nil
        case .listen(let command): command
        }
    }

    /// The commands of `wsx relay`.
    static let relay: [PromptCommand<ListenAction>] =
        listen
        + all.compactMap { entry in
            if case .relay(let command) = entry { command } else { nil }
        }

    /// The commands, in the order in which help shows them.
    static let all: [Entry] = [
        .both(
            PromptCommand(
                "send", "TEXT", "send a message",
                details: """
                    *TEXT* is sent as typed. `/send ""` sends an empty message; Enter on an empty line sends nothing.
                    """
            ) { argument throws(PromptMistake) in .send(try argument.message()) }),
        .both(
            PromptCommand("ping", "[TEXT]", "send a ping", details: "*TEXT* can have up to 125 bytes.") {
                argument throws(PromptMistake) in .ping(try argument.controlPayload())
            }),
        .both(
            PromptCommand(
                "pong", "[TEXT]", "send an unsolicited pong", details: "*TEXT* can have up to 125 bytes."
            ) { argument throws(PromptMistake) in .pong(try argument.controlPayload()) }),
        .connect(
            PromptCommand(
                "binary", "hex|base64 BYTES", "send a binary message",
                details: """
                    For example, `/binary hex 00 ff 7a` or `/binary base64 AP96`. Spaces between hexadecimal bytes are \
                    optional.
                    """
            ) { argument throws(PromptMistake) in .binary(try argument.binary()) }),
        .connect(
            PromptCommand(
                "file", "[text|binary] FILE", "send a file as one message",
                details: """
                    By default, a file of valid UTF-8 becomes a text message, and any other file a binary message. \
                    With `--binary`, all files become binary messages. `~/` stands for the home directory.
                    """,
                completion: .file
            ) { argument throws(PromptMistake) in
                let (path, kind) = try argument.file()
                return .file(path: path, kind)
            }),
        .connect(
            PromptCommand(
                "send-json", "JSON", "check JSON and send it as a text message",
                details: "*JSON* is sent as typed, or not at all if it is invalid.", takesJSON: true
            ) { argument throws(PromptMistake) in .sendJSON(try argument.json()) }),
        .connect(
            PromptCommand(
                "repeat", "N [INTERVAL]", "send the last message N more times",
                details: """
                    *INTERVAL* is the time between messages, for example `500ms`. By default, messages are sent as \
                    fast as the connection accepts them. Ctrl-C stops.
                    """
            ) { argument throws(PromptMistake) in
                let (count, interval) = try argument.repetition()
                return .repeatMessage(count: count, interval: interval)
            }),
        .both(
            PromptCommand(
                "show", "[N] [| COMMAND]", "show all of a message",
                details: """
                    *N* is the number of the message, as shown before it. `/N` is short for `/show N`. The default is \
                    the last message that was shown folded, or else the last message. A message longer than the \
                    screen opens in `$PAGER`. The latest 100,000 messages are available, up to 64 MiB. With *COMMAND*, the \
                    output of a shell command is shown, which reads the message: `/show 12 | jq .user`.
                    """
            ) { argument throws(PromptMistake) in
                let (number, command) = try argument.messageAndCommand()
                return command.map { .pipe(.run($0, number: number)) } ?? .view(.show(number: number))
            }),
        .both(
            PromptCommand(
                "pipe", "[COMMAND]", "pass received messages to a shell command",
                details: """
                    *COMMAND* gets each received message that passes the filters as a line, and its output is shown \
                    instead. It must not buffer its output: `/pipe jq --unbuffered .price`. `/pipe` without an argument \
                    ends the command.
                    """
            ) { argument throws(PromptMistake) in .pipe(argument.text.isEmpty ? .stop : .start(argument.text)) }),
        .both(
            PromptCommand(
                "inspect", "[N]", "decode what is inside a message",
                details: """
                    Shows the time since the previous message, and decodes values of JSON: JSON in strings, JSON Web \
                    Tokens (not verified) with their expiry, Base64, and Unix times in seconds, milliseconds, \
                    microseconds, or nanoseconds. The default is the last message.
                    """
            ) { argument throws(PromptMistake) in .view(.inspect(number: try argument.optionalMessageNumber())) }),
        .both(
            PromptCommand(
                "tail", "[N]", "show the latest messages again",
                details: """
                    Shows the last *N* messages (10 by default), including those hidden by a filter, a pause, or a \
                    flood.
                    """
            ) { argument throws(PromptMistake) in .view(.tail(count: try argument.tailCount())) }),
        .both(
            PromptCommand(
                "find", "[REGEX]", "list matching messages, and highlight matches",
                details: """
                    *REGEX* is a Perl-compatible regular expression; begin it with `(?i)` to ignore case. It searches \
                    messages as they were sent or received, and as they are shown, including folded parts: `"id":5` \
                    finds `"id": 5`, and `Zoë` finds `Zo\\u00eb`. An expression with `(?!` or `(?<!` searches \
                    only what was received. The latest 100 messages that match are listed, and matches in later \
                    messages are highlighted until \
                    `/find` is entered without an argument.
                    """
            ) { argument throws(PromptMistake) in .view(.find(argument.text.isEmpty ? nil : argument.text)) }),
        .both(
            PromptCommand(
                "filter", "[REGEX]", "hide received messages that do not match",
                details: """
                    Messages are searched like those of `/find`. The prompt shows the filter and \
                    the number of hidden messages. `/filter` without an argument removes it. `/find`, `/show`, and \
                    `/tail` still find hidden messages.
                    """
            ) { argument throws(PromptMistake) in .view(.filter(argument.text.isEmpty ? nil : argument.text)) }),
        .both(
            PromptCommand(
                "where", "[CONDITION]", "hide JSON messages that do not meet a condition",
                details: """
                    *CONDITION* compares a value of received messages: `.price>50`, `.type = error`, `.user != null`, \
                    `.text ~ REGEX`, `.error` (exists), or `!.error` (does not exist). The path is dotted or a JSON \
                    Pointer; Tab completes paths of recent messages. `/where` without an argument removes the condition.
                    """,
                completion: .path
            ) { argument throws(PromptMistake) in .view(.condition(try argument.optionalCondition())) }),
        .both(
            PromptCommand(
                "pick", "[PATH]", "show one value of each JSON message",
                details: """
                    *PATH* is a dotted path such as `.user.name` or `.items[0].id`, or a JSON Pointer such as \
                    `/items/0/id`. Received messages without the value are hidden, except errors. `/show` shows a \
                    whole message. Tab completes paths of recent messages. `/pick` without an argument shows whole \
                    messages again.
                    """,
                completion: .path
            ) { argument throws(PromptMistake) in .view(.selection(try argument.optionalPath())) }),
        .both(
            PromptCommand(
                "pause", "", "stop showing messages, or continue",
                details: "The prompt shows how many messages have arrived meanwhile. They are kept and recorded."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .view(.pause)
            }),
        .both(
            PromptCommand(
                "save", "FILE [N]", "save a message in a new file",
                details: """
                    *N* is the number of the message; the default is the last received one. An existing file is not \
                    overwritten.
                    """,
                completion: .file
            ) { argument throws(PromptMistake) in
                let (path, number) = try argument.saving()
                return .view(.save(path: path, number: number))
            }),
        .both(
            PromptCommand(
                "pretty", "[fit|full|off]", "choose the layout of JSON",
                details: """
                    `fit` shows each message in as few lines as possible and folds long values. `full` shows one \
                    member or element per line. Both show text instead of escapes in strings, such as `ë` for `\\u00eb`. \
                    `off` shows messages unchanged. Without an argument, it toggles \
                    between `fit` and `full`.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.pretty(try argument.optionalPrettyStyle())) }),
        .both(
            PromptCommand(
                "diff", "[on|off]", "show what changed since the previous message",
                details: """
                    Shows the changes in each received JSON message since the previous one of the same kind that was \
                    shown, on one line. The first message of a kind, and replies, are shown as a whole. `/show` shows a \
                    whole message. `--diff` chooses what makes up the kind. See `wsx help changes`.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.changes(try argument.optionalSwitch())) }),
        .both(
            PromptCommand(
                "time", "[local|utc|relative|off]", "choose the timestamps of messages",
                details: """
                    The styles are those of `--timestamps`. Without an argument, it toggles between the time of day \
                    and the time since the start.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.time(try argument.optionalStyle())) }),
        .both(
            PromptCommand(
                "pings", "[on|off]", "show pings and pongs",
                details: """
                    By default, the status line only counts them, because they are signs of life. Pings that you send, \
                    and their pongs, are shown in any case. `-v` shows all from the start.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.pings(try argument.optionalSwitch())) }),
        .both(
            PromptCommand(
                "status", "[on|off]", "show a line with the state of the connection",
                details: """
                    The line above the prompt shows the address, the messages sent (`↑`), waiting to be sent, and \
                    received (`↓`), the recording (`●`), the filters, the round-trip time, the pings and pongs that are not \
                    shown, and TLS. It is on by default \
                    in windows of at least 60 columns and 10 rows.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.status(try argument.optionalSwitch())) }),
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
                    command line are not sent again. Messages that wait for a connection are dropped, and counted.
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
        .relay(
            PromptCommand(
                "to", "N server|client LINE", "send to client N, or for it to the server",
                details: """
                    *LINE* is a message, or `/ping`, `/pong`, or `/close`: `/to 3 server {"op":"list"}` sends a message                     to the server as if client 3 had, and `/to 3 client /close 4000` closes client 3. A recording marks                     such messages with `"injected":true`.
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
            PromptCommand("quit", "", "close the connection and exit, like Ctrl-D") { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .quit
            }),
    ]
}
