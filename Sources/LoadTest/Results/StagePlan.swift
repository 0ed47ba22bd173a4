import WSCore

/// The stages that a load was to have, as recorded in its results.
package struct StagePlan: Equatable, Sendable {
    /// The quantity that changes, with the name of its target in JSON.
    package enum Quantity: String, Sendable {
        /// The number of active connections.
        case connections = "target_connections"
        /// The number of messages per second.
        case rate = "target_rate"
    }

    /// The quantity that changes.
    package let quantity: Quantity
    /// The stages in order.
    package internal(set) var stages: [LoadStages.Stage]

    /// The number, from 1, of the stage at a time after the start of the load.
    package func number(at time: Duration) -> Int {
        var end = Duration.zero
        for (index, stage) in stages.enumerated() {
            end += stage.duration
            if time < end { return index + 1 }
        }
        return stages.count
    }

    /// The stages of two simultaneous runs together, or `nil` if they differ in anything but their targets.
    internal func joined(with other: StagePlan) throws(BenchResultsError) -> StagePlan? {
        guard quantity == other.quantity, stages.map(\.duration) == other.stages.map(\.duration) else { return nil }
        var joined = self
        for index in stages.indices {
            joined.stages[index].target = try stages[index].target.adding(checking: other.stages[index].target)
        }
        return joined
    }
}

extension LoadPlan {
    /// The names of the stages in results.
    package var stageNames: [String] { (allStages?.stages.indices ?? 0..<0).map { PartResults.stageName($0) } }

    /// The stages for the results, or `nil` if there are none.
    internal var stagePlan: StagePlan? {
        allStages.map { StagePlan(quantity: connections.stages == nil ? .rate : .connections, stages: $0.stages) }
    }
}

extension BenchResults {
    /// The rate in a stage, in messages per second. In a run that was cut short, the stage may be shorter than planned.
    /// - Parameter index: The index of the stage.
    package func rate(ofStage index: Int) -> Double {
        guard let plan = description.stages?.stages, plan.indices.contains(index), stages.indices.contains(index) else {
            return 0
        }
        let start = plan[..<index].reduce(Duration.zero) { $0 + $1.duration }
        let length = min(plan[index].duration, duration - start)
        return length > .zero ? Double(stages[index].count(in: description.mode)) / (length / .seconds(1)) : 0
    }
}

extension PartResults {
    /// The number of messages that a mode's rate counts.
    fileprivate func count(in mode: BenchMode) -> Int { mode.metrics.rate.of(sent: sent, received: received) }
}
