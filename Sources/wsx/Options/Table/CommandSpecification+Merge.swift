extension CommandSpecification {
    /// `wsx bench merge`.
    static let merge = CommandSpecification(
        command: .merge,
        operands: [
            OperandSpecification(
                "FILE", required: true, repeatable: true, completion: .file,
                summary: "Results, as --output json writes them; - is stdin",
                manual: """
                    A file that `wsx bench --output json` has written, or several of its results, one a line. `-` is standard \
                    input.
                    """,
                update: .merge { arguments, values in arguments.paths = values })
        ],
        summary: "Add the results of several load tests",
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
            .values, BenchManual.thresholds, BenchManual.baselines, BenchManual.resultFields,
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
}
