import WSCore

/// How far a load has come.
public struct LoadProgress: Sendable {
    /// The messages that were sent and count.
    public internal(set) var sent = 0
    /// The right replies.
    public internal(set) var received = 0
    /// The errors of all kinds.
    public internal(set) var errorCount = 0
    /// The connections that are open.
    public internal(set) var openCount = 0
    /// The last second that is over; nil: there is none.
    internal var second: BenchSecond?

    /// Makes a progress of nothing.
    public init() {}

    /// Adds how far another thread has come.
    public mutating func add(_ other: LoadProgress) {
        sent += other.sent
        received += other.received
        errorCount += other.errorCount
        openCount += other.openCount
        guard let addend = other.second else { return }
        do throws(BenchResultsError) {
            try second?.add(addend)
        } catch {
            preconditionFailure("what a run has measured cannot be added up: \(error)")
        }
        if second == nil { second = addend }
    }

    /// The latencies of that second; nil: there are none.
    public var latencies: BenchSecond.Latencies? {
        guard let latencies = second?.latencies, latencies.maximum > 0 else { return nil }
        return latencies
    }
}

extension LoadContext {
    /// How far the thread has come by now.
    /// - Parameter time: The present time, on the loop's clock in nanoseconds.
    public func progress(at time: UInt64) -> LoadProgress {
        if phase == .loading { measurement.advance(to: time) }
        var progress = LoadProgress()
        progress.sent = measurement.tally.sent
        progress.received = measurement.tally.received
        progress.errorCount = measurement.tally.errorCount
        progress.openCount = connections.count
        progress.second = measurement.latencies.seconds.last
        return progress
    }
}
