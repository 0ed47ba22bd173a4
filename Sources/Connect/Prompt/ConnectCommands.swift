import CommandLine
import UserInterface

/// The commands of the prompt of `wsx connect`.
package enum ConnectCommands {
    /// All of them, in the order of help.
    static let all = (SharedCommands.all.map { $0.of { (prompt: ConnectPrompt) in prompt } } + own).inOrderOfHelp()

    /// Those that other prompts lack.
    package static let descriptions = own.map(\.description)

    private static let own: [PromptCommand<ConnectPrompt>] = [
        PromptCommand(
            "binary", "hex|base64 BYTES", "send a binary message", in: .sending,
            details: """
                For example, `/binary hex 00 ff 7a` or `/binary base64 AP96`. Spaces between hexadecimal bytes are \
                optional.
                """,
            reading: PromptArgument.binary
        ) { $0.send(message: $1, as: .binary) },
        PromptCommand(
            "file", "[text|binary] FILE", "send a file as one message", in: .sending,
            details: """
                By default, a file of valid UTF-8 becomes a text message, and any other file a binary message. \
                With `--binary`, all files become binary messages. `~/` stands for the home directory.
                """,
            completion: .file, reading: PromptArgument.file
        ) { $0.sendFile($1.path, as: $1.1) },
        PromptCommand(
            "send-json", "JSON", "check JSON and send it as a text message", in: .sending,
            details: "*JSON* is sent as typed, or not at all if it is invalid.",
            takesJSON: true, reading: PromptArgument.json
        ) { $0.send(message: $1, as: .text) },
        PromptCommand(
            "call", "[NAME [KEY=VALUE...]]", "send a saved message", in: .sending,
            details: """
                *NAME* is a name of `--define`, usually from a profile. *KEY*`=`*VALUE* sets a placeholder; a value \
                with blanks is in double quotes. `/call` alone lists the saved messages. Tab completes names and \
                placeholders.
                """,
            completion: .savedMessage, reading: PromptArgument.optionalCall
        ) { prompt, call in if let call { prompt.send(call) } else { prompt.showSavedMessages() } },
        PromptCommand(
            "set", "NAME=PATH", "keep a value of messages as {{NAME}}", in: .sending,
            details: """
                With `--template`: typed lines can insert the latest value at *PATH* of the messages that arrive from now \
                on, as with `--set`.
                """,
            reading: PromptArgument.setVariable
        ) { $0.set($1) },
        PromptCommand(
            "repeat", "N [INTERVAL]", "send the last message N more times", in: .sending,
            details: """
                *INTERVAL* is the time between messages, for example `500ms`. By default, messages are sent as \
                fast as the connection accepts them. Ctrl-C stops.
                """,
            reading: PromptArgument.repetition
        ) { $0.startRepetition(count: $1.count, interval: $1.interval) },
        PromptCommand(
            "decode", "[CODEC...|off]", "decode binary messages", in: .decoding,
            details: """
                Applies to messages that arrive from now on. *CODEC* is one of `--decode`, except `exec:`. Of \
                several, the outermost comes first: `/decode zlib-stream msgpack`. A stream such as `zlib-stream` \
                can be decoded only from its beginning: `/reconnect` begins a new one. `/decode` alone shows the \
                codecs.
                """,
            completion: .codec, reading: PromptArgument.optionalCodecs
        ) { $0.decode(with: $1) },
        PromptCommand(
            "reconnect", "connect again", in: .connection,
            details: """
                Closes an open connection first. If `--reconnect` is waiting for its next attempt, the attempt \
                starts immediately.
                """
        ) { $0.connection.reconnect(with: nil) },
        PromptCommand(
            "retry", "resend the messages that were given up", in: .connection,
            details: """
                With `--reconnect`, a message is given up if connections keep ending before the peer confirms it. \
                See `wsx help staying-connected`.
                """
        ) { prompt in prompt.decide("retry") { prompt.connection.retryGivenUp() } },
        PromptCommand(
            "drop", "discard the messages that were given up", in: .connection,
            details: "See `/retry`."
        ) { prompt in prompt.decide("drop") { prompt.connection.dropGivenUp() } },
        PromptCommand(
            "connect", "URL", "connect to another server", in: .connection,
            details: """
                Closes an open connection first. The options still apply, but another origin (scheme, host, or \
                port) gets nothing that may be a secret: no `--auth`, `--bearer`, `--aws-sigv4`, `--cookie`, \
                `--cert`, or `--subprotocol`, and pings instead of `--heartbeat-message`. Of the `--header` \
                fields, it gets only User-Agent, Origin, Cache-Control, Pragma, DNT, and names that begin with \
                Accept. Cookies of files and servers are sent as a browser would send them. Messages on the \
                command line are not sent again. Messages that wait are dropped, and counted.
                """,
            completion: .url, reading: PromptArgument.url
        ) { $0.connect(to: $1) },
        PromptCommand(
            "headers", "show the opening handshake", in: .session,
            details: "Secrets appear as dots."
        ) { $0.showHeaders() },
        PromptCommand(
            "curl", "[secrets]", "print the connection as a curl command", in: .session,
            details: """
                The command sends the request of the current connection, or of the next one. `•••` replaces secrets; \
                `/curl secrets` prints them.
                """,
            completion: .word, reading: PromptArgument.secretsSwitch
        ) { $0.showCurl(showsSecrets: $1) },
        PromptCommand(
            "info", "show address, TLS, compression, and traffic", in: .session,
            details: "The round-trip time is that of the last answered ping; `/ping` measures it."
        ) { $0.showInfo() },
    ]
}
