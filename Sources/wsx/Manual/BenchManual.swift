import CommandLine
import LoadTest

/// What the manual of `wsx bench` says, and in part that of `wsx bench merge`.
enum BenchManual {
    /// The manual of `wsx bench` but for operands and options.
    static let manual = Manual(
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
            .values, modes, pace, placeholders, results, thresholds,
            baselines, resultFields, statuses, .clientEnvironment,
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

    /// The manual of `wsx bench merge` but for operands and options.
    static let mergeManual = Manual(
        description: [
            .paragraph(
                """
                Adds results of `wsx bench`, of several machines or of several runs, as if they had been one run: counts, \
                errors, bytes, connections, threads and processor time are summed, histograms are added count for count, so \
                that percentiles are exactly those of all latencies together, and seconds are added by their number. The \
                duration is that of the longest run, and the rate is for that.
                """),
            .paragraph(
                """
                Runs that are added should have been at the same time. The order of the files makes no difference. Results \
                of different modes cannot be added.
                """),
        ],
        sections: [
            .values, thresholds, baselines, resultFields,
            ManualSection(
                "EXIT STATUS",
                .definitions([
                    ("0", "Done as asked."), ("1", "The sum could not be written."),
                    ("2", "Bad usage, or a file that is no results."), ("7", "A `--threshold` was not met."),
                ])),
        ],
        examples: [
            CommandExample(
                purpose: "What two machines have measured",
                line: "wsx bench merge one.json two.json"),
            CommandExample(
                purpose: "One JSON object from those of many, judged as a whole",
                line: "cat *.json | wsx bench merge --output json --threshold 'p99<20ms' -"),
        ])

    /// What `--mode` chooses from.
    static let modes = ManualSection(
        "MODES",
        .definitions(
            BenchMode.all.map { mode in
                (MarkedText("`\(mode.rawValue)`"), MarkedText(mode.descriptor.manual))
            }))

    /// What stands in messages for something else.
    static let placeholders = ManualSection(
        "PLACEHOLDERS",
        .paragraph("In a text of `--message` or `--file` stand for something else in each message:"),
        .definitions([
            ("`{{seq}}`", "The number of the message among those of its connection, from 1."),
            ("`{{connection}}`", "The number of the connection, from 1."),
            ("`{{time}}`", "When the message was due, in milliseconds since the beginning of 1970, UTC."),
            (
                "`{{random `*N*`}}`",
                "*N* letters, digits, `-` and `_`, other ones each time and on each connection, the same ones in each run."
            ),
            ("`{{{{`", "Two braces."),
        ]),
        .paragraph(
            """
            A reply is compared with what its message was. Messages that are the same are told apart only by how many there \
            are: with a `{{seq}}` or `{{random 16}}` in each, it is known which was lost, doubled or overtaken.
            """))

    /// How the load is spread over time.
    static let pace = ManualSection(
        "PACE",
        .paragraph(
            """
            Without `--rate` a connection sends its next message when a reply has come: a server that slows down is asked \
            less, and what its users would have waited for is not seen. With `--rate` messages are due on a schedule that \
            does not wait for the server, and each latency counts from when its message was due. The schedule is that of all \
            connections and threads together, which take turns.
            """),
        .paragraph(
            """
            Connections are opened before the first message is sent. `--ramp` is for the messages: connections begin to send \
            one after the other, or the rate grows evenly from nothing. `--warmup` is for the results: messages that were due \
            in that time are sent, checked and not counted; errors are.
            """))

    /// What `--threshold` takes.
    static let thresholds = ManualSection(
        "THRESHOLDS",
        .paragraph(
            "A threshold is one of these metrics, an operator and a value, with blanks between them or without:"),
        .definitions([
            (
                "`p50`, `p99`, `p99.9`, `p999`, *...*",
                "A percentile of the latencies. Behind the first two digits the point may be left out."
            ),
            ("`min`, `mean`, `stddev`, `max`", "Of the latencies."),
            ("`handshake.p99`, *...*", "The same of the times that connections took to open."),
            ("`rate`", "The replies a second; in `--mode send` the messages sent."),
            (
                "`sent`, `received`, `lost`, `mismatched`, `duplicated`, `reordered`, `unsent`",
                "The numbers of messages, see RESULTS in *wsx-bench*(1)."
            ),
            errors,
        ]),
        .paragraph(
            """
            The operators are `<`, `<=`, `>`, `>=`, `=` (or `==`) and `!=`. A time has its unit: `20ms`. A number may be \
            written as `50k`, and one of messages as a share of those that were sent, or in a broadcast were to be delivered: `lost<0.1%`. A metric of \
            latencies that there are none of meets no threshold.
            """),
        .paragraph(
            """
            Each threshold that is not met is a line on standard error. The status is 7 then, unless the run has failed for \
            a reason that has a status of its own: what was measured is judged, and a run that failed has not measured all.
            """))

    /// What `--baseline` tells.
    static let baselines = ManualSection(
        "BASELINES",
        .paragraph(
            """
            The replies, the median and the 99th percentile of the latencies are compared by their values in each whole \
            second of both runs; what is shown is the median of these. A difference is `faster` or `slower` when it is 3 % or \
            more, and when the seconds of a single run would be told apart so well only once in a hundred times (the test of \
            Mann and Whitney, two-sided). Otherwise it is `noise`. Less than five seconds in both runs are too few to know.
            """),
        .paragraph(
            """
            What is compared is two runs, and not two servers: what changes from run to run, such as another load on the \
            machine, is a change as well. Give several earlier runs, each with `--baseline`: their seconds are taken together, \
            and a run that lies between two of them differs by noise.
            """),
        .paragraph(
            """
            What happens in one second of many, such as a pause of the server, hardly moves a median. It is in the upper \
            percentiles and the maximum of the whole run, which a `--threshold` judges.
            """),
        .paragraph(
            """
            A baseline of another mode or with other messages is refused; of other connections, threads, messages in flight or \
            rates there is a warning.
            """))

    private static let errors: (term: MarkedText, text: MarkedText) = (
        "`errors`, `errors.connect`, *...*",
        """
        The number of errors, of all kinds or of one: `connect`, `handshake`, `protocol`, `closed` or `timeout`, see JSON \
        RESULTS.
        """
    )

    /// The members of results in JSON.
    static let resultFields = ManualSection(
        "JSON RESULTS",
        .paragraph(
            """
            With `--output json` the results are one object on one line, whose members stay what they are as long as \
            `version` does; others may be added.
            """),
        .definitions([
            ("`mode`, `url`", "`echo`, and the URL without credentials."),
            ("`connections`, `threads`", "The connections asked for, and the threads that they ran on."),
            ("`duration_s`", "How long messages were sent, in seconds."),
            ("`rate_per_second`", "The replies in that time, by it; in `--mode send` the messages that were sent."),
            (
                "`messages`",
                "The numbers `sent`, `received`, `lost`, `mismatched`, `duplicated`, `reordered` and `unsent`, see RESULTS."
            ),
            (
                "`errors`",
                """
                The numbers of connections that could not be opened (`connect`, and `handshake` where the server did not \
                accept the upgrade), on which the server broke the protocol (`protocol`), or that it closed or lost \
                (`closed`); and `timeout`: attempts to connect, replies and closing handshakes that took too long.
                """
            ),
            (
                "`bytes`",
                """
                Payloads of messages (`sent`, `received`), and frames as they travelled, without TLS (`wire_sent`, \
                `wire_received`).
                """
            ),
            (
                "`latency_us`, `handshake_us`",
                """
                `min`, `mean`, `stddev`, `p50`, `p75`, `p90`, `p95`, `p99`, `p999`, `p9999`, `p99999`, `max` and `sum` in \
                microseconds: of the latencies, and of the time to open a connection, from the name to the upgrade. `min`, \
                `mean`, `max` and `sum` are exact. Percentiles and `stddev` come from the histogram: a percentile may be up \
                to 0.1 % too high, but is never above `max`.
                """
            ),
            (
                "`per_second`",
                """
                For each `second`, counted from 0, the messages `sent`, the replies `received`, of the latencies `p50_us`, \
                `p99_us` and `max_us`, and their `histogram`. `max_us` is exact.
                """
            ),
            (
                "`cpu_s`, `load_cpu_s`, `busiest_cpu_s`",
                """
                The processor time of this process, from its start, that of the threads of the load while messages were \
                sent, and that of the busiest of them.
                """
            ),
            (
                "`handshake_phases_us`, `handshake_phase_histograms`",
                """
                How long each part of opening a connection took: `name`, `connect`, `proxy`, `tls` and `upgrade`; a part that \
                there was none of has only zeros.
                """
            ),
            (
                "`delay_us`, `delay_histogram`",
                "With `--rate`, how much later than they were due this end came to send messages."
            ),
            (
                "`histogram`, `handshake_histogram`",
                """
                The latencies, and the times to open a connection, in nanoseconds, as HdrHistogram's compressed form in \
                Base64. This form stores counts only: the minimum and maximum that other tools read from it may differ \
                from `min` and `max` by 0.1 %.
                """
            ),
            ("`version`", "1."),
            ("`start_time`", "When messages began to count, as RFC 3339 has it, in UTC."),
            (
                "`message`",
                "The `kind` of the messages, `text` or `binary`, and their `bytes`, null where sizes differ."
            ),
            (
                "`in_flight`",
                "The messages of a connection that could be without a reply, or null: as many as there were."
            ),
            (
                "`thresholds`",
                """
                For each `--threshold` its `expression`, the `value` that was found (a time in microseconds; null: there is \
                none), and whether it was `met`.
                """
            ),
            (
                "`baseline`",
                """
                What `--baseline` has found, or null: the number of earlier `runs`, the `start_time` of the first, \
                their whole `seconds` and `seconds_now` of this one, and for each of the `metrics` its name \
                (`metric`), the medians of the seconds (`baseline` and `now`; null: there are no whole seconds), the \
                `change` as a part of the former, the `p_value` of such a difference between seconds of the same \
                run, and the `verdict`: `faster`, `slower`, `noise` or, with too few seconds, `unknown`.
                """
            ),
            ("`rate_asked`", "The messages a second that `--rate` asked for, or null."),
            (
                "`warnings`",
                "Why the figures are those of the generator rather than of the server, as the table says it; mostly empty."
            ),
        ]))
}
