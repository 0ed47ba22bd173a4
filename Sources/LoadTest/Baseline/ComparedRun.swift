import Formats
import WSCore

/// The facts and measurements of a run that comparisons use.
package struct ComparedRun: Equatable, Sendable {
    internal let description: BenchDescription
    /// The wall-clock time of the first message.
    internal var startTime: WallTime
    /// The messages counted by the mode's rate, in each whole second.
    internal let rates: [Double]
    /// The median latency, in nanoseconds, of each whole second with latencies.
    internal let medians: [Double]
    /// The 99th percentile of the latency, in nanoseconds, of each whole second with latencies.
    internal let tails: [Double]
    /// The named steps of a scenario that ended at least once.
    internal var steps: [Step] = []

    /// The results of a step.
    internal struct Step: Equatable, Sendable {
        let name: String
        /// The median and the 99th percentile of the whole run, in nanoseconds, or `nil` if the step never passed.
        let (median, tail): (Double?, Double?)
        /// The median and the 99th percentile of each whole second in which the step passed, in nanoseconds.
        let (medians, tails): ([Double], [Double])
        /// The number of failures, and of attempts.
        let (failed, attempted): (Int, Int)

        /// The share of failures among the attempts.
        var failureShare: Double { attempted > 0 ? Double(failed) / Double(attempted) : 0 }
    }
}

extension ComparedRun {
    /// Extracts the comparable parts of results.
    package init(_ results: BenchResults) {
        description = results.description
        startTime = results.startTime
        // The last second is usually incomplete.
        let mode = results.description.mode
        let wholeCount = Int(results.duration / .seconds(1))
        let seconds = results.seconds.prefix(wholeCount)
        let latencies = seconds.filter { $0.received > 0 }.map(\.latencies)
        rates = seconds.map { Double($0.count(in: mode)) }
        medians = latencies.map { Double($0.p50) }
        tails = latencies.map { Double($0.p99) }
        steps = results.steps.compactMap { step in
            guard step.isNamed, step.sent > 0 else { return nil }
            let histogram = step.histogram()
            let hasPassed = histogram.totalCount > 0
            let seconds = step.seconds.filter { $0.number < wholeCount }
            return Step(
                name: step.name, median: hasPassed ? Double(histogram.value(atPercentile: 50)) : nil,
                tail: hasPassed ? Double(histogram.value(atPercentile: 99)) : nil,
                medians: seconds.map(\.p50), tails: seconds.map(\.p99),
                failed: step.mismatched + step.lost, attempted: step.sent)
        }
    }

    /// Why a run cannot be compared with this one, or `nil` if it can.
    package func obstacle(to other: BenchDescription) -> String? {
        if description.mode != other.mode {
            return "it used --mode \(description.mode.rawValue), but this run uses --mode \(other.mode.rawValue); "
                + "compare runs of one mode"
        }
        guard description.resumesTLS == other.resumesTLS else {
            return description.resumesTLS
                ? "it resumed TLS sessions; add --tls-resume, or compare with a run without it"
                : "it did not resume TLS sessions; remove --tls-resume, or compare with a run that has it"
        }
        guard description.message != other.message else { return nil }
        return "it used \(Self.words(description.message)), but this run uses \(Self.words(other.message)); "
            + "compare runs with equal messages"
    }

    /// The differences in the load that may explain a different result, or `nil` if there are none.
    package func difference(from other: BenchDescription) -> String? {
        var parts: [String] = []
        if description.connections != other.connections {
            parts.append("\(Phrase.count(description.connections, "connection")) instead of \(other.connections)")
        }
        if description.threads != other.threads {
            parts.append("\(Phrase.count(description.threads, "thread")) instead of \(other.threads)")
        }
        if description.streams != other.streams { parts.append("different --http2 and --streams") }
        if description.inFlight != other.inFlight { parts.append("a different --in-flight") }
        if description.rateAsked != other.rateAsked { parts.append("a different --rate") }
        if description.arrival != other.arrival { parts.append("a different --arrival") }
        if description.stages != other.stages { parts.append("different stages") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func words(_ message: BenchDescription.Message?) -> String {
        guard let message else { return "messages of several kinds" }
        let kind = message.kind == .text ? "text" : "binary"
        return message.byteCount.map { "\($0)-byte \(kind) messages" } ?? "\(kind) messages of different sizes"
    }
}
