import CommandLine

// The judgement on the results of `wsx bench` and `wsx bench merge`.
extension BenchManual {
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
                "*STEP*`.p99`, *STEP*`.max`, *...*",
                "The same statistics of the durations of a scenario's step with the name *STEP*: `query.p99<50ms`."
            ),
            (
                "*STEP*`.sent`, `.received`, `.mismatched`, `.lost`, `.timeout`",
                """
                The number of times that the step began, passed, was wrong, got no message, and timed out. `lost` \
                includes `timeout`.
                """
            ),
            (
                """
                `sent`, `received`, `lost`, `mismatched`, `duplicated`, `reordered`, `pushes`, `unsent`, \
                `interrupted`
                """,
                "The number of messages; see RESULTS."
            ),
            errors,
            (
                "`stage2.p99`, `stage2.lost`, *...*",
                """
                A latency statistic of the messages due in a stage, or one of their counts: `sent`, `received`, \
                `mismatched`, `lost`, or `timeout`. See STAGES.
                """
            ),
        ]),
        .paragraph(
            """
            The operators are `<`, `<=`, `>`, `>=`, `=` (or `==`), and `!=`. A time needs a unit: `20ms`. A number may \
            have a suffix: `50k`. A number of messages may be a percentage of those sent, or of the expected \
            deliveries in a broadcast: `lost<0.1%`. A number of steps may be a percentage of `sent`. A latency \
            threshold is not met if no latencies were measured.
            """),
        .paragraph(
            """
            The results begin with the verdict: `passed`, or `failed` and the reasons. A run passes if its exit status \
            is 0. A table shows the value and the limit of each threshold, and its margin: the part of the limit that \
            is left, negative if the limit is exceeded. It is empty for a limit of 0 and with `=`.
            """),
        .paragraph(
            """
            Each unmet threshold prints a line on standard error, and the exit status is 7. If the run itself failed, \
            its own status takes precedence, because the results may be incomplete. If thresholds are met, but \
            messages were not sent, there is a warning; add `unsent=0`.
            """),
        .paragraph(
            """
            A merge of results fails with status 7 if one of the runs failed.
            """))

    /// The method of `--baseline`.
    static let baselines = ManualSection(
        "BASELINES",
        .paragraph(
            """
            For each whole second of both runs, wsx takes three values: the number of replies, and the median and 99th \
            percentile of the latency. It compares the medians of these values, those of the `median second`, which \
            differ from the percentiles of the whole run. A difference is `faster` or `slower` if it is at least 3 % \
            and significant at the 1 % level (two-sided Mann-Whitney U test on the seconds). Below 3 %, there is \
            `no change`. Otherwise, the result is `unclear`, with the variation of the seconds or of the earlier runs: \
            half the distance between the 5th and the 95th percentile, relative to the median. The test needs at least \
            five seconds of each run.
            """),
        .paragraph(
            """
            The test compares two runs, not two servers. Anything that changes between runs, such as other load on the \
            machine, shows up as a difference. To account for it, give several earlier runs, each with `--baseline`. \
            Their seconds are pooled, and for a run with a median between those of two earlier runs, the result is \
            unclear.
            """),
        .paragraph(
            """
            The latencies of each named step of a scenario are compared in the same way, with the whole seconds in \
            which it passed. With several threads or merged runs, the percentile of a second is the weighted mean of \
            their percentiles. If a run has no whole second in which the step passed, as in results of earlier \
            versions, the values of the whole runs are shown. A step without a verdict has too few such seconds. A \
            step that failed every time in one of the runs has no latencies to compare.
            """),
        .paragraph(
            """
            The share of failures (`failed`) is shown if a step has any; it is `more` or `fewer` if the difference is \
            significant at the 1 % level (two-sided test of two proportions) and outside the range of the earlier runs.
            """),
        .paragraph(
            """
            A rare event, such as one long pause of the server, hardly affects a median. Use `--threshold` on a high \
            percentile or on `max` to detect it.
            """),
        .paragraph(
            """
            A baseline with another mode, other messages, or another setting of `--tls-resume` is rejected; earlier \
            versions always resumed sessions. A different number of connections, threads, or \
            messages in flight, or a different rate, causes a warning.
            """))

    private static let errors: (term: MarkedText, text: MarkedText) = (
        "`errors`, `errors.connect`, *...*",
        """
        The number of errors, in total or of one kind: `connect`, `handshake`, `login`, `protocol`, `closed`, \
        `application`, or `timeout`. See JSON RESULTS.
        """
    )
}
