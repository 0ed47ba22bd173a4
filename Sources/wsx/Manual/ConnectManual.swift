import CommandLine

/// What the manual of `wsx connect` says.
enum ConnectManual {
    /// The whole of it but for operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Connects to a WebSocket server. On a terminal it is a prompt: each line typed is sent as a message, \
                and what arrives is shown above the line being typed. In a pipe it is a pipe: each line of standard \
                input is sent as a message, byte for byte, and each message received is written to standard output.
                """),
            .paragraph(
                """
                Input that comes before the connection is open is sent once it is. Replies that come after the input \
                has ended are still written, see `--linger`. Notices and errors go to standard error.
                """),
        ],
        sections: [
            urls, .values, .interactiveUse, .formats, .jsonEvents(events, example: eventExample), .recordings,
            .requests,
            .ends, .stayingConnected,
            .exitStatus,
            .violations,
            limits,
            .tlsErrors, .clientEnvironment, .files,
        ],
        examples: [
            CommandExample(purpose: "Try it out against the embedded echo server", line: "wsx connect echo:"),
            CommandExample(
                purpose: "Send one message and print the first reply",
                line: "wsx connect -n 1 ws://localhost:8080/chat hello"),
            CommandExample(
                purpose: "Send a file's lines, keep the replies",
                line: "wsx connect :8080/events < requests.jsonl > replies.jsonl"),
            CommandExample(
                purpose: "Stay subscribed to a feed whatever happens to the server or the network",
                line: "wsx connect --reconnect --heartbeat 20s --linger forever :8080/feed hello"),
            CommandExample(
                purpose: "Call a JSON-RPC method and wait for its reply",
                line: "wsx connect --json-rpc :8545 'eth_getBalance 0xb60e latest'"),
            CommandExample(
                purpose: "Check a service's health in CI",
                line: "wsx connect --request --reply-timeout 2s --expect '\"ok\"' :8080/health check"),
            CommandExample(
                purpose: "Send a log as it grows",
                line: "tail -f app.log | wsx connect --reconnect :8080/ingest"),
            CommandExample(
                purpose: "Record a session",
                line: "wsx connect --record session.jsonl :8080"),
            CommandExample(
                purpose: "Wait for a service to say that it is ready, 30 seconds at most",
                line: "wsx connect --no-stdin --until '\"status\":\"ready\"' --timeout 30s :8080/status"),
            CommandExample(
                purpose: "Watch a feed for a minute",
                line: "wsx connect --no-stdin --timeout 1m ws://localhost:8080/feed"),
            CommandExample(
                purpose: "Pick the data out of JSON events",
                line: "wsx connect --output json echo: hi | jq -r 'select(.type == \"message\").data'"),
            CommandExample(
                purpose: "Replay a recording at twice its pace",
                line: "wsx connect --input json --replay-speed 2 :8080 < session.jsonl"),
            CommandExample(
                purpose: "Send a binary message that is written as digits",
                line: "echo 00 ff | wsx connect --input hex --output hex echo:"),
            CommandExample(
                purpose: "Log in, with the password asked for, through TLS",
                line: "wsx connect -a me wss://chat.example/room"),
            CommandExample(
                purpose: "Send a file as one binary message", line: "wsx connect --binary -f image.png :8080/upload"),
        ])

    private static let urls = ManualSection(
        "URLS",
        .definitions([
            ("`ws://`*host*[`:`*port*][`/`*path*]", "A server. The port is 80 unless it is given."),
            ("`wss://`*host*[`:`*port*][`/`*path*]", "A server with TLS. The port is 443 unless it is given."),
            ("`http://`*host*..., `https://`*host*...", "The same as `ws://` and `wss://`."),
            ("*host*`:`*port*[`/`*path*]", "The same as `ws://`*host*`:`*port*`/`*path*."),
            ("`:`*port*[`/`*path*]", "The same as `ws://localhost:`*port*`/`*path*."),
            (
                "`ws+unix:`*socket*[`:/`*path*]",
                "A server on a Unix domain socket, for instance `ws+unix:/run/app.sock:/chat`."
            ),
            ("`echo:`", "An echo server inside the process, on a loopback port of its own."),
        ]),
        .paragraph(
            """
            A host can be a name, also an internationalised one, an IPv4 address, or an IPv6 address in brackets, with a \
            zone if it needs one: `[fe80::1%eth0]`. A user and password before it, as in `ws://me:secret@host/`, log in \
            with basic authentication.
            """))

    private static let events: [(term: MarkedText, text: MarkedText)] =
        [
            (
                "`open`",
                "The connection is open: `url`, and `subprotocol` and `extensions` if there are any agreed on."
            )
        ]
        + ManualSection.commonEvents

    private static let eventExample = [
        #"{"type":"message","time":"2026-01-31T15:04:05.123456Z","#,
        #" "direction":"in","opcode":"text","bytes":5,"data":"hello"}"#,
    ]

    private static let limits = ManualSection(
        "LIMITS",
        .definitions([
            ("Message", "64 MiB, then close with 1009: `--max-message-size`."),
            ("Fragments of one message", "131,072, then close with 1008: `--max-fragments`."),
            ("Head of the server's response", "64 KiB and 128 fields."),
            ("Body of a refusal that is shown", "64 KiB."),
            ("Name, connection, proxy, TLS and upgrade together", "10 seconds: `--connect-timeout`."),
            ("Redirects", "20: `--max-redirects`."),
            ("Closing handshake", "5 seconds, then the connection is dropped: `--close-timeout`."),
            ("Queued output", "16 MiB, then standard input is paused."),
            (
                "Requests in flight",
                "65,536, and with `--reconnect` 16 MiB, then standard input is paused."
            ),
            (
                "Messages that no pong has confirmed, with `--reconnect`",
                "16 MiB and the message that exceeds them, then standard input is paused."
            ),
        ]))
}
