import CommandLine

/// The commands that all prompts have. Others are in `ConnectCommands` and `ListenCommands`.
///
/// See docs/howto/add-a-slash-command.md.
package enum SharedCommands {
    package static let all: [PromptCommand<any CommandedPrompt>] = [
        PromptCommand(
            "send", "TEXT", "send a message", in: .sending,
            details: """
                *TEXT* is sent as typed. `/send ""` sends an empty message; Enter on an empty line sends nothing.
                """,
            isForOneClient: true, reading: PromptArgument.message
        ) { $0.send(line: $1) },
        PromptCommand(
            "ping", "[TEXT]", "send a ping", in: .sending,
            details: "*TEXT* can have up to 125 bytes.",
            isForOneClient: true, reading: PromptArgument.controlPayload
        ) { $0.send(control: .ping, $1) },
        PromptCommand(
            "pong", "[TEXT]", "send an unsolicited pong", in: .sending,
            details: "*TEXT* can have up to 125 bytes.",
            isForOneClient: true, reading: PromptArgument.controlPayload
        ) { $0.send(control: .pong, $1) },
        PromptCommand(
            "show", "[N] [| COMMAND]", "show all of a message", in: .messages,
            details: """
                *N* is the number of the message, as shown before it. `/N` is short for `/show N`. The default is \
                the last message that was shown folded, or else the last message. A message longer than the \
                screen opens in `$PAGER`. With *COMMAND*, the output of a shell command is shown, which reads the \
                whole message: `/show 12 | jq .user`. Ctrl-C ends the command.
                """,
            reading: PromptArgument.messageAndCommand
        ) { prompt, target in
            if let command = target.command {
                prompt.pipe(message: target.number, to: command)
            } else {
                prompt.display.change { $0.showMessage(target.number) }
            }
        },
        PromptCommand(
            "pipe", "[COMMAND]", "pass received messages to a shell command", in: .messages,
            details: """
                *COMMAND* gets each received message that passes the filters as a line, and its output is shown \
                instead. It must not buffer its output: `/pipe jq --unbuffered .price`. `/pipe` without an argument \
                ends the command.
                """,
            reading: PromptArgument.optionalText
        ) { $0.pipe(to: $1) },
        PromptCommand(
            "inspect", "[N]", "decode what is inside a message", in: .messages,
            details: """
                Shows the time since the previous message, and decodes values of JSON: JSON in strings, JSON Web \
                Tokens (not verified) with their expiry, Base64, and Unix times in seconds, milliseconds, \
                microseconds, or nanoseconds. The default is the last message.
                """,
            reading: PromptArgument.optionalMessageNumber
        ) { prompt, number in prompt.display.change { $0.inspect(number) } },
        PromptCommand(
            "tail", "[N]", "show the latest messages again", in: .messages,
            details: """
                Shows the last *N* messages (10 by default), including those hidden by a filter, a pause, or a \
                flood.
                """,
            reading: PromptArgument.tailCount
        ) { prompt, count in prompt.display.change { $0.showTail(count) } },
        PromptCommand(
            "find", "[REGEX]", "list matching messages, and highlight matches", in: .messages,
            details: """
                *REGEX* is a Perl-compatible regular expression; begin it with `(?i)` to ignore case. It searches \
                messages as they were sent or received, and as they are shown, including folded parts: `"id":5` \
                finds `"id": 5`, and `Zoë` finds `Zo\\u00eb`. An expression with `(?!` or `(?<!` searches \
                only what was received. The latest 100 matches are listed, and matches in later messages, and in \
                those that `/show` shows, are highlighted until `/find` without an argument.
                """,
            reading: PromptArgument.optionalText
        ) { prompt, pattern in prompt.display.change { $0.find(pattern) } },
        PromptCommand(
            "filter", "[REGEX]", "hide received messages that do not match", in: .messages,
            details: """
                Messages are searched as by `/find`. The prompt shows the filter and the number of hidden messages, \
                which `/find`, `/show`, and `/tail` still find. `/filter` without an argument removes it.
                """,
            reading: PromptArgument.optionalText
        ) { prompt, pattern in prompt.display.filter("filter") { $0.setFilter(pattern) } },
        PromptCommand(
            "where", "[CONDITION]", "hide JSON messages that do not meet a condition", in: .messages,
            details: """
                *CONDITION* compares a value of received messages: `.price>50`, `.type = error`, `.user != null`, \
                `.text ~ REGEX`, `.error` (exists), or `!.error` (does not exist). The path is dotted or a JSON \
                Pointer; Tab completes paths of recent messages. `/where` without an argument removes the condition.
                """,
            completion: .path, reading: PromptArgument.optionalCondition
        ) { prompt, condition in prompt.display.filter("where") { $0.setCondition(condition) } },
        PromptCommand(
            "pick", "[PATH]", "show one value of each JSON message", in: .messages,
            details: """
                *PATH* is as for `--pick`; Tab completes paths of recent messages. Received messages without the \
                value are hidden, except errors. `/pick` without an argument shows whole messages again.
                """,
            completion: .path, reading: PromptArgument.optionalPath
        ) { prompt, path in prompt.display.filter("pick") { $0.setSelection(path) } },
        PromptCommand(
            "hide", "[CONDITION|off]", "hide and do not count messages that match", in: .messages,
            details: """
                *CONDITION* is one of `--hide`, and applies to messages that arrive from now on; see `wsx help \
                conditions`. `/hide` alone lists the conditions, and `/hide off` removes them, with those of the command \
                line.
                """,
            reading: PromptArgument.optionalText
        ) { prompt, condition in prompt.display.change { $0.hide(condition) } },
        PromptCommand(
            "pause", "stop showing messages, or continue", in: .messages,
            details: "The prompt shows how many messages have arrived meanwhile. They are kept and recorded."
        ) { prompt in prompt.display.filter("pause") { $0.togglePause() } },
        PromptCommand(
            "save", "FILE [N]", "save a message, or the session, in a new file", in: .messages,
            details: """
                *N* is the number of the message; the default is the last received one. Without *N*, a *FILE* that \
                ends in `.html` or `.har` gets all messages that are kept, as a page for a browser or as a HAR file. \
                An existing file is not overwritten.
                """,
            completion: .file, reading: PromptArgument.saving
        ) { prompt, target in prompt.display.change { $0.save(to: target.path, target.number) } },
        PromptCommand(
            "pretty", "[fit|full|off]", "choose the layout of JSON", in: .decoding,
            details: """
                `fit` shows each message in as few lines as possible and folds long values. `full` shows one \
                member or element per line. Both show text instead of escapes in strings. `off` shows messages \
                unchanged. Without an argument, it toggles between `fit` and `full`.
                """,
            completion: .word, reading: PromptArgument.optionalPrettyStyle
        ) { prompt, style in prompt.display.change { $0.setPretty(style) } },
        PromptCommand(
            "diff", "[on|off]", "show what changed since the previous message", in: .display,
            details: """
                Shows the changes in each received JSON message since the previous one of the same kind that was \
                shown, on one line, but replies as a whole. `--diff` chooses what makes up the kind. See `wsx help \
                changes`.
                """,
            completion: .word, reading: PromptArgument.optionalSwitch
        ) { prompt, isOn in prompt.display.filter("diff") { $0.setChanges(isOn) } },
        PromptCommand(
            "time", "[local|utc|relative|off]", "choose the timestamps of messages", in: .display,
            details: """
                The styles are those of `--timestamps`. Without an argument, it toggles between the time of day \
                and the time since the start.
                """,
            completion: .word, reading: PromptArgument.optionalStyle
        ) { prompt, style in prompt.display.change { $0.setTime(style) } },
        PromptCommand(
            "pings", "[on|off]", "show pings and pongs", in: .display,
            details: """
                By default, the status line only counts them. Pings that you send, and their pongs, are shown in \
                any case. `-v` shows all from the start.
                """,
            completion: .word, reading: PromptArgument.optionalSwitch
        ) { prompt, isOn in prompt.display.change { $0.setPings(isOn) } },
        PromptCommand(
            "status", "[on|off]", "show a line with the state of the connection", in: .display,
            details: """
                The line above the prompt shows the address, the messages sent (`↑`), waiting to be sent, and \
                received (`↓`), the recording (`●`), the filters, the round-trip time, the pings and pongs that are not \
                shown, and TLS. It is on by default in windows of at least 60 columns and 10 rows.
                """,
            completion: .word, reading: PromptArgument.optionalSwitch
        ) { prompt, isOn in prompt.display.change { _ in prompt.display.statusLine.toggle(isOn) } },
        PromptCommand(
            "close", "[CODE [REASON]]", "close the connection", in: .connection,
            details: "*CODE* defaults to 1000. *REASON* can have up to 123 bytes.",
            completion: .closeCode, isForOneClient: true, reading: PromptArgument.closeFrame
        ) { $0.close(with: $1) },
        PromptCommand(
            "record", "[FILE]", "start or stop recording", in: .session,
            details: """
                Records both directions to *FILE* as JSON events, like `--record`. The file is readable only by \
                you; an existing file is not overwritten. A recording in progress ends first. Without *FILE*, \
                recording stops.
                """,
            completion: .file, reading: PromptArgument.optionalText
        ) { $0.record(to: $1) },
        PromptCommand(
            "edit", "[N|TEXT]", "edit a line in your editor", in: .prompt,
            details: """
                Opens `$VISUAL`, `$EDITOR`, or `vi` with line *N* of the history, with *TEXT*, or with the last \
                line. The saved text appears at the prompt, where Enter sends it. Messages that arrive meanwhile \
                are shown afterwards. Ctrl-X Ctrl-E opens the editor with the current line.
                """,
            reading: PromptArgument.editSource
        ) { $0.display.edit($1) },
        PromptCommand(
            "history", "[N|REGEX]", "list earlier lines", in: .prompt,
            details: """
                Lists the last *N* lines (20 by default), or those that match the regular expression *REGEX*.
                """,
            reading: PromptArgument.historyQuery
        ) { $0.display.showHistory($1) },
        PromptCommand(
            "help", "[COMMAND]", "list the commands, or explain one", in: .prompt,
            completion: .command, reading: PromptArgument.optionalText
        ) { $0.display.showHelp(topic: $1) },
        PromptCommand(
            "quit", "close the connection and exit, like Ctrl-D", in: .prompt,
            details: "Also `/exit` and `/q`."
        ) { $0.quit() },
    ]
}
