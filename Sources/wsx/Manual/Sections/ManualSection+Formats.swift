import CommandLine

extension ManualSection {
    /// The formats of standard input and output.
    static let formats = ManualSection(
        "FORMATS",
        .table(
            headings: ["--input", "Each message is"],
            rows: [
                ["lines", "a line, without its LF (nor its CR with --crlf)"],
                ["nul", "a record, without the NUL byte that ends it"],
                ["message", "the entire input"],
                ["chunks", "each chunk of bytes read, as a binary message"],
                ["hex", "a line of hexadecimal digits, as a binary message"],
                ["base64", "a line of Base64 (RFC 4648 §4 or §5), as a binary message"],
                ["json", "a line with a JSON event, see JSON EVENTS"],
            ]),
        .paragraph(
            """
            Text messages must be UTF-8. An empty line is an empty message. Hexadecimal digits may be of either case, \
            with spaces and tabs between the bytes. Base64 may have spaces and tabs around it, and its padding is \
            optional. With `--text`, input in `hex` and `base64` is sent as text messages.
            """),
        .table(
            headings: ["--output", "Each received message is written as"],
            rows: [
                ["text", "its bytes and LF"],
                ["raw", "its bytes"],
                ["nul", "its bytes and a NUL byte"],
                ["hex", "two lowercase digits per byte, and LF"],
                ["base64", "Base64 with padding (RFC 4648 §4), and LF"],
                ["json", "a JSON event, among events of other types, see JSON EVENTS"],
            ]),
        .paragraph(
            """
            With `hex`, `base64`, and `json`, the end of each message is clear; with `nul`, only if no message \
            contains a NUL byte. In `wsx connect`, malformed input ends the run with status 2; the error gives the \
            number of the input message. `wsx listen` reports malformed input and continues. The prompt shows messages \
            in the same way for all formats.
            """))

    /// The notation of `--pick`.
    static let paths = ManualSection(
        "PATHS",
        .paragraph("`--pick` finds a value in JSON messages by its path:"),
        .definitions([
            (
                "`.user.name`",
                """
                The member `name` of the member `user`. Such names consist of letters, digits, `_`, `-`, `$`, and `@`.
                """
            ),
            ("`.\"odd key\"`, `.[\"odd key\"]`", "A member with any other name, which is a JSON string."),
            ("`.items[0]`, `.items[-1]`", "The first and the last element of an array."),
            ("`.`", "The whole message."),
            (
                "`/items/0/name`",
                "A JSON Pointer (RFC 6901). In names, `~1` stands for a slash, and `~0` for a tilde."
            ),
        ]),
        .paragraph(
            """
            If several members have the same name, the last one counts. `null` is a value. Messages that are not valid \
            JSON, or that are nested more than 512 levels deep, have no values and are omitted. In strings, unpaired \
            surrogates become U+FFFD.
            """),
        .paragraph(
            """
            `--output` formats the value as if it were the message. In JSON events, `data` is the value as text, and \
            `bytes` its size. A string may contain newlines; `--output nul` or `json` keeps such values apart. Only \
            standard output changes: recordings, `-vv`, and everything that inspects messages use whole messages.
            """))

    /// How events become messages.
    static let eventInput: [ManualBlock] = [
        .paragraph(
            """
            With `--input json`, each line of standard input is such an event, and the output of one `wsx` is valid \
            input for another. Blank lines, and types and members not listed here, are ignored.
            """),
        .definitions([
            (
                "`message`",
                """
                Sends a message: the text in `data`, or the bytes in `base64`. `opcode` defaults to `text` for `data` \
                and to `binary` for `base64`.
                """
            ),
            (
                "`ping`, `pong`",
                "Sends a ping or pong. Its payload is `data` or `base64`, at most 125 bytes, and empty by default."
            ),
            (
                "`close`",
                """
                Begins the closing handshake with `code` and `reason`. Without a code, or with 1005, the close frame \
                is empty. In `wsx connect`, the event ends the input: further input is ignored. A code that no close \
                frame can contain, such as 1006, ends the input without a close frame. In `wsx listen`, the event \
                closes one client or all, and the input continues.
                """
            ),
            ("`open`, `listening`, `error`, `recording`", "Sends nothing."),
        ]),
    ]

    /// The contents of recordings, and their replay.
    static let recordings = ManualSection(
        "RECORDINGS",
        .paragraph(
            """
            *wsx-convert*(1) converts between recordings and HAR files of browsers, and makes pages that show a session.
            """),
        .heading("wsx connect"),
        .paragraph(
            """
            `--record` writes JSON events of both directions to a file. The first event has the type `recording`. \
            Events with the direction `out` are the messages, pings, pongs, and the close frame that you asked for. \
            Frames that `wsx` sends by itself are not recorded: answers to pings, the pings of `--heartbeat`, and those \
            of `--reconnect` and `--linger`. With `--protocol`, the messages of the protocol are recorded instead of \
            the lines that were typed. A message is recorded once, even if it is sent again after a lost connection.
            """),
        .paragraph(
            """
            `--input json` replays a recording. If the first event has the type `recording`, only events with the \
            direction `out` are sent; otherwise, events of both directions are. They are sent without pauses unless \
            `--replay-speed` is given. In that case, each event waits until the time between it and the first event, \
            divided by the speed, has passed. Events without a `time`, or with a time before that of an earlier event, \
            do not wait.
            """),
        .paragraph(
            """
            A session at the prompt may continue on another connection after a close frame. A replay uses one \
            connection. It sends a close frame only if the recording ends with it, and after the usual wait for \
            replies (`--linger`).
            """),
        .listing([
            "wsx connect --record session.jsonl wss://chat.example/room",
            "wsx connect --input json --replay-speed 1 :8080 < session.jsonl",
        ]),
        .heading("wsx listen"),
        .paragraph(
            """
            In every mode, `--record` writes JSON events of both directions to a file, each with its `client`. The \
            first event has the type `recording`. Events with the direction `out` are the messages to each client, and \
            the pings, pongs, and close frames that you asked for. Answers to pings and heartbeats are not recorded. \
            If the recording cannot be written, the server ends with status 1; a prompt continues without recording.
            """),
        .paragraph(
            """
            `--input json` replays a recording of `wsx listen` or `wsx connect`. If the first event has the type \
            `recording`, only events with the direction `out` are sent. With `--replay-speed`, each event waits until \
            the time between it and the first event, divided by the speed, has passed. Events without a `time`, or \
            with a time before that of an earlier event, do not wait. A close frame is sent only if the recording ends \
            with it.
            """))
}
