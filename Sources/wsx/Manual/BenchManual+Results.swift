import CommandLine

// The meaning of the results of `wsx bench` and `wsx bench merge`.
extension BenchManual {
    /// The counts and latencies.
    static let results = ManualSection(
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
            of the warm-up until the connections are closed; byte rates cover the same time as the rate. Each message \
            to be echoed, and each request, ends up in one of three counts, and so does each iteration of a scenario, \
            unless the end of the test interrupts it:
            """),
        .definitions([
            (
                "received",
                "The reply equals the message. In `--mode idle`, a pong answers earlier pings, too (RFC 6455 §5.5.3)."
            ),
            ("mismatched", "The reply differs from the message or, in `--mode request`, does not match `--expect`."),
            ("lost", "No reply arrived in time, or the connection or the run ended."),
        ]),
        .paragraph("Other counts:"),
        .definitions([
            ("reordered", "Replies, also counted as received, that arrived after the reply to a later message."),
            ("duplicated", "Messages received without a corresponding message sent."),
            (
                "pushes",
                """
                In `--mode request`: messages that answer no request. A second reply to a request counts here, too. In \
                a scenario: messages that no step accepted.
                """
            ),
            (
                "unsent",
                """
                Messages that were due before the requested end but not sent. Either the connection's queue was full \
                (256 KiB; 16 KiB with `--mode send`), or wsx fell behind, or no connection was left. Without `--rate`: \
                the rest of `--messages`, if no connection was left. Latencies, and thresholds on them, leave these \
                messages out.
                """
            ),
            (
                "interrupted",
                """
                Iterations that had a pause ahead of them when the time was over, or were still in progress after \
                `--reply-timeout`. A pause or the time limit of a step does not extend the test.
                """
            ),
        ]))

    /// The metrics of `--metrics`.
    static let metrics = ManualSection(
        "METRICS",
        .paragraph(
            """
            `--metrics` serves these metrics in the OpenMetrics text format 1.0.0. They start at the load and are \
            updated four times per second.
            """),
        .definitions([
            ("`wsx_run_info`", "1, with the labels `mode` and `url`, which is the URL without its query."),
            ("`wsx_connections`", "The number of open connections."),
            ("`wsx_stage`", "With stages: the number of the current stage, from 1."),
            ("`wsx_messages_total`", "The counts of RESULTS, with the label `outcome`: `sent`, `received`, *...*"),
            ("`wsx_errors_total`", "The counts of `errors` in JSON RESULTS, with the label `kind`."),
            (
                "`wsx_error_causes_total`",
                "The counts of `causes` in JSON RESULTS, with the labels `kind` and `code`."
            ),
            (
                "`wsx_latency_seconds`",
                """
                A histogram of the latencies of all complete seconds, with ten buckets per decade from 10 us to 100 s. \
                Percentiles computed from it are at most 30 % too high; the final results are exact to 0.1 %.
                """
            ),
            (
                "`wsx_first_message_seconds`, `wsx_longest_gap_seconds`",
                "With `--reply-end`: the same for the times to the first message, and for the longest gaps."
            ),
            (
                "`wsx_steps_total`, `wsx_step_latency_seconds`",
                """
                In a scenario: the counts of `steps` in JSON RESULTS, with the labels `step` and `outcome`, and the \
                durations of named steps.
                """
            ),
        ]))

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
            `connections`, the number of the `stage` in which the second began, and the counts so far (`messages`, \
            `errors`, and `steps`). `wsx bench merge` and `--baseline` skip \
            these lines.
            """),
        .definitions([
            (
                "`result`",
                """
                Whether the run `passed`: its exit status is 0. If not, the `reasons` as texts, the most important one \
                first.
                """
            ),
            ("`title`, `labels`", "The values of `--title` and `--label`, if given."),
            (
                "`environment`",
                """
                The `command` line without secrets, the `cpu` with its number of threads, the `host`, the `kernel`, \
                and the `program` with its version. Results merged from several runs have what they agree on.
                """
            ),
            ("`mode`, `url`", "The value of `--mode`, and the URL without secrets."),
            ("`connections`, `threads`", "The number of requested connections, and of threads."),
            ("`duration_s`", "The time during which messages were sent, in seconds."),
            ("`rate_per_second`", "Replies per second during that time; in `--mode send`, messages sent per second."),
            (
                "`messages`",
                """
                `sent`, `received`, `lost`, `mismatched`, `duplicated`, `reordered`, `pushes`, `unsent`, \
                and `interrupted`; see RESULTS.
                """
            ),
            (
                "`errors`",
                """
                The number of connections that failed to open (`connect`), were rejected by the server (`handshake`), \
                received a wrong message in a step before `repeat` (`login`), violated the protocol (`protocol`), or \
                were closed by the server, lost, or exceeded a limit such as `--max-message-size` (`closed`). \
                `application` is the number of errors that the application reported other than as the reply to a \
                request, such as a refused subscription. `timeout` is the number of connection attempts, replies, \
                and closing handshakes that timed out.
                """
            ),
            (
                "`causes`",
                """
                The causes of errors with their `count`, the most frequent first: `kind` is `http` for the status of a \
                rejection, `close` for a close code (1006 if the connection was lost, 1005 if there was none), `tls` \
                for an alert, and `system` for an error number, which is negative for name lookups. `code` is the \
                number, and `name` its meaning. An error without such a code, such as a timeout, has no cause.
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
                "`load_bytes`",
                "The message payloads (`sent`, `received`) during `duration_s`. Earlier versions did not write them."
            ),
            (
                "`tls`",
                "The number of connections opened with TLS (`handshakes`), and how many of them `resumed` a session."
            ),
            (
                "`http2`",
                """
                With `--http2`, the number of HTTP/2 `connections` opened, and of their `streams`, each a WebSocket. \
                `handshake_us` covers the time to open each stream; the first one of a connection opens that, too.
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
                `p50_us`, `p99_us`, and `max_us` (exact), and their `histogram`. In runs of more than a few minutes, \
                these histograms are less precise, so that results stay small: half an hour takes less than 1 MB.
                """
            ),
            (
                "`timeline`",
                """
                What happened in each second besides messages: the number of open `connections` at the end of each; \
                the `handshakes` of each `second` with any, their number (`received`), and percentiles; those before messages \
                count, by the second since the first attempt (`opening`); and `errors` \
                with a member of `causes` or, if the cause is unknown, with the name of their count as `kind`. Their \
                `seconds` are pairs of a second and a number; second −1 is the time before messages count. Errors \
                after the end of sending are missing. `other` is the sum of all but the eight most frequent ones.
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
                """
                With `--ready`: the time from the opening of a connection to the message that matches. In a scenario: \
                to the end of the steps before `repeat`.
                """
            ),
            (
                "`clock`",
                """
                With `--latency-from`: the number of messages that arrived before they were sent, according to the \
                clocks (`negative`), the largest such difference in microseconds (`most_negative_us`), and the number of \
                messages without a time within a day (`no_time`). They have no latency.
                """
            ),
            (
                "`stream`",
                """
                With `--reply-end`, for complete and correct replies: statistics of the times to the first message \
                (`first_us`) and to the last one (`last_us`, the same as `latency_us`), of the longest gap between \
                two messages of each reply with several (`gap_us`), and of the number of `messages` per reply. \
                `first_histogram`, `gap_histogram`, and `messages_histogram` are in the format of `histogram`.
                """
            ),
            (
                "`steps`",
                """
                In a scenario, for each step that waits or has a name: its `name`, or `line N`; the number of times \
                that it began (`sent`), passed (`received`), was wrong (`mismatched`), and got no message (`lost`), of which some \
                reached the time limit (`timeout`). Steps with a name also have `latency_us`, `histogram`, and \
                `per_second` with the number (`received`) and percentiles of each `second` in which the step passed. \
                With `--rate`, the latency of the first step that waits counts from the time at which its iteration \
                was due; the others are service times, from the beginning of the step. The latency of a step that \
                only sends is 0. With `replyEnd`, a step also has a `stream`.
                """
            ),
            (
                "`delay_us`, `delay_histogram`",
                "With `--rate`, how late wsx sent messages, compared with their schedule, apart from those that `waited`."
            ),
            (
                "`waited`",
                """
                With `--rate`: the number of messages that were due while their connection was busy or its queue full \
                or, with `--mode connect`, while all connections were in use.
                """
            ),
            (
                "`service_us`, `service_histogram`",
                """
                With `--rate` in a scenario or with `--mode connect`: the times for which iterations or connections \
                occupied one of `--connections`.
                """
            ),
            (
                "`histogram`, `handshake_histogram`",
                """
                The latencies, and the times to open a connection, in nanoseconds: HdrHistogram's compressed format in \
                Base64. This format stores only counts; the minimum and maximum that other tools read from it may \
                differ from `min` and `max` by 0.1 %.
                """
            ),
            (
                "`stages`",
                """
                With stages, for each of them: its `name`, the target (`target_connections` or `target_rate`), the \
                planned `duration_s`, `rate_per_second`, the messages due in the stage (`sent`, `received`, \
                `mismatched`, `lost`, and those with a `timeout`), `latency_us`, and `histogram`.
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
                For each `--threshold`: its `expression`, the measured `value` (`null` if nothing was measured), the \
                `limit`, their `unit` (`us` for times, `count`, or `share`), the `margin` relative to the limit \
                (`null` if there is none), and whether it was `met`.
                """
            ),
            (
                "`baseline`",
                """
                The comparison by `--baseline`, or `null`: the number of earlier `runs`, the `start_time` of the \
                first, their whole `seconds`, and `seconds_now` of this run. For each of the `metrics`: the name \
                (`metric`), the medians (`baseline` and `now`, `null` without whole seconds), the relative `change`, \
                the `p_value`, and the `verdict`: `faster`, `slower`, `noise`, or, with too few seconds, `unknown`. \
                Noise has a `reason`: `same`, or `unclear` with the `variation`; see BASELINES. In a scenario, `steps` has the same members for each `step` and `metric`. The share of failures is the \
                metric `failed`, with the verdict `more`, `fewer`, or `noise`.
                """
            ),
            ("`rate_asked`", "The value of `--rate`, or `null` without it or with stages."),
            ("`tls_resume`", "Whether `--tls-resume` was given."),
            (
                "`streams_per_connection`",
                "With `--http2`, the value of `--streams`; missing if merged results have different ones."
            ),
            (
                "`warnings`",
                """
                The warnings of the table: why the results may reflect wsx rather than the server, or leave something \
                out. Usually empty.
                """
            ),
        ]))
}
