import CommandLine
import LoadTest

/// The options for results: format, files, and judgement.
struct ResultArguments: Equatable, Sendable {
    var output = ResultFormat.text
    /// A file that takes the histograms.
    var histogramPath: String?
    /// A file that takes the page with the results.
    var reportPath: String?
    /// What has to hold.
    var thresholds: [Threshold] = []
    /// Files with the results of an earlier run each.
    var baselinePaths: [String] = []

    static let options: [OptionSpecification<ResultArguments>] = [
        OptionSpecification(
            "output", value: OptionValue("FORMAT", .choices(of: ResultFormat.self)), default: "text", heading: .results,
            summary: "How results are written to stdout",
            manual: "How the results are written to standard output."
        ) { arguments, value throws(ValueProblem) in arguments.output = try ResultFormat.parse(value) },
        OptionSpecification(
            "threshold", value: OptionValue("EXPR"), repeatable: true, heading: .results,
            summary: "Exit with 7 unless this holds: 'p99<20ms'",
            manual: """
                Exit with status 7, and say why, unless the results are as *EXPR* has it: a metric, an operator and a value, \
                such as `p99<20ms`, `rate>50k` or `errors=0`, see THRESHOLDS.
                """
        ) { arguments, value throws(ValueProblem) in
            do throws(ThresholdError) {
                arguments.thresholds.append(try Threshold(value))
            } catch {
                throw .notAThreshold(error)
            }
        },
        OptionSpecification(
            "baseline", value: OptionValue("FILE", .file), repeatable: true, heading: .results,
            summary: "Compare with an earlier run's JSON in FILE",
            manual: """
                Compare with the results of an earlier run, as `--output json` has written them to *FILE*, and tell what is \
                a change and what is noise, see BASELINES. Neither makes the status another one. Of several, what is as \
                large as the differences between them is noise.
                """
        ) { arguments, value in arguments.baselinePaths.append(value) },
        OptionSpecification(
            "hdr", value: OptionValue("FILE", .file), heading: .results,
            summary: "Write the latencies of each second to FILE",
            manual: """
                Write the latencies of each second, in nanoseconds, to *FILE*, in the log format of HdrHistogram (1.3), which \
                its tools read and draw. The file is made for you alone, or emptied when it is there.
                """
        ) { arguments, value in arguments.histogramPath = value },
        OptionSpecification(
            "report", value: OptionValue("FILE", .file), heading: .results,
            summary: "Draw the results in FILE, a page in HTML",
            manual: """
                Write a page with the results to *FILE*: the latencies and the messages of each second, the latency by \
                percentile, the distribution of the latencies, and the tables. All of it is in the file, in which a browser \
                draws it without asking anybody for more; the results as JSON are part of it, but for the histogram of each \
                second. The file is made for you alone, or emptied when it is there.
                """
        ) { arguments, value in arguments.reportPath = value },
    ]
}

/// How the results of a run are written.
enum ResultFormat: String, OptionChoice {
    case text
    case json

    var summary: String {
        switch self {
        case .text: "a table to be read"
        case .json: "one JSON object"
        }
    }
}
