import WSCore

/// Whether the generator itself was what was measured: too busy, or too late.
public struct GeneratorVerdict: Equatable, Sendable {
    /// How late messages of an open loop were sent.
    internal struct Lateness: Equatable, Sendable {
        /// One of so many was sent so late or later.
        let oneOf: Int
        /// In nanoseconds, as is the latest.
        let delay: UInt64
        let latest: UInt64
    }

    /// Nil: messages were sent when they were due.
    internal let lateness: Lateness?
    /// Whether one of its threads had no time left, in a closed loop.
    internal let isBusy: Bool

    /// A thread that is busy for more of the time is at its limit.
    private static let mostBusy = 0.9
    /// A shorter run is too short to know.
    private static let shortestForBusy = Duration.seconds(1)
    /// Messages are sent on time that are no more than so late, in nanoseconds.
    private static let leastLateness: UInt64 = 1_000_000

    /// Judges the generator of a run.
    public init(_ results: borrowing BenchResults) {
        // Where messages have their times, what each of them costs is most when there is time for it.
        isBusy =
            results.delays.totalCount == 0 && results.duration >= Self.shortestForBusy
            && results.part(of: results.busiestProcessorTime) > Self.mostBusy
        lateness = Self.lateness(results.delays, beside: results.latencies)
    }

    private static func lateness(_ delays: borrowing Histogram, beside latencies: borrowing Histogram) -> Lateness? {
        for oneOf in [100, 1000, 10_000] {
            let percentile = 100 - 100 / Double(oneOf)
            let delay = delays.value(atPercentile: percentile)
            guard delay >= leastLateness else { continue }
            // What is late in fewer than one of a hundred matters where it is most of what would be told of the server.
            if oneOf == 100 || delay >= latencies.value(atPercentile: percentile) / 2 {
                return Lateness(oneOf: oneOf, delay: delay, latest: delays.maximum)
            }
        }
        return nil
    }

    /// What is to be said before the figures are believed, each a sentence.
    public var warnings: [String] {
        var warnings: [String] = []
        if let lateness {
            let (delay, latest) = (ResultWords.time(Double(lateness.delay)), ResultWords.time(Double(lateness.latest)))
            warnings.append(
                "The load generator fell behind schedule: 1 in \(ResultWords.count(lateness.oneOf)) messages was sent "
                    + "\(delay) late or more, the worst \(latest) late.")
        }
        if isBusy {
            warnings.append(
                "The load generator was at its limit: the results may reflect it rather than the server. "
                    + "Try more --threads.")
        }
        return warnings
    }
}

extension BenchResults {
    /// The share of the time for which a processor was used, 0 through 1.
    public func part(of processorTime: Duration) -> Double {
        guard duration > .zero else { return 0 }
        // A thread that is busy may end sending a bit late, and has used the time until then.
        return min(1, processorTime / duration)
    }
}
