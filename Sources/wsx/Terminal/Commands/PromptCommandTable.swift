/// Every command of the prompts. `connect` and `listen` read their lines by it; help, completion, and the manual come from
/// it, too.
///
/// A command says which prompts have it and which action it stands for, so that a prompt's switch has no case that it
/// cannot meet. See docs/howto/add-a-slash-command.md.
enum PromptCommandTable {
    /// A command, by the prompts that have it.
    enum Entry: Sendable {
        case both(PromptCommand<PromptAction>)
        case connect(PromptCommand<ConnectAction>)
        case listen(PromptCommand<ListenAction>)

        var description: PromptCommandDescription {
            switch self {
            case .both(let command): command.description
            case .connect(let command): command.description
            case .listen(let command): command.description
            }
        }
    }

    /// The commands of `wsx connect`.
    static let connect: [PromptCommand<ConnectAction>] = all.compactMap { entry in
        switch entry {
        case .both(let command): command.map { .shared($0) }
        case .connect(let command): command
        case .listen: nil
        }
    }

    /// The commands of `wsx listen`.
    static let listen: [PromptCommand<ListenAction>] = all.compactMap { entry in
        switch entry {
        case .both(let command): command.map { .shared($0) }
        case .connect: nil
        case .listen(let command): command
        }
    }

    /// The commands, in the order in which help shows them.
    static let all: [Entry] = [
        .both(
            PromptCommand(
                "send", "TEXT", "send a message, even an empty one",
                details: """
                    Sends *TEXT* as typed; `/send ""` sends an empty message. Enter on an empty line sends nothing.
                    """
            ) { argument throws(PromptMistake) in .send(try argument.message()) }),
        .both(
            PromptCommand("ping", "[TEXT]", "send a ping", details: "*TEXT* is at most 125 bytes.") {
                argument throws(PromptMistake) in .ping(try argument.controlPayload())
            }),
        .both(
            PromptCommand(
                "pong", "[TEXT]", "send a pong that answers no ping", details: "*TEXT* is at most 125 bytes."
            ) { argument throws(PromptMistake) in .pong(try argument.controlPayload()) }),
        .connect(
            PromptCommand(
                "binary", "hex|base64 BYTES", "send a binary message",
                details: """
                    As `/binary hex 00 ff 7a` or `/binary base64 AP96`. The hexadecimal digits may have blanks between the bytes.
                    """
            ) { argument throws(PromptMistake) in .binary(try argument.binary()) }),
        .connect(
            PromptCommand(
                "file", "[text|binary] PATH", "send a file as one message",
                details: """
                    Without `text` or `binary` it is a text message where it is UTF-8 and `--binary` was not given. A \
                    *PATH* that begins with `~/` begins in the home directory.
                    """,
                completion: .file
            ) { argument throws(PromptMistake) in
                let (path, kind) = try argument.file()
                return .file(path: path, kind)
            }),
        .connect(
            PromptCommand(
                "send-json", "JSON", "send a text message, if it is JSON",
                details: "It is sent as typed; what is no JSON is not sent.", takesJSON: true
            ) { argument throws(PromptMistake) in .sendJSON(try argument.json()) }),
        .connect(
            PromptCommand(
                "repeat", "N [INTERVAL]", "send the last message N more times",
                details: """
                    With an *INTERVAL*, for instance `500ms`, as far apart as that; without one as fast as they are taken. \
                    Ctrl-C ends it.
                    """
            ) { argument throws(PromptMistake) in
                let (count, interval) = try argument.repetition()
                return .repeatMessage(count: count, interval: interval)
            }),
        .connect(
            PromptCommand(
                "show", "[N]", "show a message whole",
                details: """
                    Message *N*, counted from 1 as they are sent and received; without a number the last of which only the \
                    beginning was shown, or else the last. The latest 10,000 messages are kept, up to 64 MiB.
                    """
            ) { argument throws(PromptMistake) in .show(number: try argument.optionalMessageNumber()) }),
        .connect(
            PromptCommand(
                "find", "REGEX", "list the messages in which something is found",
                details: """
                    *REGEX* is a regular expression as in Perl, `(?i)` at its beginning makes no difference between capitals \
                    and small letters. At most 100 messages are listed, the latest.
                    """
            ) { argument throws(PromptMistake) in .find(try argument.required("what is to be found?")) }),
        .connect(
            PromptCommand(
                "filter", "[REGEX]", "hide messages that do not match",
                details: """
                    It holds for what is sent and for what is received, until `/filter` alone. Hidden messages are kept for \
                    `/find` and `/show`.
                    """
            ) { argument throws(PromptMistake) in .filter(argument.text.isEmpty ? nil : argument.text) }),
        .connect(
            PromptCommand(
                "save", "FILE [N]", "put the bytes of a message into a new file",
                details: "Message *N*, or the last received. A file that is there already is left alone.",
                completion: .file
            ) { argument throws(PromptMistake) in
                let (path, number) = try argument.saving()
                return .save(path: path, number: number)
            }),
        .both(
            PromptCommand(
                "pretty", "[on|off]", "indent JSON, or show it as it is", details: "Alone it changes between the two."
            ) { argument throws(PromptMistake) in .pretty(try argument.optionalSwitch()) }),
        .both(
            PromptCommand(
                "time", "[STYLE]", "choose the time that stands before messages",
                details: """
                    *STYLE* is `local`, `utc`, `relative` or `off`, as for `--timestamps`. Alone it changes between the time \
                    of day and the time since the start.
                    """
            ) { argument throws(PromptMistake) in .time(try argument.optionalStyle()) }),
        .both(
            PromptCommand(
                "close", "[CODE [REASON]]", "begin the closing handshake",
                details: "*CODE* is 1000 unless it is given, *REASON* at most 123 bytes."
            ) { argument throws(PromptMistake) in .close(try argument.closeFrame()) }),
        .connect(
            PromptCommand(
                "reconnect", "", "connect again",
                details: """
                    Closes the connection first, where there is one. Where the next try is waited for (`--reconnect`), it \
                    follows at once.
                    """
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .reconnect
            }),
        .connect(
            PromptCommand(
                "connect", "URL", "connect to another server",
                details: """
                    Closes the connection first, where there is one. The options stay, but no other origin than the \
                    first gets what logs in, or may: `--auth`, `--bearer`, `--cookie`, `--cert`, `--subprotocol`, the text \
                    of `--heartbeat-message` (pings take its place), and the fields of `--header` but for User-Agent, \
                    Origin, Cache-Control, Pragma, DNT and those that begin with Accept. The messages of the command line \
                    are not sent again.
                    """
            ) { argument throws(PromptMistake) in .connect(url: try argument.required("the URL is missing")) }),
        .connect(
            PromptCommand(
                "record", "[FILE]", "record the session from now on, or end that",
                details: """
                    In *FILE*, as JSON events of both directions, as `--record` does. The file is made for you alone; one \
                    that is there is left alone, and another name asked for. A recording before this one ends.
                    """,
                completion: .file
            ) { argument throws(PromptMistake) in .record(path: argument.text.isEmpty ? nil : argument.text) }),
        .listen(
            PromptCommand(
                "clients", "", "list the clients",
                details: "With their numbers, where they come from, since when, and what went each way."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .clients
            }),
        .connect(
            PromptCommand("headers", "", "show the opening handshake", details: "Secrets are shown as dots.") {
                argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .headers
            }),
        .connect(
            PromptCommand(
                "info", "", "show address, TLS, compression, counts and round trip",
                details: "The round trip is that of the latest ping that was answered; `/ping` measures it."
            ) { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .info
            }),
        .both(
            PromptCommand(
                "edit", "[N|TEXT]", "write a line in an editor",
                details: """
                    Opens `$VISUAL`, `$EDITOR` or `vi` with the line *N* of the history, with *TEXT*, or with the last \
                    line. What is saved is put at the prompt, where Enter sends it. Messages that come meanwhile are shown \
                    afterwards. Ctrl-X Ctrl-E opens the editor with what has been typed so far.
                    """
            ) { argument throws(PromptMistake) in .edit(argument.editSource) }),
        .both(
            PromptCommand(
                "history", "[N|REGEX]", "list what has been typed",
                details: """
                    Lists the last *N* lines, 20 unless it is given, or those in which the regular expression *REGEX* is \
                    found.
                    """
            ) { argument throws(PromptMistake) in .history(try argument.historyQuery()) }),
        .both(
            PromptCommand(
                "help", "[COMMAND]", "list the commands, or explain one", completion: .command
            ) { argument throws(PromptMistake) in .help(topic: argument.text.isEmpty ? nil : argument.text) }),
        .both(
            PromptCommand("quit", "", "close the connection and leave, like Ctrl-D") { argument throws(PromptMistake) in
                try argument.checkEmpty()
                return .quit
            }),
    ]
}
