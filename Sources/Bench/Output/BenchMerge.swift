import Formats
import LoadTest
import UserInterface
import WSCore

/// A run of `wsx bench merge`: reads results, adds them up, and writes the sum.
package struct BenchMerge: ~Copyable {
    private let arguments: MergeArguments
    private let outputs: ResultOutputs

    /// Prepares a run.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ arguments: MergeArguments, diagnostics: Diagnostics) throws(Failure) {
        self.arguments = arguments
        outputs = try ResultOutputs(arguments, diagnostics: diagnostics)
    }

    /// Adds up and writes the results. Returns the failure, or `nil` if there was none.
    package func run() throws(Failure) -> Failure? {
        guard arguments.paths.count(where: { $0 == "-" }) <= 1 else {
            throw .badArgument(what: "-", why: "standard input can be read only once; give '-' once")
        }
        var sum: BenchResults?
        var (runs, losses) = (MergedRuns(), [] as [Loss])
        for path in arguments.paths { try add(path, to: &sum, &runs, &losses) }
        guard let sum else {
            if let loss = losses.first { throw loss.failure }
            return nil
        }
        sum.findings.remarks = runs.remarks + sum.findings.remarks
        sum.findings.areOfSeveralRuns = true
        if !losses.isEmpty { sum.reasons.insert(Self.reason(for: losses, of: runs.count + losses.count), at: 0) }
        let given = outputs.notes
        if let title = given.title { sum.description.notes.title = title }
        if !given.labels.isEmpty { sum.description.notes.labels = given.labels }
        try outputs.check(sum.description)
        try Threshold.check(
            arguments.result.thresholds, for: "--threshold", steps: sum.steps.map(\.name),
            stages: sum.stages.map(\.name))
        let judgement = outputs.judgement(on: sum)
        let failure = outputs.write(sum, judgement) ?? outputs.failure(of: judgement)
        return failure ?? (judgement.verdict == .failed ? .failedParts(sum.reasons) : nil)
    }

    /// Results that are missing, because a machine failed or was lost.
    private struct Loss {
        /// The name of the file, and the line if there are several.
        let name: String
        /// What is wrong with it, in words.
        let words: String
        /// The failure if no results are left.
        let failure: Failure
    }

    /// Adds the results in a file. Results that are incomplete or missing are losses.
    /// - Parameter runs: The runs added so far.
    private func add(
        _ path: String, to sum: inout BenchResults?, _ runs: inout MergedRuns, _ losses: inout [Loss]
    ) throws(Failure) {
        let file: BenchResultsFile
        do throws(BenchResultsFile.ReadingError) {
            file = try BenchResultsFile(path)
        } catch {
            guard error.error == .noSuchFile else { throw error.failure }
            return losses.append(Loss(name: error.name, words: "no such file", failure: error.failure))
        }
        for index in file.texts.indices {
            let results: BenchResults
            do throws(BenchResultsError) {
                results = try file.results(at: index)
                results.nameFindings(file.name(of: index), besides: arguments.result.thresholds)
            } catch {
                let failure = Failure.badArgument(what: file.name(of: index), why: "\(error)")
                guard error == .notJSON(.truncated) || error == .notResults, let words = file.loss(at: index) else {
                    throw failure
                }
                losses.append(Loss(name: file.name(of: index), words: words, failure: failure))
                continue
            }
            guard !results.findings.isOfSearch else {
                throw .badArgument(
                    what: file.name(of: index),
                    why: "the rates that --find-rate finds on several machines do not add up; run each at a --rate")
            }
            try runs.add(results, named: file.name(of: index))
            do throws(BenchResultsError) {
                if sum == nil { sum = results } else { try sum?.add(results) }
            } catch {
                throw .badArgument(what: file.name(of: index), why: "\(error)")
            }
        }
    }

    /// The reason why a sum without these results has failed: `1 of 4 results is missing: west.json (empty)`.
    private static func reason(for losses: [Loss], of count: Int) -> String {
        let names = losses.map { "\($0.name) (\($0.words))" }.joined(separator: ", ")
        let verb = losses.count == 1 ? "is" : "are"
        return "\(Phrase.grouped(losses.count)) of \(Phrase.count(count, "result")) \(verb) missing: \(names)"
    }
}
