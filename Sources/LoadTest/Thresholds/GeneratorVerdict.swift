import Formats
import WSCore

/// Whether the load generator limited the results, because it was too busy, too late, or had too few connections.
package struct GeneratorVerdict: Sendable {
    /// The delay of messages in an open loop.
    internal struct Lateness: Equatable, Sendable {
        /// One in this many messages was sent at least this late.
        let oneOf: Int
        /// The delay and the maximum delay, in nanoseconds.
        let delay: UInt64
        let latest: UInt64
    }

    /// Why messages were late.
    internal enum Cause: Equatable, Sendable {
        /// A thread used this share of a processor.
        case busy(Double)
        /// The threads waited so long for a processor, which is this share of their time.
        case waiting(Duration, Double)
    }

    /// The lateness, or `nil` if messages were sent on time.
    internal let lateness: Lateness?
    /// Its cause, or `nil` if there is no evidence of one.
    internal let cause: Cause?
    /// Whether a thread had no idle time left in a closed loop.
    internal let isBusy: Bool
    /// The number of connections that would suffice for the rate, or `nil` if there were enough.
    internal let neededConnections: Int?
    /// The largest requested rate in messages per second, or `nil` for a closed loop.
    private let rate: Int?
    private let tally: LoadTally
    private let mode: BenchMode
    private let findings: BenchResults.Findings
    /// Whether iterations were begun, but none ended in time.
    private let isTooShort: Bool
    private var wording: ModeWording { mode.wording }

    /// The share of processor time above which a thread is at its limit.
    private static let mostBusy = 0.9
    /// The minimum duration for judging processor time.
    private static let shortestForBusy = Duration.seconds(1)
    /// The share of time above which waits for a processor explain lateness.
    private static let mostWaiting = 0.02
    /// Messages with a smaller delay, in nanoseconds, count as on time.
    private static let leastLateness: UInt64 = 1_000_000
    /// A smaller part of the median latency does not distort the results, even if one message in 100 is as late.
    private static let leastLatenessShare = 0.1
    /// A smaller share of messages may have to wait for a connection.
    private static let leastHeldShare = 0.01

    /// Judges the generator of a run.
    package init(_ results: BenchResults) {
        // In an open loop, the cost per message is highest when the thread is idle most of the time, so processor time
        // says little.
        isBusy =
            results.times[.delay].totalCount == 0 && results.duration >= Self.shortestForBusy
            && results.part(of: results.processorTimes.busiest) > Self.mostBusy
        lateness = Self.lateness(results.times[.delay], beside: results.latencies)
        let busy = results.part(of: results.processorTimes.busiest)
        let waited = results.processorTimes.waited
        let waiting = results.part(of: waited / max(1, results.description.threads))
        cause = busy > Self.mostBusy ? .busy(busy) : waiting > Self.mostWaiting ? .waiting(waited, waiting) : nil
        rate = results.description.largestRate
        neededConnections = rate.flatMap { Self.neededConnections(results, rate: $0) }
        tally = results.tally
        isTooShort = tally.interrupted > 0 && tally.received + tally.mismatched + tally.lost == 0
        findings = results.findings
        mode = results.description.mode
    }

    /// Little's law: so many connections are busy at a time. The 99th percentile leaves room for slower messages.
    private static func neededConnections(_ results: BenchResults, rate: Int) -> Int? {
        let heldCount = Double(results.tally.waited) + Double(results.tally.unsent)
        let mode = results.description.mode
        // In other modes, a connection may have any number in flight.
        guard mode == .scenario || mode == .connect, results.times[.service].totalCount > 0,
            heldCount >= leastHeldShare * (Double(results.tally.sent) + Double(results.tally.unsent))
        else { return nil }
        let busyCount = Double(rate) * Double(results.times[.service].value(atPercentile: 99)) / 1e9
        let needed = ResultWords.whole(busyCount.rounded(.up))
        return needed > results.description.connections ? needed : nil
    }

    private static func lateness(_ delays: borrowing Histogram, beside latencies: borrowing Histogram) -> Lateness? {
        for oneOf in [100, 1000, 10_000] {
            let percentile = 100 - 100 / Double(oneOf)
            let delay = delays.value(atPercentile: percentile)
            guard delay >= leastLateness else { continue }
            // Lateness of less than 1 % of messages matters if it makes up most of the latency attributed to the
            // server.
            let isRelevant =
                oneOf == 100
                ? Double(delay) >= leastLatenessShare * Double(latencies.value(atPercentile: 50))
                : delay >= latencies.value(atPercentile: percentile) / 2
            if isRelevant {
                return Lateness(oneOf: oneOf, delay: delay, latest: delays.maximum)
            }
        }
        return nil
    }

    /// Whether messages were late, and there is evidence that this end was the cause.
    internal var isLate: Bool { lateness != nil && cause != nil }

    /// Whether messages were late because a thread was busy.
    internal var isSaturated: Bool { if case .busy = cause { lateness != nil } else { false } }

    /// The warnings about the figures, each a sentence.
    package var warnings: [String] {
        let own = (findings.areOfSeveralRuns ? [] : limits) + omissions
        // Results that were read have their warnings as remarks.
        return findings.remarks.filter { !own.contains($0) } + own
    }

    /// What this end or the parameters have limited.
    private var limits: [String] {
        var warnings: [String] = []
        if let neededConnections, let rate {
            warnings.append(
                "All connections were busy when \(wording.countedThings) were due. If the server stays as fast, about "
                    + "\(Phrase.grouped(neededConnections)) connections would suffice for \(Phrase.grouped(rate)) per "
                    + "second: raise --connections.")
        }
        if isTooShort {
            warnings.append(
                "The test ended before an iteration was complete: raise --duration, or use --messages.")
        }
        if let lateness, let cause {
            let (delay, latest) = (Phrase.latency(Double(lateness.delay)), Phrase.latency(Double(lateness.latest)))
            let pace = rate.map { " of \(Phrase.grouped($0)) per second" } ?? ""
            warnings.append(
                "The load generator fell behind its schedule\(pace): 1 in \(Phrase.grouped(lateness.oneOf)) messages was "
                    + "sent \(delay) late or more, the worst \(latest) late. \(cause.words)")
        }
        if isBusy {
            warnings.append(
                "The load generator was at its limit: the results may reflect it rather than the server. "
                    + "Try more --threads.")
        }
        return warnings
    }

    /// What latencies leave out.
    internal var omissions: [String] {
        var warnings: [String] = []
        if tally.unsent > 0 {
            warnings.append(
                "Latencies and thresholds leave out the \(Phrase.grouped(tally.unsent)) \(wording.sentThings) that were "
                    + "not \(wording.sentVerb).")
        }
        if tally.latencyOmitted > 0 {
            let cause =
                tally.lost > 0
                ? "lost" : tally.errors[.timeout] > 0 ? "late" : tally.mismatched > 0 ? "wrong" : "surplus"
            warnings.append(
                "Latencies leave out \(Phrase.grouped(tally.latencyOmitted)) of \(Phrase.grouped(tally.received)) "
                    + "\(wording.countedThings): after a \(cause) one, it is unknown which message a reply answers. "
                    + (mode == .request ? "Use --correlate with {{seq}}." : "Add {{seq}} to each message."))
        }
        if let warning = tally.samplesWarning { warnings.append(warning) }
        return warnings
    }
}

extension GeneratorVerdict.Cause {
    /// The evidence, and the remedy.
    fileprivate var words: String {
        switch self {
        case .busy(let share):
            "A thread used \(FixedPoint.text(share * 100, digits: 0)) % of a core: try a lower --rate, or more --threads."
        case .waiting(let time, let share):
            "Its threads waited \(Phrase.duration(time)) for a core, \(FixedPoint.text(share * 100, digits: 0)) % of "
                + "their time: stop other programs on this machine."
        }
    }
}

extension BenchResults {
    /// The processor time as a share of the duration, 0 through 1.
    package func part(of processorTime: Duration) -> Double {
        guard duration > .zero else { return 0 }
        // A busy thread may end sending slightly late, and has used processor time until then.
        return min(1, processorTime / duration)
    }
}

extension BenchDescription {
    /// The largest requested rate in messages per second, or `nil` for a closed loop.
    fileprivate var largestRate: Int? {
        guard let stages, stages.quantity == .rate else { return rateAsked }
        return stages.stages.map(\.target).max()
    }
}
