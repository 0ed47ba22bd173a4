import CommandLine

/// What the manual of `wsx listen` says.
enum ListenManual {
    /// The whole of it but for operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Accepts WebSocket clients. Each line of standard input is sent to every client, and each message of \
                a client is written to standard output. Standard input is read only while a client is connected. \
                On a terminal the lines are typed at a prompt, \
                where `@3` and a space before a line send it to client 3 alone, `/clients` lists who is there and \
                `/help` the other commands. `@@3` begins a line for all clients that starts with `@3`. \
                With `--echo` every message goes back to its sender instead.
                """),
            .paragraph(
                """
                The bound address is printed on standard error, with `--output json` also as a `listening` event. \
                The server runs until SIGINT or SIGTERM, closes every client with 1001 and exits with 0.
                """),
            .paragraph(
                """
                Requests that ask for no WebSocket are answered, too: with the files of `--serve`; without it `/` shows \
                how to connect, 426 says that there is a WebSocket at a path, and 404 that there is none. The connection \
                is closed after the answer. A request must name the server in Host by an IP address, `localhost` or a \
                host that `--origin` allows; any other is refused with 403.
                """),
        ],
        sections: [
            .values, .formats, .jsonEvents(events, example: eventExample), .serverRecordings, .programs, .tryingClients,
            .access, .log,
            .socketActivation, .exitStatus, .violations, limits, .serverEnvironment,
        ],
        examples: [
            CommandExample(purpose: "An echo server", line: "wsx listen --echo 8080"),
            CommandExample(
                purpose: "The same, with a page to try it in a browser", line: "wsx listen --echo --console 8080"),
            CommandExample(purpose: "Send a log to every client", line: "tail -f app.log | wsx listen 8080"),
            CommandExample(
                purpose: "Let in the pages of one site", line: "wsx listen -o https://app.example 0.0.0.0:8080"),
            CommandExample(
                purpose: "Any free port, found out from the events", line: "wsx listen --echo --output json 0"),
            CommandExample(
                purpose: "With TLS, and a certificate that clients pin",
                line: "wsx listen --echo --tls-self-signed 8443"),
            CommandExample(
                purpose: "A server that loses a tenth of its messages and restarts every minute",
                line: "wsx listen --echo --drop-rate 10% --close-after 1m 8080"),
            CommandExample(
                purpose: "Answer as in a recorded session", line: "wsx listen --replay session.jsonl 8080"),
            CommandExample(
                purpose: "A page and its WebSocket on one port", line: "wsx listen --broadcast --serve public 8080"),
            CommandExample(
                purpose: "Take what one client sends, then end", line: "wsx listen --once 8080 > received.txt"),
            CommandExample(
                purpose: "Open to the network, for those who know a token",
                line: "wsx listen --tls-cert cert.pem --bearer @token.txt '*:8443'"),
            CommandExample(
                purpose: "A calculator for everyone: one bc a client", line: "wsx listen --exec 8080 -- bc -l"),
            CommandExample(purpose: "On a socket file", line: "wsx listen --echo unix:/tmp/echo.sock"),
        ])

    private static let events: [(term: MarkedText, text: MarkedText)] =
        [
            (
                "`listening`",
                "The server is ready: `url` and `port`; with `--tls-self-signed` also `pin`."
            ),
            (
                "`open`",
                "A client is connected: `url`, `client`, and `subprotocol` and `extensions` if there are any agreed on."
            ),
        ] + ManualSection.commonEvents + [
            (
                "`client`",
                """
                Not an event but a member of all that concern one client: its number, counted from 1. In an event of \
                the input it is the one client that the event is for; without it, it is for all. Anything but a \
                number from 1, `null` too, is an error, and the event is not sent.
                """
            )
        ]

    private static let eventExample = [
        #"{"type":"listening","time":"2026-01-31T15:04:05.123456Z","#,
        #" "url":"ws://127.0.0.1:8080/","port":8080}"#,
    ]

    private static let limits = ManualSection(
        "LIMITS",
        .definitions([
            ("Message", "16 MiB, then close with 1009: `--max-message-size`."),
            ("Fragments of one message", "131,072, then close with 1008: `--max-fragments`."),
            ("Head of a request", "16 KiB and 100 fields, then 431."),
            ("Upgrade", "10 seconds, then 408: `--handshake-timeout`."),
            (
                "Answer to a request that asks for no WebSocket",
                "30 seconds in which the client takes nothing of it, then the connection is dropped."
            ),
            ("Closing handshake", "5 seconds, then the connection is dropped: `--close-timeout`."),
            (
                "Queued output of one client",
                """
                16 MiB, then the input pauses, or with `--broadcast` the sender. A client that takes nothing for a \
                second, or has not taken half of it in 5, while others wait, is closed with 1013, and sooner when \
                others have just been.
                """
            ),
            (
                "Delayed messages of one client",
                "16 MiB, then their source pauses: the client, its program, or the input."
            ),
            (
                "Programs of `--exec`",
                """
                256, or as many as the limit of open files allows at four a client, then 503: `--max-processes`. 1 MiB \
                that a program does not read pauses its client.
                """
            ),
            (
                "Connections",
                """
                What the limit of open files allows, less a reserve, or `--max-connections`. Beyond it accepting \
                pauses, which is said once: further clients wait in the kernel's queue until others have left.
                """
            ),
            ("Idle clients", "Kept for ever, unless `--idle-timeout` or `--heartbeat` says otherwise."),
        ]))
}
