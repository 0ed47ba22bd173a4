import CommandLine
import LoadTest

/// The manuals of `wsx bench` and `wsx bench merge`.
enum BenchManual {
    /// The manual of `wsx bench` without operands and options.
    static let manual = Manual(
        description: [
            .paragraph(
                """
                Load-tests a WebSocket server. Opens connections, runs the workload of `--mode`, and writes throughput \
                and latency statistics to standard output. By default, the server must echo: every reply is compared \
                with its message byte for byte, and every latency is recorded. For other servers, use `--mode request` \
                or `--scenario`.
                """),
            .paragraph(
                """
                On a terminal, a progress line is shown on standard error unless `--quiet` is given. Ctrl-C ends the \
                test early and writes the results so far. Load-test a server only with the consent of its owner.
                """),
        ],
        sections: [modes, pace, stages, statuses],
        examples: [
            CommandExample(
                purpose: "Measure latency with 50 clients that wait for each reply",
                line: "wsx bench -c 50 ws://localhost:8080/"),
            CommandExample(
                purpose: "Measure maximum throughput",
                line: "wsx bench -c 50 --in-flight 64 -d 30s :8080"),
            CommandExample(
                purpose: "Measure latency at 20,000 messages per second, after a warm-up",
                line: "wsx bench -c 100 -r 20k --warmup 5s -d 30s :8080"),
            CommandExample(
                purpose: "Measure an API that replies with the id of the request",
                line: "wsx bench --mode request --correlate id -m '{\"id\":{{seq}},\"op\":\"list\"}' :8080"),
            CommandExample(
                purpose: "Measure how fast a chat server delivers a message to 1,000 clients",
                line: "wsx bench --mode broadcast -c 1001 -r 10 ws://localhost:8080/room"),
            CommandExample(
                purpose: "Find the limit with more and more users, who read each reply for 1 to 3 seconds",
                line: "wsx bench --stages 1k@1m,5k@5m,0@30s --think 1s-3s :8080"),
            CommandExample(
                purpose: "Let 1,000 clients reconnect at once every 5 seconds",
                line: "wsx bench --mode idle -c 1000 --lifetime 5s -d 1m :8080"),
            CommandExample(
                purpose: "Measure connections per second",
                line: "wsx bench --mode connect -c 64 wss://localhost:8443/"),
            CommandExample(
                purpose: "Send a fixed number of large messages and write JSON",
                line: "wsx bench -n 10k --size 64k --binary --output json :8080"),
            CommandExample(
                purpose: "Fail a CI job on high latency or low throughput",
                line: "wsx bench -c 50 --threshold 'p99<20ms' --threshold 'rate>10k' :8080"),
            CommandExample(
                purpose: "Play a recorded session with 100 users, and limit the duration of a step",
                line: "wsx bench --scenario session.jsonl -c 100 --threshold 'query.p99<50ms' :8080"),
            CommandExample(
                purpose: "Log in on each connection, then read a feed",
                line: "wsx bench --mode receive --first-message @login.json --ready ok :8080"),
            CommandExample(
                purpose: "Give each of 1,000 clients its own token",
                line: "wsx bench -c 1000 --data users.csv --bearer '{{token}}' wss://api.example/"),
            CommandExample(
                purpose: "Log in and send a message of your own",
                line: "wsx bench --bearer @token.txt -m '{\"ping\":1}' wss://api.example/echo"),
        ])

    private static let statuses = ManualSection(
        "EXIT STATUS",
        .definitions([
            ("0", "Success: all connections opened and closed normally, and all replies were correct."),
            ("1", "The server closed a connection, a connection was lost, or the output could not be written."),
            ("2", "Bad usage."),
            ("3", "A connection failed (name lookup, network, proxy, or TLS)."),
            (
                "4",
                """
                The server rejected an upgrade. If it rejected all of them, or with `--mode connect`, the status, \
                headers, and body of one response are shown.
                """
            ),
            ("5", "The server violated the protocol."),
            ("6", "A connection, a reply, or a closing handshake timed out, or `--timeout` ended the run."),
            (
                "7",
                """
                Replies were lost, duplicated, reordered, or wrong, a step failed, or a `--threshold` or `--abort` \
                condition was not met.
                """
            ),
            ("129, 130, 131, 143", "Ended by SIGHUP, SIGINT, SIGQUIT, or SIGTERM."),
        ]))

    /// The manual of `wsx bench merge` without operands and options.
    static let mergeManual = Manual(
        description: [
            .paragraph(
                """
                Merges the results of several `wsx bench` runs, on one or more machines, as if they had been one run. \
                Counts, errors, bytes, connections, threads, and CPU time are summed. Histograms are added, which \
                makes percentiles exact. Seconds are added by their number. The duration is that of the longest run, \
                and the rate refers to it.
                """),
            .paragraph(
                """
                The runs should have been simultaneous; see `--start-at` in *wsx-bench*(1). The order of the files \
                does not matter. Results of different modes cannot be merged.
                """),
            .paragraph(
                """
                A file that is missing, empty, or cut off is that of a machine that was lost. The other results are \
                merged, but the verdict is failed and names the file, because the load was smaller than planned.
                """),
        ],
        sections: [
            ManualSection(
                "EXIT STATUS",
                .definitions([
                    ("0", "Success."), ("1", "The merged results could not be written."),
                    ("2", "Bad usage, a file with other contents, or no results at all."),
                    ("7", "A `--threshold` was not met, or one of the runs failed or has no complete results."),
                ]))
        ],
        examples: [
            CommandExample(
                purpose: "Merge the results of two machines",
                line: "wsx bench merge one.json two.json"),
            CommandExample(
                purpose: "Merge many results to one JSON object and check a threshold",
                line: "cat *.json | wsx bench merge --output json --threshold 'p99<20ms' -"),
        ])

    /// The values of `--mode`.
    static let modes = ManualSection(
        "MODES",
        .definitions(
            BenchMode.all.map { mode in
                (MarkedText("`\(mode.rawValue)`"), MarkedText(mode.manual))
            }))

    /// The placeholders in messages.
    static let placeholders: [ManualBlock] = [
        .paragraph(
            """
            These placeholders in `--message`, in text files of `--file`, in `--first-message`, in \
            `--heartbeat-message`, and in `--answer` are replaced in each message. All but `{{seq}}` are also replaced \
            in the URL, `-H`, `-b`, `-a`, `--bearer`, and `-s`, when a connection opens:
            """),
        .definitions([
            (
                "`{{seq}}`",
                """
                The sequence number of the message on its connection, from 1. Messages sent automatically have their \
                own sequence. A connection that is opened again continues with larger numbers, possibly with a gap, \
                so `{{connection}}-{{seq}}` is unique among the messages of the load. In a scenario, and in the file \
                of `--protocol`, each connection begins with 1; use `{{random 16}}` for values that must not repeat.
                """
            ),
            (
                "`{{connection}}`",
                "The number of the connection, from 1. A connection that is opened again keeps it."
            ),
            ("`{{time}}`", "The time at which the message was due, in milliseconds since 1970 (UTC)."),
            (
                "`{{random `*N*`}}`",
                """
                *N* letters, digits, `-`, and `_`. They differ between messages and connections, but repeat in every \
                run. In the URL and the request, they differ between runs, too.
                """
            ),
            (
                "`{{marker}}`",
                """
                With `--mode broadcast`: 48 hexadecimal digits with the publisher, the number of the message, and the time \
                at which it was due, by which readers recognize it.
                """
            ),
            ("`{{env:`*NAME*`}}`", "The environment variable *NAME*. It must be set when `wsx` starts."),
            ManualSection.variable(source: "in the connection's row of `--data`"),
            (
                "`{{last:`*PATH*`}}`",
                """
                In `--answer`, the value at *PATH* in the answered message: a JSON Pointer or a dotted path. In a \
                scenario, the value in the message of the last step that received one. Elsewhere, it is an error: \
                use a scenario for messages that depend on the last reply.
                """
            ),
        ]),
        .paragraph(
            """
            In the URL, placeholders are possible in the path and the query, and before them only \
            `{{env:`*NAME*`}}`; values are percent-encoded. Errors and results show the placeholders of the path and \
            the query instead of their values. A value that `@`*FILE*, `env:`*NAME*, or `exec:`*COMMAND* \
            provides for `-b`, `-a`, `--bearer`, or `--param` is used unchanged; the lines of `-H @`*FILE* may contain placeholders.
            """),
        .paragraph(
            """
            Each reply is compared with its message. Identical messages can only be counted. With `{{seq}}` or \
            `{{random 16}}` in each message, wsx reports which ones were lost, duplicated, or reordered.
            """),
    ]

    /// The distribution of the load over time.
    static let pace = ManualSection(
        "PACE",
        .paragraph(
            """
            Without `--rate`, a connection sends its next message when a reply arrives (closed loop). A server that \
            slows down then gets fewer messages, which hides the delay that users would see (coordinated omission). \
            With `--rate`, messages are due on a schedule that does not wait for the server (open loop), and each \
            latency starts when its message was due. One schedule covers all connections and threads, which take \
            turns.
            """),
        .paragraph(
            """
            All connections are opened before the first message is sent. `--ramp` affects the messages: connections \
            start to send one after another, or the rate grows linearly from zero. `--warmup` affects the results: \
            messages due during the warm-up are sent and checked but not counted. Errors always count.
            """),
        .paragraph(
            """
            `--think` adds a pause between each reply and the next message. `--lifetime` closes and reopens \
            connections, one by one with a range, and all at once with a single duration. With `--rate`, messages due \
            while their connection is away are sent when it is open again, and their latency includes the wait. The \
            pings of `--mode idle` are not sent then.
            """))

    /// Loads that change over time.
    static let stages = ManualSection(
        "STAGES",
        .paragraph(
            """
            `--stages` and `--rate` accept a list of stages, separated by commas: `100@1m,500@5m,0@30s`. Each one has \
            a target and a duration. The load starts at 0 and moves linearly to each target. A stage with the target \
            of the previous one holds the load, and a duration of `0s` jumps to the target. A list has up to 100 \
            stages.
            """),
        .definitions([
            (
                "`--stages`",
                """
                The number of active connections, in a closed loop. With `--threads`, each thread has its share. \
                Connections are opened and closed during the load, and their handshakes are part of the results.
                """
            ),
            (
                "`--rate`",
                "The number of messages per second in an open loop, on a fixed number of `--connections`."
            ),
        ]),
        .paragraph(
            """
            Results, thresholds, and reports also contain each stage, as `stage1`, `stage2`, *...*: the messages that \
            were due in the stage, whenever their replies arrived.
            """))
}
