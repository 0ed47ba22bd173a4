import Formats
import WSCore

/// The results of a run so far: the counts, and the seconds that all threads have completed.
package struct LiveResults: ~Copyable {
    /// The counts and latencies so far. Handshakes, bytes, and processor times are missing.
    package private(set) var results: BenchResults
    /// The number of open connections.
    package private(set) var openCount = 0
    /// The seconds that some threads have not completed yet, by thread.
    private var pending: [[BenchSecond]]

    /// Starts without results.
    /// - Parameter threadCount: The number of threads, 1 or more.
    package init(_ description: BenchDescription, threadCount: Int) {
        results = BenchResults(description, startTime: .now, processorTime: .zero)
        pending = Array(repeating: [], count: threadCount)
    }

    /// The number of complete seconds.
    package var secondCount: Int { results.secondCount }

    /// The counts so far.
    package var tally: LoadTally { results.tally }

    /// The steps so far.
    package var steps: [PartResults] { results.steps }

    /// Adds the progress of all threads.
    /// - Parameter progress: One element for each thread, in the same order in each call.
    package mutating func update(_ progress: [LoadProgress]) {
        openCount = progress.reduce(0) { $0 + $1.openCount }
        results.tally = LoadTally()
        results.steps = []
        results.stream = nil
        do throws(BenchResultsError) {
            for (thread, progress) in progress.enumerated() {
                try results.add(progress.tally)
                try results.steps.add(byName: progress.steps)
                try results.stream.add(progress.stream)
                pending[thread] += progress.seconds
            }
            while pending.allSatisfy({ !$0.isEmpty }) { try addSecond() }
        } catch {
            preconditionFailure("what a run has measured cannot be added up: \(error)")
        }
    }

    /// Adds the oldest pending second of all threads.
    private mutating func addSecond() throws(BenchResultsError) {
        var sum = pending[0].removeFirst()
        for thread in pending.indices.dropFirst() { try sum.add(pending[thread].removeFirst()) }
        results.seconds.append(sum)
        results.duration = .seconds(results.seconds.count)
        try results.latencies.add(checking: sum.decodedHistogram())
    }

    /// The latencies of the last complete second, or `nil` if there are none.
    package var latencies: BenchSecond.Latencies? {
        guard let latencies = results.seconds.last?.latencies, latencies.maximum > 0 else { return nil }
        return latencies
    }
}
