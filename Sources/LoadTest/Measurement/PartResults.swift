import Conversation
import WSCore

/// The results of a named part of a load, such as a step of a scenario. Parts with the same name are added up.
package struct PartResults: Equatable, Sendable {
    /// The name in results, thresholds, and metrics.
    package let name: String
    /// The attempts: messages sent, or steps begun.
    package internal(set) var sent = 0
    /// The attempts with the expected outcome.
    package internal(set) var received = 0
    /// The attempts with a different outcome, such as a wrong message.
    package internal(set) var mismatched = 0
    /// The attempts without an outcome: they timed out, or their connection ended.
    package internal(set) var lost = 0
    /// The attempts that timed out.
    package internal(set) var timeouts = 0
    /// The latencies of attempts with the expected outcome, or `nil` if they are not recorded, because the part has no
    /// name of the user's.
    internal var latencies: StoredHistogram?
    /// The delays of this end in a stage.
    internal var ownDelays: [TimeMeasure: StoredHistogram] = [:]
    /// The latencies of each second with any, ordered by number, to tell changes from noise. Empty if they are not
    /// recorded.
    internal var seconds: [Second] = []

    /// The latencies of a second.
    ///
    /// Of several threads or runs, the percentiles are the mean of theirs, weighted with the number of latencies.
    /// Histograms would be exact, but take a thousand times the memory.
    internal struct Second: Equatable, Sendable {
        /// The number of the second of the load, from 0.
        let number: Int
        /// The number of latencies, at least 1.
        private(set) var count: Int
        // Sums, so that the order of additions does not matter.
        private var (p50Sum, p99Sum): (UInt128, UInt128)

        /// Creates a second with these latencies.
        /// - Parameters:
        ///   - p50: The median in nanoseconds.
        ///   - p99: The 99th percentile in nanoseconds.
        init(number: Int, count: Int, p50: UInt64, p99: UInt64) {
            (self.number, self.count) = (number, count)
            p50Sum = UInt128(p50) * UInt128(count)
            p99Sum = UInt128(p99) * UInt128(count)
        }

        /// The median in nanoseconds.
        var p50: Double { Double(p50Sum) / Double(count) }
        /// The 99th percentile in nanoseconds.
        var p99: Double { Double(p99Sum) / Double(count) }

        /// Adds the same second of another thread or run.
        fileprivate mutating func add(_ other: Second) throws(BenchResultsError) {
            count = try count.adding(checking: other.count)
            p50Sum += other.p50Sum
            p99Sum += other.p99Sum
        }
    }

    /// The times of replies that consist of several messages, or `nil` if there are none.
    package internal(set) var stream: StreamResults?
    /// Whether the attempts are the iterations of one of several scenarios. Unknown for results that were read.
    internal var isScenario = false

    /// Starts without results.
    internal init(name: String, latencies: StoredHistogram? = nil) {
        (self.name, self.latencies) = (name, latencies)
    }

    /// A count and its name in JSON, thresholds, and metrics.
    package typealias NamedCount = (name: StaticString, count: WritableKeyPath<PartResults, Int> & Sendable)

    /// The counts.
    package static let counts: [NamedCount] = [
        ("sent", \.sent), ("received", \.received), ("mismatched", \.mismatched), ("lost", \.lost),
        ("timeout", \.timeouts),
    ]

    /// The attempts whose connection ended.
    package var closed: Int { max(0, lost - timeouts) }

    /// Whether each attempt had the expected outcome.
    package var isFlawless: Bool { mismatched == 0 && lost == 0 && timeouts == 0 }

    /// Whether the user named the part.
    package var isNamed: Bool { latencies != nil }

    /// Whether the part is shown in text: it has a name, or faults.
    package var isShown: Bool { isNamed || !isFlawless }

    /// The name of the stage with an index.
    internal static func stageName(_ index: Int) -> String { "stage\(index + 1)" }

    /// The latencies; empty if they are not recorded.
    package func histogram() -> Histogram { latencies?.readable() ?? Histogram() }

    /// Adds the results of a part with the same name.
    internal mutating func add(_ other: PartResults) throws(BenchResultsError) {
        for (_, count) in Self.counts {
            self[keyPath: count] = try self[keyPath: count].adding(checking: other[keyPath: count])
        }
        try seconds.add(bySecond: other.seconds)
        try stream.add(other.stream)
        isScenario = isScenario || other.isScenario
        for (measure, delays) in other.ownDelays {
            var sum = try delays.decoded()
            if let own = ownDelays[measure] { try sum.add(checking: own.decoded()) }
            ownDelays[measure] = StoredHistogram(sum)
        }
        guard let addend = try other.latencies?.decoded() else { return }
        guard var sum = try latencies?.decoded() else { return latencies = other.latencies }
        try sum.add(checking: addend)
        latencies = StoredHistogram(sum)
    }

}

extension Array where Element == PartResults.Second {
    /// Adds seconds by their number. Both arrays are ordered by it.
    internal mutating func add(bySecond others: [PartResults.Second]) throws(BenchResultsError) {
        var sum: [PartResults.Second] = []
        var index = 0
        for other in others {
            while index < count, self[index].number < other.number {
                sum.append(self[index])
                index += 1
            }
            guard index < count, self[index].number == other.number else {
                sum.append(other)
                continue
            }
            var second = self[index]
            try second.add(other)
            sum.append(second)
            index += 1
        }
        self = sum + self[index...]
    }
}

extension Array where Element == PartResults {
    /// Adds other parts by name.
    internal mutating func add(byName others: [PartResults]) throws(BenchResultsError) {
        for other in others {
            if let index = firstIndex(where: { $0.name == other.name }) {
                try self[index].add(other)
            } else {
                append(other)
            }
        }
    }
}

/// A histogram as an encoded value with its exact minimum, maximum, and sum.
internal struct StoredHistogram: Equatable, Sendable {
    private let bytes: [UInt8]
    private let (minimum, maximum): (UInt64, UInt64)
    private let sum: UInt128

    /// Encodes a histogram.
    init(_ histogram: borrowing Histogram) {
        bytes = histogram.encoded()
        minimum = histogram.minimum
        maximum = histogram.maximum
        sum = histogram.sum
    }

    /// Decodes the histogram.
    /// - Throws: ``BenchResultsError/badHistogram(_:_:)``.
    func decoded() throws(BenchResultsError) -> Histogram {
        do throws(HistogramError) {
            var histogram = try Histogram(decoding: bytes)
            _ = histogram.refine(minimum: minimum, maximum: maximum, sum: sum)
            return histogram
        } catch {
            throw .badHistogram("histogram", error)
        }
    }

    /// Decodes the histogram of results, which has been decoded or encoded before.
    func readable() -> Histogram {
        do throws(BenchResultsError) { return try decoded() } catch { return Histogram() }
    }
}

/// Records the percentiles of each second on one thread. It takes 264 KiB.
internal final class SecondRecorder {
    /// The seconds that have ended, without those in which nothing was recorded.
    private var ended: [PartResults.Second] = []
    private var current = Histogram()
    /// The number of the second that ``current`` belongs to.
    private var number = 0

    /// Records a time in a second. Seconds do not decrease.
    func record(_ nanoseconds: UInt64, inSecond second: Int) {
        if second != number {
            ended += currentSecond
            current.removeAll()
            number = second
        }
        current.record(nanoseconds)
    }

    /// All seconds in which something was recorded.
    var seconds: [PartResults.Second] { ended + currentSecond }

    /// The current second, if something was recorded in it.
    private var currentSecond: [PartResults.Second] {
        guard current.totalCount > 0 else { return [] }
        return [
            PartResults.Second(
                number: number, count: Int(clamping: current.totalCount), p50: current.value(atPercentile: 50),
                p99: current.value(atPercentile: 99))
        ]
    }
}

/// Records the results of a part on one thread.
internal final class PartRecorder {
    /// The counts so far, without latencies.
    var counts: PartResults
    let recordsLatencies: Bool
    private var latencies: Latencies?
    private var streams: StreamRecorder?

    /// A histogram takes 264 KiB, so both are created with the first value.
    private final class Latencies {
        private(set) var histogram = Histogram()
        private let recorder = SecondRecorder()

        func record(_ nanoseconds: UInt64, inSecond second: Int?) {
            histogram.record(nanoseconds)
            if let second { recorder.record(nanoseconds, inSecond: second) }
        }

        var seconds: [PartResults.Second] { recorder.seconds }
    }

    /// Starts without results.
    /// - Parameter isNamed: Whether the user named the part. Only the latencies of named parts are recorded.
    init(name: String, isNamed: Bool) {
        counts = PartResults(name: name)
        recordsLatencies = isNamed
    }

    /// Records an attempt with the expected outcome.
    /// - Parameter second: The number of the second of the load in which it ended, or `nil` outside of the load.
    func passed(nanoseconds: UInt64, inSecond second: Int? = nil) {
        counts.sent &+= 1
        counts.received &+= 1
        guard recordsLatencies else { return }
        if latencies == nil { latencies = Latencies() }
        latencies?.record(nanoseconds, inSecond: second)
    }

    /// Records a reply that may consist of several messages.
    /// - Parameter time: When the step began, on the loop's clock in nanoseconds.
    func received(_ reply: ReplyStream, since time: UInt64) {
        guard recordsLatencies else { return }
        if streams == nil { streams = StreamRecorder() }
        streams?.record(reply, since: time)
    }

    /// Counts an attempt with another outcome.
    func failed(_ count: WritableKeyPath<PartResults, Int>) {
        counts.sent &+= 1
        counts[keyPath: count] &+= 1
        if count == \.timeouts { counts.lost &+= 1 }
    }

    /// The results. Encodes the latencies.
    var results: PartResults {
        var results = progress
        results.seconds = latencies?.seconds ?? []
        results.stream = streams?.results
        return results
    }

    /// The results so far, without seconds. Encodes the latencies.
    var progress: PartResults {
        var progress = counts
        guard recordsLatencies else { return progress }
        progress.latencies = latencies.map { StoredHistogram($0.histogram) } ?? StoredHistogram(Histogram())
        return progress
    }
}
