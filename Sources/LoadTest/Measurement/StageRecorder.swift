import WSCore

/// Records the counts and latencies of messages by the stage in which they were due.
struct StageRecorder {
    /// The outcomes of the messages of a stage.
    final class Stage {
        var tally = LoadTally()
        /// The latencies in nanoseconds.
        var latencies = Histogram()
        // The delays of this end, as in ``TimeMeasure``.
        var delay = Histogram()
        var lag = Histogram()
    }

    /// The stages in order.
    let stages: [Stage]
    /// The end of each stage, on the loop's clock in nanoseconds.
    private let ends: [UInt64]

    /// Prepares to record stages.
    /// - Parameter start: The start of the first stage, on the loop's clock in nanoseconds.
    init(_ stages: LoadStages, from start: UInt64) {
        ends = stages.ends.map { start + $0 }
        self.stages = ends.map { _ in Stage() }
    }

    /// The stage in which a message was due. A message due after the last stage belongs to it.
    func stage(at time: UInt64) -> Stage { stages[ends.firstIndex { time < $0 } ?? stages.count - 1] }

    /// The results so far.
    /// - Parameter hasLatencies: Whether messages have latencies.
    func results(hasLatencies: Bool) -> [PartResults] {
        stages.enumerated().map { index, stage in
            var part = PartResults(name: PartResults.stageName(index))
            part.sent = stage.tally.sent
            part.received = stage.tally.received
            part.mismatched = stage.tally.mismatched
            part.lost = stage.tally.lost
            part.timeouts = stage.tally.errors[.timeout]
            if hasLatencies { part.latencies = StoredHistogram(stage.latencies) }
            if stage.delay.totalCount > 0 { part.ownDelays[.delay] = StoredHistogram(stage.delay) }
            if stage.lag.totalCount > 0 { part.ownDelays[.lag] = StoredHistogram(stage.lag) }
            return part
        }
    }

    /// Calls `body` with each stage and its end. The last one has no end.
    func forEach(_ body: (_ stage: Stage, _ end: UInt64) -> Void) {
        for (index, stage) in stages.enumerated() { body(stage, index == stages.count - 1 ? .max : ends[index]) }
    }
}
