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
                with its message byte for byte, and every latency is recorded. For other servers, use `--mode request`.
                """),
            .paragraph(
                """
                On a terminal, a progress line is shown on standard error unless `--quiet` is given. Ctrl-C ends the \
                test early and writes the results so far. Load-test a server only with the consent of its owner.
                """),
        ],
        sections: [
            .values, modes, pace, placeholders, results, thresholds, baselines, resultFields, metrics, statuses,
            .benchLimits,
            .clientEnvironment, .benchFiles,
        ],
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
                purpose: "Measure connections per second",
                line: "wsx bench --mode connect -c 64 wss://localhost:8443/"),
            CommandExample(
                purpose: "Send a fixed number of large messages and write JSON",
                line: "wsx bench -n 10k --size 64k --binary --output json :8080"),
            CommandExample(
                purpose: "Fail a CI job on high latency or low throughput",
                line: "wsx bench -c 50 --threshold 'p99<20ms' --threshold 'rate>10k' :8080"),
            CommandExample(
                purpose: "Log in on each connection, then read a feed",
                line: "wsx bench --mode receive --first-message @login.json --ready ok :8080"),
            CommandExample(
                purpose: "Log in and send a message of your own",
                line: "wsx bench --bearer @token.txt -m '{\"ping\":1}' wss://api.example/echo"),
        ])

    private static let results = ManualSection(
        "RESULTS",
        .paragraph(
            """
            A latency starts when a message is handed to its connection or, with `--rate`, when it was due. It ends \
            when the reply has been read, and includes any delay in wsx itself. Latencies are kept in an HdrHistogram \
            with three significant digits, up to one hour. A percentile is the largest value in its histogram bucket.
            """),
        .paragraph(
            """
            The rate is the number of replies per second while messages were being sent. Messages due during the \
            warm-up do not count, nor do their replies, whenever they arrive. Byte counts cover the time from the end \
            of the warm-up until the connections are closed. Each message to be echoed, and each request, ends up in \
            one of three counts:
            """),
        .definitions([
            (
                "received",
                "The reply equals the message. In `--mode idle`, a pong answers earlier pings, too (RFC 6455 §5.5.3)."
            ),
            ("mismatched", "The reply differs from the message or, in `--mode request`, does not match `--expect`."),
            ("lost", "No reply arrived within `--reply-timeout` after the last message."),
        ]),
        .paragraph("Other counts:"),
        .definitions([
            ("reordered", "Replies, also counted as received, that arrived after the reply to a later message."),
            ("duplicated", "Messages received without a corresponding message sent."),
            (
                "pushes",
                "In `--mode request`: messages that answer no request. A second reply to a request counts here, too."
            ),
            (
                "unsent",
                """
                Messages that were due before the requested end but not sent. Either the connection's queue was full \
                (256 KiB; 16 KiB with `--mode send`), or wsx fell behind, or no connection was left.
                """
            ),
        ]))

    private static let metrics = ManualSection(
        "METRICS",
        .paragraph(
            """
            `--metrics` serves these metrics in the OpenMetrics text format 1.0.0. They start at the load and are \
            updated four times per second.
            """),
        .definitions([
            ("`wsx_run_info`", "1, with the labels `mode` and `url`."),
            ("`wsx_connections`", "The number of open connections."),
            ("`wsx_messages_total`", "The counts of RESULTS, with the label `outcome`: `sent`, `received`, *...*"),
            ("`wsx_errors_total`", "The counts of `errors` in JSON RESULTS, with the label `kind`."),
            (
                "`wsx_latency_seconds`",
                """
                A histogram of the latencies of all complete seconds, with ten buckets per decade from 10 us to 100 s. \
                Percentiles computed from it are at most 30 % too high; the final results are exact to 0.1 %.
                """
            ),
        ]))

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
                Replies were lost, duplicated, reordered, or wrong, or a `--threshold` or `--abort` condition was not \
                met.
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
        ],
        sections: [
            .values, thresholds, baselines, resultFields,
            ManualSection(
                "EXIT STATUS",
                .definitions([
                    ("0", "Success."), ("1", "The merged results could not be written."),
                    ("2", "Bad usage, or a file without valid results."), ("7", "A `--threshold` was not met."),
                ])),
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
                (MarkedText("`\(mode.rawValue)`"), MarkedText(mode.descriptor.manual))
            }))

    /// The placeholders in messages.
    static let placeholders = ManualSection(
        "PLACEHOLDERS",
        .paragraph(
            """
            These placeholders in `--message`, in text files of `--file`, in `--first-message`, and in `--answer` are \
            replaced in each message:
            """),
        .definitions([
            ("`{{seq}}`", "The sequence number of the message on its connection, from 1."),
            ("`{{connection}}`", "The number of the connection, from 1."),
            ("`{{time}}`", "The time at which the message was due, in milliseconds since 1970 (UTC)."),
            (
                "`{{random `*N*`}}`",
                """
                *N* letters, digits, `-`, and `_`. They differ between messages and connections, but repeat in every \
                run.
                """
            ),
            ("`{{{{`", "Two literal braces."),
        ]),
        .paragraph(
            """
            Each reply is compared with its message. Identical messages can only be counted. With `{{seq}}` or \
            `{{random 16}}` in each message, wsx reports which ones were lost, duplicated, or reordered.
            """))

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
            """))

    /// The syntax of `--threshold`.
    static let thresholds = ManualSection(
        "THRESHOLDS",
        .paragraph("A threshold consists of a metric, an operator, and a value. Spaces between them are optional."),
        .definitions([
            (
                "`p50`, `p99`, `p99.9`, `p999`, *...*",
                "A percentile of the latency. The point after the first two digits is optional."
            ),
            ("`min`, `mean`, `stddev`, `max`", "Other statistics of the latency."),
            ("`handshake.p99`, *...*", "The same statistics of the time to open a connection."),
            ("`rate`", "Replies per second; in `--mode send`, messages sent per second."),
            (
                "`sent`, `received`, `lost`, `mismatched`, `duplicated`, `reordered`, `pushes`, `unsent`",
                "The number of messages; see RESULTS in *wsx-bench*(1)."
            ),
            errors,
        ]),
        .paragraph(
            """
            The operators are `<`, `<=`, `>`, `>=`, `=` (or `==`), and `!=`. A time needs a unit: `20ms`. A number may \
            have a suffix: `50k`. A number of messages may be a percentage of those sent, or of the expected \
            deliveries in a broadcast: `lost<0.1%`. A latency threshold is not met if no latencies were measured.
            """),
        .paragraph(
            """
            Each unmet threshold prints a line on standard error, and the exit status is 7. If the run itself failed, \
            its own status takes precedence, because the results may be incomplete.
            """))

    /// The method of `--baseline`.
    static let baselines = ManualSection(
        "BASELINES",
        .paragraph(
            """
            For each whole second of both runs, wsx takes three values: the number of replies, and the median and 99th \
            percentile of the latency. It compares the medians of these values. A difference is `faster` or `slower` \
            if it is at least 3 % and significant at the 1 % level (two-sided Mann-Whitney U test on the seconds). \
            Otherwise, it is `noise`. The test needs at least five seconds of each run.
            """),
        .paragraph(
            """
            The test compares two runs, not two servers. Anything that changes between runs, such as other load on the \
            machine, shows up as a difference. To account for it, give several earlier runs, each with `--baseline`. \
            Their seconds are pooled, and a run with a median between those of two earlier runs differs only by noise.
            """),
        .paragraph(
            """
            A rare event, such as one long pause of the server, hardly affects a median. Use `--threshold` on a high \
            percentile or on `max` to detect it.
            """),
        .paragraph(
            """
            A baseline with another mode or other messages is rejected. A different number of connections, threads, or \
            messages in flight, or a different rate, causes a warning.
            """))

    private static let errors: (term: MarkedText, text: MarkedText) = (
        "`errors`, `errors.connect`, *...*",
        """
        The number of errors, in total or of one kind: `connect`, `handshake`, `protocol`, `closed`, or `timeout`. See \
        JSON RESULTS.
        """
    )

    /// The members of results in JSON.
    static let resultFields = ManualSection(
        "JSON RESULTS",
        .paragraph(
            """
            With `--output json`, the results are one object on one line. Its members keep their meaning as long as \
            `version` stays the same; new ones may be added.
            """),
        .paragraph(
            """
            With `--output jsonl`, this line follows one line for each second, written when the second has ended. Its \
            members are `type` (`second`), the members of `per_second` without the histogram, the number of open \
            `connections`, and the counts so far (`messages` and `errors`). `wsx bench merge` and `--baseline` skip \
            these lines.
            """),
        .definitions([
            ("`mode`, `url`", "The value of `--mode`, and the URL without credentials."),
            ("`connections`, `threads`", "The number of requested connections, and of threads."),
            ("`duration_s`", "The time during which messages were sent, in seconds."),
            ("`rate_per_second`", "Replies per second during that time; in `--mode send`, messages sent per second."),
            (
                "`messages`",
                """
                `sent`, `received`, `lost`, `mismatched`, `duplicated`, `reordered`, `pushes`, and `unsent`; see \
                RESULTS.
                """
            ),
            (
                "`errors`",
                """
                The number of connections that failed to open (`connect`), were rejected by the server (`handshake`), \
                violated the protocol (`protocol`), or were closed by the server or lost (`closed`). `timeout` is the \
                number of connection attempts, replies, and closing handshakes that timed out.
                """
            ),
            (
                "`bytes`",
                """
                Message payloads (`sent`, `received`), and frames on the wire without TLS (`wire_sent`, \
                `wire_received`).
                """
            ),
            (
                "`latency_us`, `handshake_us`",
                """
                Statistics in microseconds of the latencies, and of the times to open a connection, from name \
                resolution through the upgrade: `min`, `mean`, `stddev`, `p50`, `p75`, `p90`, `p95`, `p99`, `p999`, \
                `p9999`, `p99999`, `max`, and `sum`. `min`, `mean`, `max`, and `sum` are exact. Percentiles and \
                `stddev` come from the histogram: a percentile may be up to 0.1 % too high, but never exceeds `max`.
                """
            ),
            (
                "`per_second`",
                """
                For each `second`, counted from 0: the messages `sent`, the replies `received`, the latencies \
                `p50_us`, `p99_us`, and `max_us` (exact), and their `histogram`.
                """
            ),
            (
                "`cpu_s`, `load_cpu_s`, `busiest_cpu_s`",
                """
                CPU time in seconds: of this process since its start, of the load threads while messages were sent, \
                and of the busiest of these threads.
                """
            ),
            (
                "`handshake_phases_us`, `handshake_phase_histograms`",
                """
                The time of each phase of opening a connection: `name`, `connect`, `proxy`, `tls`, and `upgrade`. \
                These are the phases of `--connect-timeout`, where `connect` is called `connection`. A phase that did \
                not occur has only zeros.
                """
            ),
            (
                "`login_us`, `login_histogram`",
                "With `--ready`: the time from the opening of a connection to the message that matches."
            ),
            (
                "`delay_us`, `delay_histogram`",
                "With `--rate`, how late wsx sent messages, compared with their schedule."
            ),
            (
                "`histogram`, `handshake_histogram`",
                """
                The latencies, and the times to open a connection, in nanoseconds: HdrHistogram's compressed format in \
                Base64. This format stores only counts; the minimum and maximum that other tools read from it may \
                differ from `min` and `max` by 0.1 %.
                """
            ),
            ("`version`", "1."),
            ("`start_time`", "The time at which messages began to count: RFC 3339, UTC."),
            (
                "`message`",
                "The `kind` of the messages, `text` or `binary`, and their size in `bytes`, `null` if sizes differ."
            ),
            (
                "`in_flight`",
                "The value of `--in-flight`, or `null` if the number of messages in flight was not limited."
            ),
            (
                "`thresholds`",
                """
                For each `--threshold`: its `expression`, the measured `value` (times in microseconds; `null` if \
                nothing was measured), and whether it was `met`.
                """
            ),
            (
                "`baseline`",
                """
                The comparison by `--baseline`, or `null`: the number of earlier `runs`, the `start_time` of the \
                first, their whole `seconds`, and `seconds_now` of this run. For each of the `metrics`: the name \
                (`metric`), the medians (`baseline` and `now`, `null` without whole seconds), the relative `change`, \
                the `p_value`, and the `verdict`: `faster`, `slower`, `noise`, or, with too few seconds, `unknown`.
                """
            ),
            ("`rate_asked`", "The value of `--rate`, or `null`."),
            (
                "`warnings`",
                "The warnings of the table: why the results may reflect wsx rather than the server. Usually empty."
            ),
        ]))
}
