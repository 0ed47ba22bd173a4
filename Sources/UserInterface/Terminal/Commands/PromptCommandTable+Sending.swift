import CommandLine

// Commands that send messages.
extension PromptCommandTable {
    static let sending: [Entry] = [
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
                "call", "[NAME [KEY=VALUE...]]", "send a saved message",
                details: """
                    *NAME* is a name of `--define`, usually from a profile. *KEY*`=`*VALUE* sets a placeholder; a value \
                    with blanks is in double quotes. `/call` alone lists the saved messages. Tab completes names and \
                    placeholders.
                    """,
                completion: .savedMessage
            ) { argument throws(PromptMistake) in .call(try argument.optionalCall()) }),
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
    ]
}
