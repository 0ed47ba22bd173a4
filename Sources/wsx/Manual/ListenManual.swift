import CommandLine

/// The manual of `wsx listen`.
enum ListenManual {
    /// The manual without operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Runs a WebSocket server. Each message from a client is written to standard output, and each line of \
                standard input is sent to every client. Standard input is read only while at least one client can \
                receive messages.
                """),
            .paragraph(
                """
                On a terminal, lines are typed at a prompt. `@3` and a space at the start of a line send the rest to \
                client 3 only; `@@3` sends a line that starts with `@3` to everyone. `/clients` lists the clients, and \
                `/help` the other commands.
                """),
            .paragraph(
                """
                Instead of talking to clients yourself, let the server echo messages (`--echo`), relay them \
                (`--broadcast`), run a program for each client (`--exec`), answer from a recording (`--replay`), or \
                play a scenario (`--scenario`).
                """),
            .paragraph(
                """
                The bound address is printed on standard error and, with `--output json`, reported as a `listening` \
                event. The server runs until SIGINT or SIGTERM, closes every client with 1001, and exits with 0, or \
                with 7 if a client deviated from `--scenario`. If the reader of standard output is too slow, the \
                server waits 1 second longer than `--close-timeout`, reports how many messages were not written, and \
                exits with 1. It also does so if clients did not get the input: messages that `--delay` held back, data \
                that did not reach a client, lines that waited for slow readers, or, with `--once`, the rest of the \
                input. A second signal ends it at once.
                """),
            .paragraph(
                """
                Plain HTTP requests get a response, too. `--serve` answers them with files, and `--console` with a \
                page on `/`. Otherwise, `/` explains how to connect, WebSocket paths return 426, and other paths 404. \
                Each connection is closed after the response. The Host of a request must be an IP address, \
                `localhost`, or a host that `--origin` allows; any other gets 403.
                """),
        ],
        sections: [.access, .log, .socketActivation, .exitStatus],
        examples: [
            CommandExample(purpose: "Run an echo server", line: "wsx listen --echo 8080"),
            CommandExample(
                purpose: "Run a mock server that greets its clients and answers pings",
                line: "wsx listen --first-message hello --answer '^ping => pong {{seq}}' 8080"),
            CommandExample(
                purpose: "Add a page to try it in a browser", line: "wsx listen --echo --console 8080"),
            CommandExample(purpose: "Send a log to every client", line: "tail -f app.log | wsx listen 8080"),
            CommandExample(
                purpose: "Allow the pages of one site to connect",
                line: "wsx listen -o https://app.example 0.0.0.0:8080"),
            CommandExample(
                purpose: "Pick a free port and report it as a JSON event", line: "wsx listen --echo --output json 0"),
            CommandExample(
                purpose: "Use TLS with a certificate that clients pin",
                line: "wsx listen --echo --tls-self-signed 8443"),
            CommandExample(
                purpose: "Drop a tenth of the messages, and close each client after a minute",
                line: "wsx listen --echo --drop-rate 10% --close-after 1m 8080"),
            CommandExample(
                purpose: "Answer as in a recorded session", line: "wsx listen --replay session.jsonl 8080"),
            CommandExample(
                purpose: "Check a client against a scenario, and exit with 7 if it deviates",
                line: "wsx listen --scenario login.jsonl --once 8080"),
            CommandExample(
                purpose: "Serve a page and its WebSocket on one port",
                line: "wsx listen --broadcast --serve public 8080"),
            CommandExample(
                purpose: "Receive from one client, then exit", line: "wsx listen --once 8080 > received.txt"),
            CommandExample(
                purpose: "Require client certificates of a private CA",
                line: "wsx listen --echo --tls-cert server.pem --client-ca clients-ca.pem 8443"),
            CommandExample(
                purpose: "Listen on all IPv4 addresses, and require a token",
                line: "wsx listen --tls-cert cert.pem --bearer @token.txt '*:8443'"),
            CommandExample(
                purpose: "Give each client a calculator", line: "wsx listen --exec 8080 -- bc -l"),
            CommandExample(purpose: "Listen on a Unix domain socket", line: "wsx listen --echo unix:/tmp/echo.sock"),
        ])

    static let events: [(term: MarkedText, text: MarkedText)] =
        [
            (
                "`listening`",
                "The server is ready: `url`, `port`, and with `--tls-self-signed` also `pin`."
            ),
            (
                "`open`",
                """
                A client connected: `url`, in which `•••` replaces values of parameters that are likely secrets, \
                `client`, and the negotiated `subprotocol` and `extensions`, if any. A program of `--exec-json` gets \
                the URL as it is.
                """
            ),
        ] + [
            (
                "`client`",
                """
                A member rather than an event: the client's number, counted from 1, in every event that concerns one \
                client. In an input event, it selects the recipient; without it, the event goes to all clients. Any value but a \
                whole number from 1, `null` included, is an error, and the event is not sent.
                """
            )
        ]

    static let eventExample = [
        #"{"type":"listening","time":"2026-01-31T15:04:05.123456Z","#,
        #" "url":"ws://127.0.0.1:8080/","port":8080}"#,
    ]
}
