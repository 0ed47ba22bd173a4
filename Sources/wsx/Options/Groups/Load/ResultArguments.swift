import CommandLine
import LoadTest

/// The options for results: format, files, and judgement.
struct ResultArguments: Equatable, Sendable {
    var output = ResultFormat.text
    /// The file for the HdrHistogram log.
    var histogramPath: String?
    /// The file for the HTML report.
    var reportPath: String?
    /// The conditions that results must meet.
    var thresholds: [Threshold] = []
    /// Files with the results of one earlier run each.
    var baselinePaths: [String] = []

    static let options: [OptionSpecification<ResultArguments>] = [
        OptionSpecification(
            "output", value: OptionValue("FORMAT", .choices(of: ResultFormat.self)), default: "text", heading: .results,
            summary: "Format of the results on stdout",
            manual: "Write the results to standard output in *FORMAT*.",
            example: "--output json", seeAlso: ["report", "hdr", "baseline"],
            aliases: [OptionAlias("json", value: "json")]
        ) { arguments, value throws(ValueProblem) in arguments.output = try ResultFormat.parse(value) },
        OptionSpecification(
            "threshold", value: OptionValue("EXPR"), repetition: .adds, heading: .results,
            summary: "Exit with 7 unless EXPR holds: 'p99<20ms'",
            manual: """
                Exit with status 7 unless the results satisfy *EXPR*: a metric, an operator, and a value, such as \
                `p99<20ms`, `rate>50k`, or `errors=0`. See THRESHOLDS.
                """,
            example: "--threshold 'p99<20ms' --threshold errors=0", seeAlso: ["baseline", "output"]
        ) { arguments, value throws(ValueProblem) in
            arguments.thresholds.append(try ThresholdValue.parse(value))
        },
        OptionSpecification(
            "baseline", value: OptionValue("FILE", .file), repetition: .adds, heading: .results,
            summary: "Compare with an earlier run's JSON results",
            manual: """
                Compare the results with those of an earlier run, which `--output json` wrote to *FILE*, and separate \
                changes from noise. Several baselines also show how much results vary between runs. The comparison \
                does not affect the exit status. See BASELINES.
                """,
            example: "--baseline before.json", seeAlso: ["threshold", "output"]
        ) { arguments, value in arguments.baselinePaths.append(value) },
        OptionSpecification(
            "hdr", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write an HdrHistogram log to FILE",
            manual: """
                Write the latencies of each second, in nanoseconds, to *FILE* in the HdrHistogram log format (version \
                1.3). An existing file is overwritten; a new file is readable only by you.
                """,
            example: "--hdr latencies.hlog", seeAlso: ["report", "output"]
        ) { arguments, value in arguments.histogramPath = value },
        OptionSpecification(
            "report", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write an HTML report with charts to FILE",
            manual: """
                Write an HTML report to *FILE*, with charts of latency and throughput over time, latency by \
                percentile, and the latency distribution. The page loads nothing from the network. It embeds the \
                results as JSON, without the histograms of each second. An existing file is overwritten; a new file is \
                readable only by you.
                """,
            example: "--report report.html", seeAlso: ["output", "hdr"]
        ) { arguments, value in arguments.reportPath = value },
    ]
}
