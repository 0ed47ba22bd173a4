import CommandLine

/// The manual of `wsx connect`.
enum ConnectManual {
    /// Everything except operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Connects to a WebSocket server. On a terminal, `wsx connect` is an interactive prompt: it sends each \
                line you type as a message, and shows received messages above the line you are typing. Elsewhere it is \
                a pipe: it sends each line of standard input as a message, byte for byte, and writes each received \
                message to standard output.
                """),
            .paragraph(
                """
                Input is held back until the connection is open. After the input ends, `wsx connect` waits for \
                replies; see `--linger`. Notices and errors go to standard error. On a terminal, an attempt to connect \
                that takes longer than a second shows its current step.
                """),
        ],
        sections: [.ends, .exitStatus],
        examples: [
            CommandExample(purpose: "Try the built-in echo server", line: "wsx connect echo:"),
            CommandExample(
                purpose: "Send a request, print the reply, and exit",
                line: #"wsx connect -1 ws://localhost:8080/api '{"op":"health"}'"#),
            CommandExample(
                purpose: "Send the lines of a file and save the replies",
                line: "wsx connect :8080/events < requests.jsonl > replies.jsonl"),
            CommandExample(
                purpose: "Stay subscribed to a feed through server restarts and network failures",
                line: "wsx connect --reconnect --heartbeat 20s --linger forever :8080/feed hello"),
            CommandExample(
                purpose: "Call a JSON-RPC method and print its reply",
                line: "wsx connect --json-rpc :8545 'eth_getBalance 0xb60e latest'"),
            CommandExample(
                purpose: "Check the health of a service in CI",
                line: "wsx connect --request --reply-timeout 2s --expect '\"ok\"' :8080/health check"),
            CommandExample(
                purpose: "Log in and print the messages of a feed",
                line: "wsx connect --first-message @login.json --ready welcome --no-stdin :8080/feed"),
            CommandExample(
                purpose: "Replay a recorded session as a test, without comparing times",
                line: "wsx connect --scenario session.jsonl --ignore /time --junit results.xml :8080"),
            CommandExample(
                purpose: "Let a program answer the messages", line: "wsx connect --exec :8080/chat -- ./bot"),
            CommandExample(
                purpose: "Stream a growing log file",
                line: "tail -f app.log | wsx connect --reconnect :8080/ingest"),
            CommandExample(
                purpose: "Record a session",
                line: "wsx connect --record session.jsonl :8080"),
            CommandExample(
                purpose: "Wait up to 30 seconds for a service to report that it is ready",
                line: "wsx connect --no-stdin --until '\"status\":\"ready\"' --timeout 30s :8080/status"),
            CommandExample(
                purpose: "Watch a feed for a minute",
                line: "wsx connect --no-stdin --timeout 1m ws://localhost:8080/feed"),
            CommandExample(
                purpose: "Extract the messages from JSON events",
                line: "wsx connect --output json echo: hi | jq -r 'select(.type == \"message\").data'"),
            CommandExample(
                purpose: "Print one value of each message of a feed",
                line: "wsx connect --no-stdin --pick .trade.price :8080/trades"),
            CommandExample(
                purpose: "Talk JSON to a server that uses MessagePack",
                line: "wsx connect --encode msgpack --decode msgpack :8080/api"),
            CommandExample(
                purpose: "Show what changes in the messages of a feed",
                line: "wsx connect --no-stdin --diff=/type,/symbol :8080/trades"),
            CommandExample(
                purpose: "Replay a recording at twice its original speed",
                line: "wsx connect --input json --replay-speed 2 :8080 < session.jsonl"),
            CommandExample(
                purpose: "Send a binary message written as hexadecimal digits",
                line: "echo 00 ff | wsx connect --input hex --output hex echo:"),
            CommandExample(
                purpose: "Log in over TLS and prompt for the password",
                line: "wsx connect -a me wss://chat.example/room"),
            CommandExample(
                purpose: "Trust a private CA, and authenticate with a client certificate",
                line: "wsx connect --ca ca.pem --cert me.pem --key me.key wss://internal.example/"),
            CommandExample(
                purpose: "Send a file as one binary message", line: "wsx connect --binary -f image.png :8080/upload"),
        ])

    static let urls = ManualSection(
        "URLS",
        .definitions([
            ("`ws://`*host*[`:`*port*][`/`*path*]", "A server without TLS. The default port is 80."),
            ("`wss://`*host*[`:`*port*][`/`*path*]", "A server with TLS. The default port is 443."),
            ("`http://`*host*..., `https://`*host*...", "The same as `ws://` and `wss://`."),
            ("*host*`:`*port*[`/`*path*]", "Short for `ws://`*host*`:`*port*`/`*path*."),
            ("`:`*port*[`/`*path*]", "Short for `ws://localhost:`*port*`/`*path*."),
            (
                "`ws+unix:`*socket*[`:/`*path*]",
                "A server on a Unix domain socket, such as `ws+unix:/run/app.sock:/chat`."
            ),
            ("`echo:`", "An echo server inside the `wsx` process, which no other process can use."),
        ]),
        .paragraph(
            """
            A host is a name (internationalized names are supported), an IPv4 address, or an IPv6 address in brackets, \
            with a zone if necessary: `[fe80::1%eth0]`. A user and password in the URL, as in `ws://me:secret@host/`, \
            log in with HTTP Basic authentication, or as `--digest` or `--anyauth` says.
            """),
        .paragraph(
            """
            Wherever a URL is shown or stored, `•••` replaces the user and password, the values of parameters whose \
            names suggest a secret, such as `access_token`, `key`, or `t`, and values that `--template` inserts. Such a \
            URL is informational. A secret in the path is shown: a path has no names.
            """))

    static let events: [(term: MarkedText, text: MarkedText)] =
        [
            (
                "`open`",
                """
                The connection is open: `url`, and `subprotocol` and `extensions` if any were negotiated. `status` and \
                `headers` are those of the response. `headers` maps each name in lower case to an array of values. \
                `•••` replaces secrets in the URL and in the values. `address` is that of the server or the proxy. \
                With TLS, `tls` has `version`, `cipher`, `group`, `alpn`, `resumed`, `verified`, and `certificate` \
                (`subject`, `issuer`, `names`, `not_before`, `not_after`, and `pin`). `timings` has the microseconds \
                of each phase of connecting: `lookup_us`, `connect_us`, `proxy_us`, `tls_us`, `upgrade_us`, and \
                `total_us`.
                """
            )
        ]
        + [
            (
                "`message` with `--decode`",
                """
                For a binary message, `opcode` is `binary`, and `bytes` the received size, or with `--pick`, the size \
                of the value. `data` is the decoded text, and `decoded` the codecs, such as `gzip+msgpack`. If the \
                message cannot be decoded, `decode_error` is the reason, and `data` or `base64` has the received \
                bytes. To send messages again, use `--record`, which keeps them as received.
                """
            )
        ]

    static let eventExample = [
        #"{"type":"message","time":"2026-01-31T15:04:05.123456Z","#,
        #" "direction":"in","opcode":"text","bytes":5,"data":"hello"}"#,
    ]
}
