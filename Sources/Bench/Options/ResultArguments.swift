import CommandLine
import LoadTest
import UserInterface

/// The options for results: format, files, and judgement.
package struct ResultArguments: Equatable, Sendable {
    package var output = ResultFormat.text
    /// The file for the HdrHistogram log.
    package var histogramPath: String?
    /// The file for the HTML report.
    package var reportPath: String?
    /// The file for the JUnit XML.
    package var junitPath: String?
    /// The file for the summary in Markdown.
    package var summaryPath: String?
    /// The conditions that results must meet.
    package var thresholds: [Threshold] = []
    /// Whether an inconclusive run has status 0.
    package var acceptsInconclusive = false
    /// Files with the results of one earlier run each.
    package var baselinePaths: [String] = []
    package var title: String?
    /// The labels by key.
    package var labels: [String: String] = [:]

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
            "accept-inconclusive", heading: .results,
            summary: "Exit with 0 if the run is inconclusive",
            manual: """
                Exit with 0 instead of 7 if the run neither passed nor failed; see THRESHOLDS.
                """,
            seeAlso: ["threshold"]
        ) { arguments, _ in arguments.acceptsInconclusive = true },
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
            "title", value: OptionValue("TEXT"), heading: .results,
            summary: "Title of the results",
            manual: """
                Begin the results and the report with *TEXT*.
                """,
            example: "--title 'Release 2.1'", seeAlso: ["label", "report"]
        ) { arguments, value throws(ValueProblem) in
            guard !value.isEmpty else { throw .empty }
            arguments.title = value
        },
        OptionSpecification(
            "label", value: OptionValue("KEY=VALUE"), repetition: .adds, heading: .results,
            summary: "Label the results",
            manual: """
                Add a label to the results and the report, such as a commit. The last value of a key counts.
                """,
            example: "--label commit=1f3c2d8", seeAlso: ["title"]
        ) { arguments, value throws(ValueProblem) in
            let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else { throw .unusable(words: "expected KEY=VALUE") }
            arguments.labels[parts[0]] = parts[1]
        },
        OptionSpecification(
            "hdr", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write an HdrHistogram log to FILE",
            manual: """
                Write the latencies of each second, in nanoseconds, to *FILE* in the HdrHistogram log format (version \
                1.3).
                """,
            example: "--hdr latencies.hlog", seeAlso: ["report", "output"]
        ) { arguments, value in arguments.histogramPath = value },
        OptionSpecification(
            "report", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write an HTML report with charts to FILE",
            manual: """
                Write an HTML report to *FILE*, with charts of latency, throughput, connections, errors, and \
                handshakes. The page loads nothing from the network. It embeds the results as JSON, without the \
                histograms of each second.
                """,
            example: "--report report.html", seeAlso: ["output", "hdr"]
        ) { arguments, value throws(ValueProblem) in
            let name = value.split(separator: "/").last ?? ""
            let parts = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
            guard let type = parts.last, !["html", "htm"].contains(type.lowercased()) else {
                arguments.reportPath = value
                return
            }
            throw .unusable(words: "its extension names another format; write a page such as report.html")
        },
        OptionSpecification(
            "junit", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write the verdicts as JUnit XML to FILE",
            manual: """
                Write the verdict on the run, on each threshold, and on each named step of a scenario to *FILE* in the \
                JUnit XML format, which CI systems show.
                """,
            example: "--threshold 'p99<20ms' --junit results.xml", seeAlso: ["threshold", "summary"]
        ) { arguments, value in arguments.junitPath = value },
        OptionSpecification(
            "summary", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write a summary in Markdown to FILE",
            manual: """
                Write the verdict, the thresholds, the most important results, and the comparison with the baselines \
                to *FILE* in GitHub Flavored Markdown, for a pull request or the summary of a CI job.
                """,
            example: "--summary summary.md", seeAlso: ["report", "junit"]
        ) { arguments, value in arguments.summaryPath = value },
    ]
}
