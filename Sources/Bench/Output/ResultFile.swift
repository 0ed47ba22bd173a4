import LoadTest
import UserInterface
import WSCore

/// A file with results.
enum ResultFileKind: CaseIterable {
    /// `--hdr`
    case histograms
    /// `--report`
    case report
    /// `--junit`
    case junit
    /// `--summary`
    case summary

    var option: String {
        switch self {
        case .histograms: "--hdr"
        case .report: "--report"
        case .junit: "--junit"
        case .summary: "--summary"
        }
    }

    /// The path from the command line, or `nil` without the option.
    func path(in arguments: ResultArguments) -> String? {
        switch self {
        case .histograms: arguments.histogramPath
        case .report: arguments.reportPath
        case .junit: arguments.junitPath
        case .summary: arguments.summaryPath
        }
    }

    /// The contents of the file.
    func text(of results: BenchResults, _ judgement: BenchJudgement) -> String {
        switch self {
        case .histograms: HistogramLog.text(of: results)
        case .report: BenchReport.html(of: results, judgement)
        case .junit: results.junit(judgement)
        case .summary: results.summary(judgement)
        }
    }
}

/// An open file for results.
struct ResultFile {
    let kind: ResultFileKind
    let path: String
    let file: OutputFile
}
