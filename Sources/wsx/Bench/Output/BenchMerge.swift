import LoadTest
import WSCore

/// A run of `wsx bench merge`: reads results, adds them up, and writes the sum.
struct BenchMerge: ~Copyable {
    private let arguments: MergeArguments
    private let outputs: ResultOutputs

    /// Prepares a run.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ arguments: MergeArguments, console: Console) throws(Failure) {
        self.arguments = arguments
        outputs = try ResultOutputs(arguments, console: console)
    }

    /// Adds up and writes the results. Returns the failure, or `nil` if there was none.
    func run() throws(Failure) -> Failure? {
        guard arguments.paths.count(where: { $0 == "-" }) <= 1 else {
            throw .badArgument(what: "-", why: "standard input can be read only once; give '-' once")
        }
        var sum: BenchResults?
        for path in arguments.paths { try Self.add(path, to: &sum) }
        guard var sum else { return nil }
        let given = outputs.notes
        if let title = given.title { sum.description.notes.title = title }
        if !given.labels.isEmpty { sum.description.notes.labels = given.labels }
        try outputs.check(sum.description)
        try Threshold.check(
            arguments.result.thresholds, for: "--threshold", steps: sum.steps.map(\.name),
            stages: sum.stages.map(\.name))
        let judgement = outputs.judgement(on: sum)
        let failure = outputs.write(sum, judgement) ?? outputs.failure(of: judgement)
        return failure ?? (judgement.hasPassed ? nil : .failedParts(sum.reasons))
    }

    private static func add(_ path: String, to sum: inout BenchResults?) throws(Failure) {
        let file = try BenchResultsFile(path)
        for index in file.texts.indices {
            do throws(BenchResultsError) {
                var results = try file.results(at: index)
                results.reasons = results.reasons.map { "\(file.name(of: index)): \($0)" }
                if sum == nil {
                    sum = consume results
                } else {
                    try sum?.add(results)
                }
            } catch {
                throw .badArgument(what: file.name(of: index), why: "\(error)")
            }
        }
    }
}
