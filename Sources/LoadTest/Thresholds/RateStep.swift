import Formats
import WSCore

/// A step of a search for the highest rate: what was measured at a rate, and whether it holds.
package struct RateStep: Equatable, Sendable {
    /// What kept a rate from holding.
    package enum Limit: String, Sendable {
        case server
        /// wsx itself.
        case generator
    }

    /// The rate, in messages per second.
    package let rate: Int
    /// Why the rate does not hold, the most important reason first; empty: it holds.
    package let reasons: [String]
    /// What kept it from holding, or `nil` if it holds.
    package let limit: Limit?
    /// The metrics of the thresholds with their values: `p99 1.20 ms`.
    package let values: [String]
    package let outcome: RateSearch.Outcome
    /// The growth of the number of outstanding replies.
    internal let backlog: Int
    internal let tally: LoadTally
    /// The rate of replies, in messages per second.
    package let achieved: Double
    /// The latencies in nanoseconds.
    internal let latencies: StoredHistogram
    /// The delays of wsx in nanoseconds: in sending, and of its threads.
    internal let (delays, lags): (StoredHistogram, StoredHistogram)
    internal let processorTimes: ProcessorTimes

    /// A larger part, or a value beyond so many times its limit, is not chance.
    private static let (mostClose, mostTimesLimit) = (0.05, 10.0)

    /// Judges the measurement of a rate.
    /// - Parameters:
    ///   - results: The measurement, of a constant rate.
    ///   - goals: The conditions that have to hold.
    package init(_ results: BenchResults, _ goals: [Threshold]) {
        rate = results.description.rateAsked ?? 0
        (tally, achieved, processorTimes) = (results.tally, results.rate, results.processorTimes)
        latencies = StoredHistogram(results.latencies)
        (delays, lags) = (StoredHistogram(results.times[.delay]), StoredHistogram(results.times[.lag]))
        let verdicts = goals.map { $0.verdict(on: results) }
        values = verdicts.map { "\(escapingControls($0.threshold.metricName)) \($0.words)" }
        let missed = verdicts.filter { !$0.isMet }
        let faults = results.areFaultsCounted(by: goals) ? [] : results.reasons
        backlog = results.backlogGrowth
        let (unsentShare, backlogShare) = (results.unsentShare, results.share(ofBacklog: backlog))
        let growth =
            backlogShare > BenchResults.mostUnsent
            ? ["outstanding \(results.description.mode.wording.countedThings) grew by \(Phrase.grouped(backlog))"] : []
        let doubts = results.doubts(besides: goals)
        let found = missed.map(\.reason) + faults + growth + doubts
        reasons = found.isEmpty && !results.hasMeasured ? ["nothing was measured"] : found
        // Whether it would not hold without the delay of wsx either.
        let hasMissed = missed.contains { !$0.isInconclusive } || !faults.isEmpty
        let generator = GeneratorVerdict(results)
        let isServer =
            hasMissed
            ? !generator.isSaturated
            // More and more messages waited for replies, or for a free connection.
            : missed.isEmpty && !generator.isLate && (doubts.isEmpty || tally.waited > 0)
        limit = reasons.isEmpty ? nil : isServer ? .server : .generator
        let isClose = max(unsentShare, backlogShare) <= Self.mostClose
        outcome =
            switch limit {
            case nil: .held
            case .server: .missed(isClose: isClose && missed.allSatisfy { ($0.margin ?? 0) > 1 - Self.mostTimesLimit })
            case .generator: .inconclusive(isClose: isClose)
            }
    }

    /// The outcome in a word.
    package var word: String {
        switch outcome {
        case .held: "held"
        case .missed: "missed"
        case .inconclusive: "inconclusive"
        }
    }

    /// The step as a line: `800 per second: missed: p99 is 75.6 ms, limit 50 ms`.
    package var line: String {
        let cause = limit == .generator ? " (wsx was the limit)" : ""
        let words = (outcome == .held ? values : reasons).joined(separator: "; ")
        return "\(Phrase.grouped(rate)) per second: \(word)\(cause): \(words)"
    }
}

extension BenchResults {
    /// Whether a message took effect.
    package var hasMeasured: Bool {
        description.mode.metrics.rate.of(sent: tally.sent, received: tally.received) > 0
    }

    /// Whether the faults and errors of the run are all of a kind that conditions limit. Errors may lose replies.
    fileprivate func areFaultsCounted(by goals: [Threshold]) -> Bool {
        let names = Set(goals.filter(\.isCount).map(\.metricName))
        let faults = CountGroup.faults.filter { tally[keyPath: $0.path] > 0 }.map { "\($0.name)" }
        let errors = CountGroup.errors.counts.filter { tally[keyPath: $0.path] > 0 }
        return faults.allSatisfy { names.contains($0) || $0 == "lost" && names.contains("errors") }
            && errors.allSatisfy { names.contains("errors") || names.contains("\(CountGroup.errors.prefix)\($0.name)") }
            && !(faults.isEmpty && errors.isEmpty)
    }

    /// The number of replies to each message: that of the readers in a broadcast.
    fileprivate var repliesPerMessage: Double {
        guard description.mode.metrics.population == .deliveries, tally.sent > 0 else { return 1 }
        return (Double(tally.received) + Double(tally.lost) + Double(tally.mismatched)) / Double(tally.sent)
    }

    /// The number of replies that were outstanding when sending ended, less that when messages began to count.
    fileprivate var backlogGrowth: Int {
        guard description.mode.metrics.rate == .received else { return 0 }
        let expected = ResultWords.whole(Double(tally.sent) * repliesPerMessage) - tally.mismatched
        return max(0, expected - countInTime - carriedCount)
    }

    /// A backlog as a share of the messages, without the replies that this end may have read late.
    fileprivate func share(ofBacklog backlog: Int) -> Double {
        let expected = max(1, Double(tally.sent) * repliesPerMessage)
        let unread = Double(times[.lag].value(atPercentile: 99)) / max(1, duration / .nanoseconds(1))
        return Double(backlog) / expected - unread
    }
}
