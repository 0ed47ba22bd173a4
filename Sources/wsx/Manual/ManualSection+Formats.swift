import CommandLine

extension ManualSection {
    /// The formats of standard input and output.
    static let formats = ManualSection(
        "FORMATS",
        .table(
            headings: ["--input", "What is sent"],
            rows: [
                ["lines", "each line, without its LF (--crlf: nor the CR before it)"],
                ["nul", "each record, without the NUL byte that ends it"],
                ["message", "all of the input as one message"],
                ["chunks", "the bytes as they come, as binary messages of any length"],
                ["hex", "a binary message a line: digits of either case"],
                ["base64", "a binary message a line: RFC 4648, §4 or §5"],
                ["json", "an event a line, see JSON EVENTS"],
            ]),
        .paragraph(
            """
            Between the bytes of `hex` there may be spaces and tabs, and around a line of `base64`; its padding may be \
            missing. An empty line is an empty message. With `--text` such lines are text messages, which have to be \
            UTF-8, as text in any other format has to be.
            """),
        .table(
            headings: ["--output", "What is written for a message"],
            rows: [
                ["text", "its bytes and LF"],
                ["raw", "its bytes"],
                ["nul", "its bytes and a NUL byte"],
                ["hex", "two lowercase digits for each byte, and LF"],
                ["base64", "RFC 4648 with padding, and LF"],
                ["json", "events, of all that happens, see JSON EVENTS"],
            ]),
        .paragraph(
            """
            Only `nul`, `hex`, `base64` and `json` tell one message from the next whatever is in them; `nul` if there is \
            no NUL byte. In `wsx connect`, input that is not in its format ends the run with status 2 and is named by its \
            number; `wsx listen` reports it and goes on. On a terminal the prompt shows messages in its own way, whatever \
            the format.
            """))

    /// How events become messages.
    static let eventInput: [ManualBlock] = [
        .paragraph(
            """
            With `--input json` every line of standard input is such an object, so that what one `wsx` writes another can \
            send. Members that are not named here are ignored, and so are blank lines.
            """),
        .definitions([
            (
                "`message`",
                """
                Sends a message: the text `data`, or the bytes of `base64`. Without `opcode`, `data` is a text message and \
                `base64` a binary one.
                """
            ),
            (
                "`ping`, `pong`",
                "Sends a ping or pong with the bytes of `data` or `base64`, at most 125, or without any."
            ),
            (
                "`close`",
                """
                Begins the closing handshake with `code` and `reason`. Without a code, or with 1005, the close frame has \
                none. In `wsx connect` it ends the input, as does a code that stands for no frame, such as 1006: what \
                follows is ignored. In `wsx listen` it closes one client or all, and the input goes on.
                """
            ),
            ("`open`, `listening`, `error`, `recording`", "Nothing is sent."),
        ]),
    ]

    /// What a recording is, and how it replays.
    static let recordings = ManualSection(
        "RECORDINGS",
        .paragraph(
            """
            `--record` writes the JSON events of both directions to a file. The first is of the type `recording`; `out` \
            are the messages, pings, pongs and the close frame that were asked for, and not what the program sends of \
            itself: answers to pings, heartbeats, and the pings of `--reconnect`. A message is recorded once, however \
            often lost connections have it sent again.
            """),
        .paragraph(
            """
            A recording replays with `--input json`. Where the input begins with a `recording` event, only what went `out` \
            is sent; from any other input what went in either direction is. All is sent at once unless `--replay-speed` \
            says otherwise: then an event waits until as much time has passed since the first event as lay between the \
            two, divided by the speed. Events without a `time`, and those whose time goes backwards, do not wait.
            """),
        .paragraph(
            """
            At the prompt a session may go on after a close frame, on another connection. Replayed, all of it is sent on \
            one: of the close frames of a recording only one with which it ends is sent, after the wait for replies that follows any input (`--linger`).
            """),
        .listing([
            "wsx connect --record session.jsonl wss://chat.example/room",
            "wsx connect --input json --replay-speed 1 :8080 < session.jsonl",
        ]))

    /// What is recorded of all the clients of a server, and how it replays.
    static let serverRecordings = ManualSection(
        "RECORDINGS",
        .paragraph(
            """
            `--record` writes the JSON events of both directions to a file, each with its `client`, in every mode. The \
            first is of the type `recording`; `out` are the messages to each client, and the pings, pongs and close \
            frames that were asked for, and not answers to pings, nor heartbeats. When a recording cannot be written any more, \
            the server ends with status 1; at a prompt it goes on without.
            """),
        .paragraph(
            """
            A recording, also one of `wsx connect`, is `--input json` as well: begins the input with a `recording` event, \
            only what went `out` is sent. With `--replay-speed` an event waits until as much time has passed since the \
            first event as lay between the two, divided by the speed. Events without a `time`, and those whose time goes \
            backwards, do not wait. Of its close frames only one with which it ends is sent, after the wait for replies that follows any input (`--linger`).
            """))
}
