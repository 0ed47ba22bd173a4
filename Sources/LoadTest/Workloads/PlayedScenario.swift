import Conversation
import WSCore

/// A scenario as a thread plays it, and its results.
internal final class PlayedScenario {
    let scenario: Scenario
    /// The name, or `nil` if there are no other scenarios.
    let name: String?
    /// The index of the first step of an iteration that waits for the peer, or `nil` if there is none.
    let firstWait: Int?
    private let context: LoadContext
    /// The record of each step. Steps with equal names share one.
    private let records: [PartRecorder]
    /// Whether each step is part of the results even if it has no faults: it waits for the peer, or has a name.
    private let isListed: [Bool]
    /// The record of the iterations, or `nil` if there are no other scenarios: then the run itself is one.
    private let iterations: PartRecorder?

    init(_ plan: LoadScenario, in context: LoadContext) {
        self.context = context
        scenario = plan.compile()
        name = plan.name
        iterations = plan.name.map { PartRecorder(name: $0, isNamed: true) }
        var recorders: [String: PartRecorder] = [:]
        firstWait = scenario.steps[scenario.repeatStart...].firstIndex { $0.action.waitsForPeer }
        isListed = scenario.steps.map { $0.name != nil || $0.action.waitsForPeer }
        records = scenario.steps.map { step in
            let name = LoadScenario.join(plan.name, step.name ?? "line \(step.line)")
            let record = recorders[name] ?? PartRecorder(name: name, isNamed: step.name != nil)
            recorders[name] = record
            return record
        }
        iterations?.counts.isScenario = true
        if let iterations { list(iterations) }
        for (record, isListed) in zip(records, isListed) where isListed { list(record) }
    }

    /// Adds a record to the results, unless it is there.
    private func list(_ record: PartRecorder) {
        if !context.measurement.steps.contains(where: { $0 === record }) { context.measurement.steps.append(record) }
    }

    /// Records a step that has passed.
    /// - Parameters:
    ///   - connection: The number of its connection.
    ///   - nanoseconds: Its latency.
    ///   - wait: The part of it before the iteration started, in nanoseconds.
    ///   - reply: The messages that it has waited for, if they may be several.
    func passed(
        _ step: Int, on connection: UInt64, nanoseconds: UInt64, after wait: UInt64, reply: ReplyStream?
    ) {
        guard isListed[step] else { return }
        records[step].passed(nanoseconds: nanoseconds, inSecond: context.measurement.second(at: context.now))
        if records[step].recordsLatencies, context.measurement.counts(context.now - nanoseconds) {
            context.measurement.sample(
                nanoseconds, on: connection, sentAt: context.now - nanoseconds, after: wait,
                step: records[step].counts.name)
        }
        if let reply { records[step].received(reply, since: context.now - nanoseconds) }
    }

    /// Counts a step that has failed.
    /// - Parameter endsIteration: Whether an iteration that counts has failed with it.
    func failed(_ failure: ScenarioFailure, endsIteration: Bool) {
        records[failure.step].failed(failure.reason.outcome)
        list(records[failure.step])
        if endsIteration { iterations?.failed(failure.reason.outcome) }
    }

    /// Records an iteration that has passed.
    /// - Parameters:
    ///   - connection: The number of its connection.
    ///   - time: When it was due, on the loop's clock in nanoseconds.
    ///   - wait: How much later it started, in nanoseconds.
    func iterationPassed(on connection: UInt64, dueAt time: UInt64, after wait: UInt64) {
        let now = context.now
        context.measurement.answered(on: connection, sentAt: time, after: wait, now: now, as: name)
        guard let iterations, context.measurement.counts(time) else { return }
        iterations.passed(nanoseconds: now > time ? now - time : 0, inSecond: context.measurement.second(at: now))
    }
}

extension ScenarioFailure.Reason {
    /// The count of ``PartResults`` for a step that fails for this reason.
    fileprivate var outcome: WritableKeyPath<PartResults, Int> {
        switch self {
        case .timedOut, .closed(.unanswered, _, _): \.timeouts
        case .closed: \.lost
        default: \.mismatched
        }
    }
}
