extension CommandSpecification {
    /// `wsx bench`.
    static let bench = CommandSpecification(
        command: .bench,
        operands: [
            OperandSpecification(
                "URL", required: true,
                completion: .url,
                summary: "The server: ws://HOST/PATH, HOST:PORT, echo:",
                manual: """
                    The server to test, see URLS in *wsx-connect*(1). `echo:` is one in this process, on a thread of its own.
                    """,
                update: .bench { arguments, values throws(ValueProblem) in
                    arguments.url = try ServerURLValue.parse(values.joined())
                })
        ],
        summary: "Load-test a server",
        description: [
            .paragraph(
                """
                Opens connections to a server, sends and receives on them as `--mode` says, and measures how long that takes. \
                By default the server is one that sends every message back: every reply is compared, byte for byte, with \
                what was sent, and every latency is counted. The results are written to standard output at the end.
                """),
            .paragraph(
                """
                Where standard error is a terminal, a line there tells how the run goes on, unless with `--quiet`. Ctrl-C ends a \
                run early, with the results so far. Load-test only servers whose owner has agreed to it.
                """),
        ],
        sections: [
            .values, BenchManual.modes, BenchManual.pace, BenchManual.placeholders, results, BenchManual.thresholds,
            BenchManual.baselines, BenchManual.resultFields, statuses, .clientEnvironment,
        ],
        examples: [
            CommandExample(
                purpose: "How long a reply takes, from 50 clients that wait for it",
                line: "wsx bench -c 50 ws://localhost:8080/"),
            CommandExample(
                purpose: "How many messages a second a server can take",
                line: "wsx bench -c 50 --in-flight 64 -d 30s :8080"),
            CommandExample(
                purpose: "What 20,000 messages a second do to it, after a warm-up",
                line: "wsx bench -c 100 -r 20k --warmup 5s -d 30s :8080"),
            CommandExample(
                purpose: "How long a chat server takes to tell 1,000 clients what one of them says",
                line: "wsx bench --mode broadcast -c 1001 -r 10 ws://localhost:8080/room"),
            CommandExample(
                purpose: "How many clients a second it lets in",
                line: "wsx bench --mode connect -c 64 wss://localhost:8443/"),
            CommandExample(
                purpose: "A fixed number of large messages, as JSON",
                line: "wsx bench -n 10k --size 64k --binary --output json :8080"),
            CommandExample(
                purpose: "In a script: a latency and a rate that have to be kept",
                line: "wsx bench -c 50 --threshold 'p99<20ms' --threshold 'rate>10k' :8080"),
            CommandExample(
                purpose: "A request with a login",
                line: "wsx bench --bearer @token.txt -m '{\"ping\":1}' wss://api.example/echo"),
        ])

    private static let results = ManualSection(
        "RESULTS",
        .paragraph(
            """
            A latency is the time from when a message is handed to the connection, or with `--rate` from when it was due, \
            until the bytes of its reply have been read. What the run waits for beside, time of its own processor included, is part of it. Latencies are kept in an \
            HdrHistogram with three significant digits, up to an hour; a percentile is the largest value of those that \
            count as one there.
            """),
        .paragraph(
            """
            The rate counts the replies that came while messages were sent, and is for that time alone. A warm-up is left out: \
            messages that were due in it count for nothing, nor do their replies, whenever these come. Bytes are those that \
            were on their way from its end until the connections were closed. Each message that was sent to be echoed is \
            then one of three:
            """),
        .definitions([
            (
                "received",
                "Its reply is what was sent. A pong of `--mode idle` answers the pings before it as well (RFC 6455, 5.5.3)."
            ),
            ("mismatched", "Its reply is something else."),
            ("lost", "There is no reply, and there was time for one: `--reply-timeout` after the last message."),
        ]),
        .paragraph("Besides there are counted:"),
        .definitions([
            ("reordered", "Replies, received too, that came after the reply to a later message."),
            ("duplicated", "Messages that came beyond those that there was anything sent for."),
            (
                "unsent",
                """
                Messages that were due by `--rate` before the end that was asked for and were not sent: the queue of their \
                connection was full (256 KiB, and 16 KiB with `--mode send`), this end could not keep up, or nobody was left \
                to send them to.
                """
            ),
        ]))

    private static let statuses = ManualSection(
        "EXIT STATUS",
        .definitions([
            (
                "0",
                "Done as asked: all connections could be opened and were closed as they should be, all replies are right."
            ),
            ("1", "The server closed a connection, or one was lost; or the output could not be written."),
            ("2", "Bad usage."),
            ("3", "A connection could not be made (name, address, proxy or TLS)."),
            (
                "4",
                "The server refused an upgrade; if it refused all, or in `--mode connect`, status, headers and body of a refusal are shown."
            ),
            ("5", "The server broke the protocol."),
            ("6", "A connection, a reply or a closing handshake took too long."),
            ("7", "Replies were lost, doubled, out of order or not what was sent; or a `--threshold` was not met."),
            ("129, 130, 131, 143", "Ended by SIGHUP, SIGINT, SIGQUIT, SIGTERM."),
        ]))
}
