import Formats
import WSCore

/// What is compared of two runs: what they were, and what was measured in each of their seconds.
public struct ComparedRun: Equatable, Sendable {
    internal let description: BenchDescription
    /// The wall-clock time of the first message.
    internal var startTime: WallTime
    /// What the rate counts, in each whole second.
    internal let rates: [Double]
    /// The median of the latencies in each whole second that has some, in nanoseconds.
    internal let medians: [Double]
    /// The 99th percentile, likewise.
    internal let tails: [Double]
}

extension ComparedRun {
    /// Takes what there is to compare from results.
    public init(_ results: borrowing BenchResults) {
        description = results.description
        startTime = results.startTime
        // The last second is mostly a part of one.
        let mode = results.description.mode
        let seconds = results.seconds.prefix(Int(results.duration / .seconds(1)))
        let latencies = seconds.filter { $0.received > 0 }.map(\.latencies)
        rates = seconds.map { Double($0.count(in: mode)) }
        medians = latencies.map { Double($0.p50) }
        tails = latencies.map { Double($0.p99) }
    }

    /// Why a run cannot be compared with this one; nil: it can.
    public func obstacle(to other: BenchDescription) -> String? {
        if description.mode != other.mode {
            return "it used --mode \(description.mode.rawValue), but this run uses --mode \(other.mode.rawValue)"
        }
        guard description.message != other.message else { return nil }
        return "it used \(Self.words(description.message)), but this run uses \(Self.words(other.message))"
    }

    /// What was not the same in a run, and may be why it was faster or slower; nil: nothing.
    public func difference(from other: BenchDescription) -> String? {
        var parts: [String] = []
        if description.connections != other.connections {
            parts.append("\(Phrase.count(description.connections, "connection")) instead of \(other.connections)")
        }
        if description.threads != other.threads {
            parts.append("\(Phrase.count(description.threads, "thread")) instead of \(other.threads)")
        }
        if description.inFlight != other.inFlight { parts.append("a different --in-flight") }
        if description.rateAsked != other.rateAsked { parts.append("a different --rate") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func words(_ message: BenchDescription.Message?) -> String {
        guard let message else { return "messages of several kinds" }
        let kind = message.kind == .text ? "text" : "binary"
        return message.byteCount.map { "\($0)-byte \(kind) messages" } ?? "\(kind) messages of different sizes"
    }
}
