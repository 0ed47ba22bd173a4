import WSCore

/// How far a load has come.
struct LoadProgress: Sendable {
    var sent = 0
    var received = 0
    var errorCount = 0
    var openCount = 0
    /// The last second that is over; nil: there is none.
    var second: BenchSecond?

    /// Adds how far another thread has come.
    mutating func add(_ other: LoadProgress) {
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
    var latencies: BenchSecond.Latencies? {
        guard let latencies = second?.latencies, latencies.maximum > 0 else { return nil }
        return latencies
    }
}
