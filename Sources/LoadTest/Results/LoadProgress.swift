import WSCore

/// The measurements of one thread since its previous report.
package struct LoadProgress: Sendable {
    /// The counts since the start.
    package internal(set) var tally = LoadTally()
    /// The number of open connections.
    package internal(set) var openCount = 0
    /// The results of each step of a scenario since the start. Latencies are those of the last complete second.
    package internal(set) var steps: [PartResults] = []
    /// The times of replies that consist of several messages until the last complete second, or `nil` if there are none.
    package internal(set) var stream: StreamResults?
    /// The seconds that were completed since the previous report.
    internal private(set) var seconds: [BenchSecond] = []

    /// Creates a progress of zero.
    package init() {}

    /// Replaces the counts, and keeps the seconds that have not been taken yet.
    package mutating func update(_ next: LoadProgress) {
        tally = next.tally
        openCount = next.openCount
        stream = next.stream ?? stream
        let latencies = steps.map(\.latencies)
        steps = next.steps
        for (index, latencies) in latencies.enumerated() where index < steps.count && steps[index].latencies == nil {
            steps[index].latencies = latencies
        }
        seconds += next.seconds
    }

    /// Returns the progress, and removes its seconds.
    package mutating func take() -> LoadProgress {
        defer { seconds = [] }
        return self
    }

    /// Creates a progress.
    internal init(_ tally: LoadTally, openCount: Int, steps: [PartResults] = [], seconds: [BenchSecond]) {
        (self.tally, self.openCount, self.steps, self.seconds) = (tally, openCount, steps, seconds)
    }
}

extension LoadContext {
    /// The progress of the thread since the last call.
    /// - Parameter time: The current time, on the loop's clock in nanoseconds.
    package func takeProgress(at time: UInt64) -> LoadProgress {
        measurement.flushSamples()
        if phase == .loading {
            measurement.advance(to: time)
            measurement.sample(openCount: connections.count, at: time)
        }
        let seconds = measurement.takeSeconds()
        // Latencies are encoded only once per second.
        let steps = measurement.steps.map { seconds.isEmpty ? $0.counts : $0.progress }
        var progress = LoadProgress(measurement.tally, openCount: connections.count, steps: steps, seconds: seconds)
        if !seconds.isEmpty { progress.stream = measurement.streams?.results }
        return progress
    }
}
