import Conversation
import Formats
import WSCore

extension BenchMode {
    /// Plays a scenario again and again.
    package static let scenario = BenchMode(
        name: "scenario",
        summary: "play the steps of a file on each connection",
        manual: """
            Play the scenario of `--scenario` on each connection, again and again or at `--rate` iterations per \
            second. The latency is the duration of an iteration. Results list each step that waits. See SCENARIOS.
            """,
        options: [
            .connectRate, .messages, .rate, .ramp, .think, .lifetime, .stages, .replyTimeout, .heartbeatMessage,
            .applicationProtocol,
        ],
        ownOptions: [.scenario],
        wording: ModeWording(
            title: "Scenario test", titleNamesMessages: false, countedThings: "iterations",
            sentThings: "iterations", sentVerb: "started", receivedVerb: "passed",
            expectation: "each step must receive its message in time"),
        metrics: ModeMetrics(accountsForAllSent: true),
        load: ModeLoad(),
        problem: ScenarioWorkload.problem,
        makeWorkload: { ScenarioWorkload($0) })
}

/// Plays the iterations of a scenario on all connections. An iteration takes the place of a message.
///
///      open ─► opening steps ─► between iterations ◄─► iteration
///       ▲                 │ failed                       │ failed, or the connection ended
///       └── 1 s ──────────┴◄─────────────────────────────┘
internal final class ScenarioWorkload: Workload {
    let context: LoadContext
    let scenario: Scenario
    var patterns: [Pattern] { scenario.patterns + context.factory.patterns }
    /// The record of each step. Steps with equal names share one.
    private let records: [PartRecorder]
    /// Whether each step is part of the results even if it has no faults: it waits for the peer, or has a name.
    private let isListed: [Bool]
    /// The index of the first step of an iteration that waits for the peer, or `nil` if there is none.
    let firstWait: Int?
    /// When iterations became interruptible, on the loop's clock in nanoseconds, or `nil` if they are not.
    private(set) var sendingEnd: UInt64?

    /// Creates a workload that plays the plan's scenario on all connections.
    init(_ context: LoadContext) {
        self.context = context
        guard let plan = context.plan.conversation.scenario else { preconditionFailure("the plan has no scenario") }
        scenario = plan.compile()
        var recorders: [String: PartRecorder] = [:]
        firstWait = scenario.steps[scenario.repeatStart...].firstIndex { $0.action.waitsForPeer }
        isListed = scenario.steps.map { $0.name != nil || $0.action.waitsForPeer }
        records = scenario.steps.map { step in
            let name = step.name ?? "line \(step.line)"
            let record = recorders[name] ?? PartRecorder(name: name, isNamed: step.name != nil)
            recorders[name] = record
            return record
        }
        for (record, isListed) in zip(records, isListed) where isListed { list(record) }
    }

    /// Adds a record to the results, unless it is there.
    private func list(_ record: PartRecorder) {
        if !context.measurement.steps.contains(where: { $0 === record }) { context.measurement.steps.append(record) }
    }

    @Sendable
    fileprivate static func problem(of plan: LoadPlan) -> LoadPlanProblem? {
        guard let scenario = plan.conversation.scenario else {
            return LoadPlanProblem(option: "--mode scenario", reason: "no file is given; add --scenario FILE")
        }
        guard plan.conversation.exchange?.ready == nil, plan.conversation.exchange?.firstMessages.isEmpty != false
        else {
            return LoadPlanProblem(
                option: "--scenario",
                reason: "--first-message and --ready need another mode; add steps and 'repeat' to the scenario")
        }
        guard let line = scenario.openingCloseLine else { return nil }
        return LoadPlanProblem(
            option: "--scenario",
            reason: "line \(line) closes the connection before 'repeat', so nothing is repeated; move 'repeat' up")
    }

    // MARK: Connections

    func makeConnection(_ number: UInt64) -> any LoadHandler { ScenarioConnection(number, of: self) }

    func opened(_ connection: LoadConnection) {
        (connection as? ScenarioConnection)?.start()
    }

    /// Opens a connection in place of one that has ended, if iterations are left for it.
    func ended(_ connection: LoadConnection) {
        context.remember(connection)
        guard let connection = connection as? ScenarioConnection, context.stillNeeds(connection.number) else { return }
        guard hasIterations(for: connection) else { return context.connections.reopening[connection.number] = nil }
        context.reopen(connection, after: connection.isReady ? .zero : LoadContext.retryDelay)
    }

    /// Whether more iterations are left than the other connections start. A surplus connection would leave the server
    /// in the middle of its scenario.
    private func hasIterations(for connection: LoadConnection) -> Bool {
        let (number, remaining) = (connection.number, context.remainingMessages)
        let reopening = context.connections.reopening
        guard connection.backlog.isEmpty, reopening[number]?.isEmpty ?? true, remaining <= context.connectionCount
        else { return true }
        // Some of these are open, but not ready. The connection itself is one of them if it was never ready.
        var count = reopening.count - (reopening[number] == nil ? 0 : 1)
        for case let other as ScenarioConnection in context.connections.values where count < remaining {
            if other !== connection, reopening[other.number] == nil, other.mayStartIteration { count += 1 }
        }
        return count < remaining
    }

    // MARK: Steps

    /// Records a step that has passed.
    /// - Parameters:
    ///   - connection: The number of its connection.
    ///   - reply: The messages that it has waited for, if they may be several.
    func passed(_ step: Int, on connection: UInt64, nanoseconds: UInt64, reply: ReplyStream?) {
        guard isListed[step] else { return }
        records[step].passed(nanoseconds: nanoseconds, inSecond: context.measurement.second(at: context.now))
        if records[step].recordsLatencies, context.measurement.counts(context.now - nanoseconds) {
            context.measurement.sample(
                nanoseconds, on: connection, sentAt: context.now - nanoseconds, step: records[step].counts.name)
        }
        if let reply { records[step].received(reply, since: context.now - nanoseconds) }
    }

    /// Counts a step that has failed.
    func failed(_ failure: ScenarioFailure) {
        records[failure.step].failed(failure.reason.outcome)
        list(records[failure.step])
    }

    // MARK: End

    /// The time limit for replies. With a number of iterations, the time that one takes at most, and a second for timers
    /// that are late.
    var replyWait: Duration {
        let timeout = context.plan.replies.timeout
        return context.plan.duration == nil ? scenario.longestIteration(timeout: timeout) + .seconds(1) : timeout
    }

    /// Interrupts the iterations in a pause, unless they have to be completed. Later ones end when they reach a pause.
    func sendingEnded(isTimed: Bool) {
        guard isTimed else { return }
        sendingEnd = context.now
        for case let connection as ScenarioConnection in context.connections.values { connection.interruptPause() }
    }

    /// Interrupts the iterations in a step that began after the end of sending. The peer did not answer the others in
    /// time.
    func stopWaiting(isLate: Bool) {
        context.deadlinePassed()
        guard let sendingEnd else { return }
        for case let connection as ScenarioConnection in context.connections.values {
            connection.interrupt(after: sendingEnd)
        }
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
