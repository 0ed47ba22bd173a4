import Formats
import WSCore

/// The result of a search for the highest rate that holds.
package struct RateSearchReport: Equatable, Sendable {
    /// The conditions that had to hold.
    package let goals: [Threshold]
    private let mode: BenchMode
    package private(set) var search: RateSearch
    /// The measurements, in their order.
    package private(set) var steps: [RateStep] = []

    /// Starts a search.
    /// - Parameters:
    ///   - first: The first rate, at least 1.
    ///   - goals: The conditions that have to hold.
    package init(from first: Int, for goals: [Threshold], in mode: BenchMode) {
        search = RateSearch(from: first)
        self.goals = goals
        self.mode = mode
    }

    /// Judges the measurement of the next rate, and records it.
    package mutating func record(_ results: BenchResults) -> RateStep {
        let step = RateStep(results, goals)
        search.record(step.outcome)
        steps.append(step)
        return step
    }

    /// The last step at a rate, or `nil` if there is none.
    private func step(at rate: Int?) -> RateStep? { steps.last { $0.rate == rate } }

    /// What kept the lowest rate that missed from holding, or `nil` if none counts as missed.
    package var limit: RateStep.Limit? {
        let limits = steps.filter { $0.rate == search.missed }.compactMap(\.limit)
        return limits.contains(.server) ? .server : limits.first
    }

    /// Why the run has failed, or `nil` if a rate holds, or may hold.
    package var failure: String? {
        guard search.best == nil, limit == .server else { return nil }
        return noRate
    }

    /// Why the highest rate is not known, or `nil` if it is, or none holds.
    package var doubt: String? {
        if limit == .generator { return search.best == nil ? noRate : sentence }
        return search.isComplete || failure != nil ? nil : "the search did not come to its end"
    }

    private var noRate: String {
        guard let step = step(at: search.missed) else { return "no rate was measured" }
        return "no rate holds: at \(Phrase.grouped(step.rate)) per second, \(step.reasons.joined(separator: "; "))"
    }

    /// The result as a sentence: `highest rate: 1,000 messages per second (spread 1,000 to 1,031); the limit was the server`.
    package var sentence: String {
        guard let best = search.best, let spread = search.spread else { return noRate }
        let isBound = limit == .generator || !search.isComplete
        let rate = "\(isBound ? "at least " : "")\(Phrase.grouped(best)) \(mode.wording.sentThings) per second"
        let (low, high) = (Phrase.grouped(spread.lowerBound), Phrase.grouped(spread.upperBound))
        let range = spread.count > 1 ? " (spread \(low) to \(high))" : ""
        let cause =
            switch limit {
            case .server: "the limit was the server"
            case .generator: "the limit was wsx"
            case nil: "no limit was found"
            }
        return "highest rate: \(rate)\(range); \(cause)"
    }

    /// The table: a row for each rate with its last measurement.
    package var rows: [[String]] {
        let headings = ["rate", "achieved", "p50", "p99", "held"]
        return [headings]
            + Set(steps.map(\.rate)).sorted().map { rate in
                let all = steps.filter { $0.rate == rate }
                let last = all[all.count - 1]
                let latencies = last.latencies.readable()
                let times = [50.0, 99].map {
                    latencies.totalCount > 0 ? Phrase.latency(Double(latencies.value(atPercentile: $0))) : "-"
                }
                let held = "\(all.count { $0.outcome == .held }) of \(all.count)"
                return [Phrase.grouped(rate), ResultWords.rate(last.achieved)] + times + [held]
            }
    }
}
