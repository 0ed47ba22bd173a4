import WSCore

/// One run of `wsx bench merge`: reads results, adds them, and writes the sum.
struct BenchMerge: ~Copyable {
    private let arguments: MergeArguments
    private let outputs: ResultOutputs

    /// Prepares a run, or throws ``Failure/badArgument(what:why:)``.
    init(_ arguments: MergeArguments, console: Console) throws(Failure) {
        self.arguments = arguments
        outputs = try ResultOutputs(arguments, console: console)
    }

    /// Runs, and returns why it did not end as asked, if it did not.
    func run() throws(Failure) -> Failure? {
        var sum: BenchResults?
        for path in arguments.paths { try Self.add(path, to: &sum) }
        guard let sum else { return nil }
        let verdicts = outputs.verdicts(on: sum)
        return outputs.write(sum, verdicts) ?? outputs.judge(verdicts)
    }

    private static func add(_ path: String, to sum: inout BenchResults?) throws(Failure) {
        let name = path == "-" ? "standard input" : escapingControls(path)
        let bytes: [UInt8]
        do throws(IOError) {
            bytes = try path == "-" ? File.readStandardInput() : File.read(path)
        } catch {
            throw .badArgument(what: name, why: "\(error)")
        }
        let texts = BenchResults.texts(in: bytes)
        for (index, range) in texts.enumerated() {
            do throws(BenchResultsError) {
                let results = try BenchResults(json: bytes.span.bytes.extracting(range))
                if sum == nil {
                    sum = consume results
                } else {
                    try sum?.add(results)
                }
            } catch {
                throw .badArgument(what: texts.count == 1 ? name : "\(name), line \(index + 1)", why: "\(error)")
            }
        }
    }
}
