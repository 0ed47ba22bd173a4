import Formats
import WSCore

/// Whether the load generator limited the results, because it was too busy or too late.
public struct GeneratorVerdict: Equatable, Sendable {
    /// The delay of messages in an open loop.
    internal struct Lateness: Equatable, Sendable {
        /// One in this many messages was sent at least this late.
        let oneOf: Int
        /// The delay and the maximum delay, in nanoseconds.
        let delay: UInt64
        let latest: UInt64
    }

    /// The lateness, or `nil` if messages were sent on time.
    internal let lateness: Lateness?
    /// Whether a thread had no idle time left in a closed loop.
    internal let isBusy: Bool

    /// The share of processor time above which a thread is at its limit.
    private static let mostBusy = 0.9
    /// The minimum duration for judging processor time.
    private static let shortestForBusy = Duration.seconds(1)
    /// Messages with a smaller delay, in nanoseconds, count as on time.
    private static let leastLateness: UInt64 = 1_000_000

    /// Judges the generator of a run.
    public init(_ results: borrowing BenchResults) {
        // In an open loop, the cost per message is highest when the thread is idle most of the time, so processor time
        // says little.
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
            // Lateness of less than 1 % of messages matters if it makes up most of the latency attributed to the
            // server.
            if oneOf == 100 || delay >= latencies.value(atPercentile: percentile) / 2 {
                return Lateness(oneOf: oneOf, delay: delay, latest: delays.maximum)
            }
        }
        return nil
    }

    /// The warnings about the figures, each a sentence.
    public var warnings: [String] {
        var warnings: [String] = []
        if let lateness {
            let (delay, latest) = (ResultWords.time(Double(lateness.delay)), ResultWords.time(Double(lateness.latest)))
            warnings.append(
                "The load generator fell behind schedule: 1 in \(Phrase.grouped(lateness.oneOf)) messages was sent "
                    + "\(delay) late or more, the worst \(latest) late. Try a lower --rate, or more --threads.")
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
    /// The processor time as a share of the duration, 0 through 1.
    public func part(of processorTime: Duration) -> Double {
        guard duration > .zero else { return 0 }
        // A busy thread may end sending slightly late, and has used processor time until then.
        return min(1, processorTime / duration)
    }
}
