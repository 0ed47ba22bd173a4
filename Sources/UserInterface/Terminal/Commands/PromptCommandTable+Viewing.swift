import CommandLine

// Commands about the messages on the screen.
extension PromptCommandTable {
    static let viewing: [Entry] = [
        .both(
            PromptCommand(
                "show", "[N] [| COMMAND]", "show all of a message",
                details: """
                    *N* is the number of the message, as shown before it. `/N` is short for `/show N`. The default is \
                    the last message that was shown folded, or else the last message. A message longer than the \
                    screen opens in `$PAGER`. With *COMMAND*, the output of a shell command is shown, which reads the \
                    whole message: `/show 12 | jq .user`. Ctrl-C ends the command.
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
                    only what was received. The latest 100 matches are listed, and matches in later messages, and in \
                    those that `/show` shows, are highlighted until `/find` without an argument.
                    """
            ) { argument throws(PromptMistake) in .view(.find(argument.text.isEmpty ? nil : argument.text)) }),
        .both(
            PromptCommand(
                "filter", "[REGEX]", "hide received messages that do not match",
                details: """
                    Messages are searched as by `/find`. The prompt shows the filter and the number of hidden messages, \
                    which `/find`, `/show`, and `/tail` still find. `/filter` without an argument removes it.
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
                    *PATH* is as for `--pick`; Tab completes paths of recent messages. Received messages without the \
                    value are hidden, except errors. `/pick` without an argument shows whole messages again.
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
                "save", "FILE [N]", "save a message, or the session, in a new file",
                details: """
                    *N* is the number of the message; the default is the last received one. Without *N*, a *FILE* that \
                    ends in `.html` or `.har` gets all messages that are kept, as a page for a browser or as a HAR file. \
                    An existing file is not overwritten.
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
                    member or element per line. Both show text instead of escapes in strings. `off` shows messages \
                    unchanged. Without an argument, it toggles between `fit` and `full`.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.pretty(try argument.optionalPrettyStyle())) }),
        .connect(
            PromptCommand(
                "decode", "[CODEC...|off]", "decode binary messages",
                details: """
                    Applies to messages that arrive from now on. *CODEC* is one of `--decode`, except `exec:`. Of \
                    several, the outermost comes first: `/decode zlib-stream msgpack`. A stream such as `zlib-stream` \
                    can be decoded only from its beginning: `/reconnect` begins a new one. `/decode` alone shows the \
                    codecs.
                    """,
                completion: .codec
            ) { argument throws(PromptMistake) in .decode(try argument.optionalCodecs()) }),
        .both(
            PromptCommand(
                "diff", "[on|off]", "show what changed since the previous message",
                details: """
                    Shows the changes in each received JSON message since the previous one of the same kind that was \
                    shown, on one line, but replies as a whole. `--diff` chooses what makes up the kind. See `wsx help \
                    changes`.
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
                    By default, the status line only counts them. Pings that you send, and their pongs, are shown in \
                    any case. `-v` shows all from the start.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.pings(try argument.optionalSwitch())) }),
        .both(
            PromptCommand(
                "status", "[on|off]", "show a line with the state of the connection",
                details: """
                    The line above the prompt shows the address, the messages sent (`↑`), waiting to be sent, and \
                    received (`↓`), the recording (`●`), the filters, the round-trip time, the pings and pongs that are not \
                    shown, and TLS. It is on by default in windows of at least 60 columns and 10 rows.
                    """,
                completion: .word
            ) { argument throws(PromptMistake) in .view(.status(try argument.optionalSwitch())) }),
    ]
}
