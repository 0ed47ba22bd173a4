import WSCore

/// The progress of a load.
public struct LoadProgress: Sendable {
    /// The number of counted messages sent.
    public internal(set) var sent = 0
    /// The number of correct replies.
    public internal(set) var received = 0
    /// The number of received messages that were not expected.
    public internal(set) var unexpected = 0
    /// The number of errors of all kinds.
    public internal(set) var errorCount = 0
    /// The number of open connections.
    public internal(set) var openCount = 0
    /// The last completed second, or `nil` if there is none.
    internal var second: BenchSecond?

    /// Creates a progress of zero.
    public init() {}

    /// Adds the progress of another thread.
    public mutating func add(_ other: LoadProgress) {
        sent += other.sent
        received += other.received
        unexpected += other.unexpected
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

    /// The latencies of the last completed second, or `nil` if there are none.
    public var latencies: BenchSecond.Latencies? {
        guard let latencies = second?.latencies, latencies.maximum > 0 else { return nil }
        return latencies
    }
}

extension LoadContext {
    /// The current progress of the thread.
    /// - Parameter time: The current time, on the loop's clock in nanoseconds.
    public func progress(at time: UInt64) -> LoadProgress {
        if phase == .loading { measurement.advance(to: time) }
        var progress = LoadProgress()
        progress.sent = measurement.tally.sent
        progress.received = measurement.tally.received
        progress.unexpected = measurement.tally.mismatched + measurement.tally.duplicated
        progress.errorCount = measurement.tally.errorCount
        progress.openCount = connections.count
        progress.second = measurement.latencies.seconds.last
        return progress
    }
}
