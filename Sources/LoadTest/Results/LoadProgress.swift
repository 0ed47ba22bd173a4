import WSCore

/// The measurements of one thread since its previous report.
public struct LoadProgress: Sendable {
    /// The counts since the start.
    public internal(set) var tally = LoadTally()
    /// The number of open connections.
    public internal(set) var openCount = 0
    /// The seconds that were completed since the previous report.
    internal private(set) var seconds: [BenchSecond] = []

    /// Creates a progress of zero.
    public init() {}

    /// Replaces the counts, and keeps the seconds that have not been taken yet.
    public mutating func update(_ next: LoadProgress) {
        tally = next.tally
        openCount = next.openCount
        seconds += next.seconds
    }

    /// Returns the progress, and removes its seconds.
    public mutating func take() -> LoadProgress {
        defer { seconds = [] }
        return self
    }

    /// Creates a progress.
    internal init(_ tally: LoadTally, openCount: Int, seconds: [BenchSecond]) {
        (self.tally, self.openCount, self.seconds) = (tally, openCount, seconds)
    }
}

extension LoadContext {
    /// The progress of the thread since the last call.
    /// - Parameter time: The current time, on the loop's clock in nanoseconds.
    public func takeProgress(at time: UInt64) -> LoadProgress {
        if phase == .loading { measurement.advance(to: time) }
        let seconds = measurement.latencies.seconds
        defer { reportedSeconds = seconds.count }
        return LoadProgress(
            measurement.tally, openCount: connections.count, seconds: Array(seconds[reportedSeconds...]))
    }
}
