import Formats
import LoadTest
import UserInterface
import WSCore

/// The runs whose results are merged or compared with: whether they are different ones, and took place at the same time.
struct MergedRuns {
    private struct Run {
        let name: String
        let description: BenchDescription
        let tally: LoadTally
        /// Machines with the same name may have the same counts, but not these.
        let processorTimes: ProcessorTimes
        let start: Duration
        let duration: Duration

        var host: String? { description.notes.environment.first { $0.key == "host" }?.value }
    }

    private var runs: [Run] = []

    var count: Int { runs.count }

    /// A larger difference puts what happened at the same time into different seconds.
    private static let mostSkew = Duration.seconds(1)

    /// Adds a run.
    /// - Throws: ``Failure/badArgument(what:why:)`` if it has been added before.
    mutating func add(_ results: BenchResults, named name: String) throws(Failure) {
        let run = Run(
            name: name, description: results.description, tally: results.tally,
            processorTimes: results.processorTimes, start: results.startTime.sinceEpoch, duration: results.duration)
        // Another program may have written the file anew.
        let isSame = { (other: Run) in
            other.description == run.description && other.tally == run.tally
                && other.processorTimes == run.processorTimes
                && (other.start, other.duration) == (run.start, run.duration)
        }
        if let other = runs.first(where: isSame) {
            let place = other.name == name ? "it is given twice" : "it is the same result as \(other.name)"
            throw .badArgument(what: name, why: "\(place), and would count twice; remove one of them")
        }
        runs.append(run)
    }

    /// What keeps the sum from being one load, each a sentence.
    var remarks: [String] {
        guard let first = runs.min(by: { $0.start < $1.start }), let last = runs.max(by: { $0.start < $1.start }),
            let ended = runs.min(by: { $0.start + $0.duration < $1.start + $1.duration })
        else { return [] }
        var remarks: [String] = []
        if ended.start + ended.duration <= last.start {
            remarks.append(
                "The runs were not simultaneous: \(last.name) began \(Phrase.duration(last.start - ended.start - ended.duration)) "
                    + "after the end of \(ended.name). The rate is not that of any load.")
        } else if last.start - first.start > Self.mostSkew {
            remarks.append(
                "The runs did not begin together: \(last.name) began \(Phrase.duration(last.start - first.start)) after "
                    + "\(first.name). Seconds are added by their number: use --start-at.")
        }
        let durations = runs.map(\.duration)
        if let shortest = durations.min(), let longest = durations.max(), longest - shortest > Self.mostSkew {
            remarks.append(
                "The runs took \(Phrase.duration(shortest)) to \(Phrase.duration(longest)): the rate is that of the "
                    + "longest one.")
        }
        let hosts = Dictionary(grouping: runs.compactMap(\.host), by: { $0 }).filter { $0.value.count > 1 }
        for (host, runs) in hosts.sorted(by: { $0.key < $1.key }) {
            remarks.append("\(Phrase.grouped(runs.count)) runs shared the processors of \(escapingControls(host)).")
        }
        return remarks
    }
}
