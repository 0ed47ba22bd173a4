import Formats
import LoadTest
import WSCore

/// The destinations of results: standard output and files. Files are opened before the run, to fail early.
struct ResultOutputs: ~Copyable {
    private let arguments: any ResultCommandArguments
    private let console: Console
    private let histogramFile: OutputFile?
    private let reportFile: OutputFile?
    /// The earlier runs to compare with, in the order of the options.
    private let baselines: [ComparedRun]

    /// Reads the baselines and opens the files.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ arguments: any ResultCommandArguments, console: Console) throws(Failure) {
        let baselines = try arguments.result.baselinePaths.map { (path) throws(Failure) in
            ComparedRun(try BenchResultsFile.only(in: path, for: "--baseline"))
        }
        let histogramFile = try Self.open(arguments.result.histogramPath, for: "--hdr", beside: arguments.readFiles)
        let reportFile = try Self.open(arguments.result.reportPath, for: "--report", beside: arguments.readFiles)
        if let reportPath = arguments.result.reportPath, let histogramPath = arguments.result.histogramPath,
            let identity = FileIdentity(path: reportPath), identity == FileIdentity(path: histogramPath)
        {
            throw .badArgument(
                what: "--report \(escapingControls(reportPath))", why: "--hdr writes to the same file; choose another")
        }
        self.arguments = arguments
        self.console = console
        self.baselines = baselines
        self.histogramFile = histogramFile
        self.reportFile = reportFile
    }

    private static func open(
        _ path: String?, for option: String, beside sources: [OutputPlace.Source]
    ) throws(Failure) -> OutputFile? {
        guard let path else { return nil }
        try OutputPlace(option: option, path: path).check(against: sources)
        do throws(IOError) {
            return try OutputFile(creating: path)
        } catch {
            let what = "\(option) \(escapingControls(path))"
            throw .badArgument(
                what: what,
                why: error == .noReader ? "no program reads from the pipe; start its reader first" : error.fileProblem)
        }
    }

    /// Checks that a run can be compared with the baselines, and warns about other differences.
    /// - Throws: ``Failure/badArgument(what:why:)`` if a baseline is not comparable.
    func check(_ description: BenchDescription) throws(Failure) {
        for (path, baseline) in zip(arguments.result.baselinePaths, baselines) {
            if let obstacle = baseline.obstacle(to: description) {
                throw .badArgument(what: "--baseline \(escapingControls(path))", why: obstacle)
            }
            guard let difference = baseline.difference(from: description) else { continue }
            let name = baselines.count == 1 ? "the baseline" : "the baseline \(escapingControls(path))"
            console.notice("wsx: warning: \(name) had \(difference)")
        }
    }

    /// Applies the thresholds and baselines to results.
    func judgement(on results: borrowing BenchResults) -> BenchJudgement {
        var judgement = BenchJudgement()
        for threshold in arguments.result.thresholds { judgement.verdicts.append(threshold.verdict(on: results)) }
        if !baselines.isEmpty {
            judgement.comparison = BaselineComparison(ComparedRun(results), with: baselines)
        }
        return judgement
    }

    /// Writes results. Returns the failure, or `nil` if there was none.
    func write(_ results: borrowing BenchResults, _ judgement: BenchJudgement) -> Failure? {
        let text =
            switch arguments.result.output {
            case .text:
                results.table(
                    console.colors(on: StandardDescriptors.output), judgement,
                    columns: StandardDescriptors.windowSize(of: StandardDescriptors.output)?.columns)
            case .json, .jsonl: results.json(judgement)
            }
        let error = StandardDescriptors.writeAll(text, to: StandardDescriptors.output)
        // A reader that closes the pipe is a normal end.
        if let error, error != .brokenPipe { return .output(error) }
        warnAboutUnsent(results.tally.unsent, in: results.description.mode, judgement)
        let failure = writeHistograms(results)
        return writeReport(results, judgement) ?? failure
    }

    /// Warns about thresholds that may be met only because messages were not sent.
    private func warnAboutUnsent(_ count: Int, in mode: BenchMode, _ judgement: BenchJudgement) {
        guard count > 0, judgement.verdicts.contains(where: \.isMet),
            !judgement.verdicts.contains(where: { $0.threshold.metricName == "unsent" })
        else { return }
        console.notice(
            "wsx: warning: --threshold leaves out \(Phrase.grouped(count)) \(mode.wording.sentThings) that were not "
                + "\(mode.wording.sentVerb); add --threshold unsent=0")
    }

    private func writeHistograms(_ results: borrowing BenchResults) -> Failure? {
        guard let histogramFile else { return nil }
        let text = HistogramLog.text(of: results)
        return StandardDescriptors.writeAll(text, to: histogramFile.descriptor).map {
            .writing(path: arguments.result.histogramPath ?? "", $0)
        }
    }

    /// Writes only the page. Returns the failure, or `nil` if there was none.
    func writeReport(_ results: borrowing BenchResults, _ judgement: BenchJudgement) -> Failure? {
        guard let reportFile else { return nil }
        let page = BenchReport.html(of: results, judgement)
        return StandardDescriptors.writeAll(page, to: reportFile.descriptor).map {
            .writing(path: arguments.result.reportPath ?? "", $0)
        }
    }

    /// Reports unmet thresholds and returns the corresponding failure.
    func failure(of judgement: BenchJudgement) -> Failure? {
        let unmet = judgement.verdicts.filter { !$0.isMet }
        for verdict in unmet {
            let expression = escapingControls(verdict.threshold.expression)
            console.error("--threshold '\(expression)' is not met: \(verdict.words)")
        }
        return unmet.isEmpty ? nil : .unmetThresholds
    }
}
