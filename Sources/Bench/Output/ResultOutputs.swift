import Formats
import LoadTest
import UserInterface
import WSCore

/// The destinations of results: standard output and files. Files are opened before the run, to fail early.
struct ResultOutputs: ~Copyable {
    private let arguments: any ResultCommandArguments
    private let diagnostics: Diagnostics
    private let files: [ResultFile]
    /// The earlier runs to compare with, in the order of the options.
    private let baselines: [ComparedRun]

    /// Reads the baselines and opens the files.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ arguments: any ResultCommandArguments, diagnostics: Diagnostics) throws(Failure) {
        var runs = MergedRuns()
        let baselines = try arguments.result.baselinePaths.map { (path) throws(Failure) in
            let results = try BenchResultsFile.only(in: path, for: "--baseline")
            try runs.add(results, named: "--baseline \(escapingControls(path))")
            return ComparedRun(results)
        }
        var files: [ResultFile] = []
        for kind in ResultFileKind.allCases {
            guard let path = kind.path(in: arguments.result) else { continue }
            // Opening it a second time would fail.
            if let identity = FileIdentity(path: path),
                let other = files.first(where: { FileIdentity(path: $0.path) == identity })
            {
                throw .badArgument(
                    what: "\(kind.option) \(escapingControls(path))",
                    why: "\(other.kind.option) writes to the same file; choose another")
            }
            let place = OutputPlace(option: kind.option, path: path)
            guard let file = try place.create(beside: arguments.readFiles) else { continue }
            files.append(ResultFile(kind: kind, path: path, file: file))
        }
        self.arguments = arguments
        self.diagnostics = diagnostics
        self.baselines = baselines
        self.files = files
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
            diagnostics.notice("wsx: warning: \(name) had \(difference)")
        }
    }

    /// The title, the labels, and where the run takes place. The command line has no secrets.
    var notes: RunNotes {
        var notes = RunNotes()
        notes.title = arguments.result.title
        notes.labels = arguments.result.labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let command = (["wsx"] + Swift.CommandLine.arguments.dropFirst()).map(ShellWord.quoted).joined(separator: " ")
        notes.environment = [
            ("command", diagnostics.secrets.masking(command)), ("cpu", Machine.processor), ("host", Machine.hostName),
            ("kernel", Machine.kernel), ("program", "wsx \(version)"),
        ]
        return notes
    }

    /// Applies the thresholds and baselines to results.
    /// - Parameter search: The search that the results belong to, or `nil` if there was none.
    func judgement(on results: BenchResults, _ search: RateSearchReport? = nil) -> BenchJudgement {
        var verdicts: [Threshold.Verdict] = []
        for threshold in arguments.result.thresholds { verdicts.append(threshold.verdict(on: results)) }
        let comparison = baselines.isEmpty ? nil : BaselineComparison(ComparedRun(results), with: baselines)
        return BenchJudgement(
            reasons: results.reasons,
            doubts: [search?.doubt].compactMap(\.self)
                + results.doubts(besides: arguments.result.thresholds + (search?.goals ?? [])),
            verdicts: verdicts, comparison: comparison, search: search)
    }

    /// Writes results. Returns the failure, or `nil` if there was none.
    func write(_ results: BenchResults, _ judgement: BenchJudgement) -> Failure? {
        let text =
            switch arguments.result.output {
            case .text:
                results.table(
                    diagnostics.colors(on: StandardDescriptors.output), judgement,
                    columns: StandardDescriptors.windowSize(of: StandardDescriptors.output)?.columns)
            case .json, .jsonl: results.json(judgement)
            }
        let error = StandardDescriptors.writeAll(text, to: StandardDescriptors.output)
        // A reader that closes the pipe is a normal end.
        if let error, error != .brokenPipe { return .output(error) }
        warnAboutUnsent(results.tally.unsent, in: results.description.mode, judgement)
        return writeFiles(results, judgement)
    }

    /// Warns about thresholds that may be met only because messages were not sent.
    private func warnAboutUnsent(_ count: Int, in mode: BenchMode, _ judgement: BenchJudgement) {
        guard count > 0, judgement.verdict != .inconclusive, judgement.verdicts.contains(where: \.isMet),
            !judgement.verdicts.contains(where: { $0.threshold.metricName == "unsent" })
        else { return }
        diagnostics.notice(
            "wsx: warning: --threshold leaves out \(Phrase.grouped(count)) \(mode.wording.sentThings) that were not "
                + "\(mode.wording.sentVerb); add --threshold unsent=0")
    }

    /// Writes only the files. Returns the first failure, or `nil` if there was none.
    func writeFiles(_ results: BenchResults, _ judgement: BenchJudgement) -> Failure? {
        var failure: Failure?
        for file in files {
            let text = file.kind.text(of: results, judgement)
            if let error = StandardDescriptors.writeAll(text, to: file.file.descriptor) {
                failure = failure ?? .writing(path: file.path, error)
            } else if file.kind == .report {
                diagnostics.notice("wsx: the report is in \(escapingControls(file.path))")
            }
        }
        return failure
    }

    /// Reports unmet thresholds, or why the run is inconclusive, and returns the corresponding failure.
    func failure(of judgement: BenchJudgement) -> Failure? {
        if judgement.verdict == .inconclusive {
            let sentence = escapingControls(judgement.sentence)
            if arguments.result.acceptsInconclusive {
                diagnostics.notice("wsx: warning: \(sentence)")
                return nil
            }
            diagnostics.error(sentence)
            return .unmetThresholds
        }
        let unmet = judgement.verdicts.filter { !$0.isMet }
        for verdict in unmet {
            let expression = escapingControls(verdict.threshold.expression)
            diagnostics.error("--threshold '\(expression)' is not met: \(verdict.words)")
        }
        return unmet.isEmpty ? nil : .unmetThresholds
    }
}
