import WSCore

/// Where results go: standard output, and files that are opened before the run, which is not to be for nothing.
struct ResultOutputs: ~Copyable {
    private let arguments: any ResultArguments
    private let console: Console
    private let histogramFile: OutputFile?
    private let reportFile: OutputFile?

    /// Opens the files, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: any ResultArguments, console: Console) throws(Failure) {
        let histogramFile = try Self.open(arguments.histogramPath, for: "--hdr")
        reportFile = try Self.open(arguments.reportPath, for: "--report")
        self.histogramFile = histogramFile
        self.arguments = arguments
        self.console = console
    }

    private static func open(_ path: String?, for option: String) throws(Failure) -> OutputFile? {
        guard let path else { return nil }
        do throws(IOError) {
            return try OutputFile(creating: path)
        } catch {
            let what = "\(option) \(escapingControls(path))"
            throw .badArgument(what: what, why: error == .noReader ? "nobody reads from it" : "\(error)")
        }
    }

    /// What was found by the thresholds.
    func verdicts(on results: borrowing BenchResults) -> [Threshold.Verdict] {
        var verdicts: [Threshold.Verdict] = []
        for threshold in arguments.thresholds { verdicts.append(threshold.verdict(on: results)) }
        return verdicts
    }

    /// Writes results, and returns why that failed, if it did.
    func write(_ results: borrowing BenchResults, _ verdicts: [Threshold.Verdict]) -> Failure? {
        let text =
            switch arguments.output {
            case .text: results.table(console.colors(on: StandardDescriptors.output), verdicts: verdicts)
            case .json: results.json(verdicts: verdicts)
            }
        let error = StandardDescriptors.writeAll(text, to: StandardDescriptors.output)
        // A reader that goes away has seen enough.
        if let error, error != .brokenPipe { return .output(error) }
        let failure = writeHistograms(results)
        return writeReport(results, verdicts) ?? failure
    }

    private func writeHistograms(_ results: borrowing BenchResults) -> Failure? {
        guard let histogramFile else { return nil }
        let text = HistogramLog.text(of: results.seconds, startTime: results.startTime, duration: results.duration)
        return StandardDescriptors.writeAll(text, to: histogramFile.descriptor).map {
            .recording(path: arguments.histogramPath ?? "", $0)
        }
    }

    /// Writes the page alone, and returns why that failed, if it did.
    func writeReport(_ results: borrowing BenchResults, _ verdicts: [Threshold.Verdict]) -> Failure? {
        guard let reportFile else { return nil }
        let page = BenchReport.html(of: results, verdicts: verdicts)
        return StandardDescriptors.writeAll(page, to: reportFile.descriptor).map {
            .recording(path: arguments.reportPath ?? "", $0)
        }
    }

    /// Says which thresholds are not met, and returns the failure that this is.
    func judge(_ verdicts: [Threshold.Verdict]) -> Failure? {
        let unmet = verdicts.filter { !$0.isMet }
        for verdict in unmet {
            let expression = escapingControls(verdict.threshold.expression)
            console.error("--threshold '\(expression)' is not met: \(verdict.words)")
        }
        return unmet.isEmpty ? nil : .unmetThresholds
    }
}
