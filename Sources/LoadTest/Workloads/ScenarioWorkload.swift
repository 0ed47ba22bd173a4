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
    private let mix: ScenarioMix
    private let scenarios: [PlayedScenario]
    var patterns: [Pattern] { scenarios.flatMap(\.scenario.patterns) + context.factory.patterns }
    /// When iterations became interruptible, on the loop's clock in nanoseconds, or `nil` if they are not.
    private(set) var sendingEnd: UInt64?

    /// Creates a workload that plays the plan's scenarios on all connections.
    init(_ context: LoadContext) {
        self.context = context
        guard let mix = context.plan.conversation.scenarios else { preconditionFailure("the plan has no scenario") }
        self.mix = mix
        scenarios = mix.scenarios.map { PlayedScenario($0, in: context) }
    }

    @Sendable
    fileprivate static func problem(of plan: LoadPlan) -> LoadPlanProblem? {
        guard let scenarios = plan.conversation.scenarios?.scenarios else {
            return LoadPlanProblem(option: "--mode scenario", reason: "no file is given; add --scenario FILE")
        }
        guard plan.conversation.exchange?.ready == nil, plan.conversation.exchange?.firstMessages.isEmpty != false
        else {
            return LoadPlanProblem(
                option: "--scenario",
                reason: "--first-message and --ready need another mode; add steps and 'repeat' to the scenario")
        }
        guard let scenario = scenarios.first(where: { $0.openingCloseLine != nil }),
            let line = scenario.openingCloseLine
        else { return nil }
        return LoadPlanProblem(
            option: "--scenario",
            reason: (scenario.name.map { "\(escapingControls($0)): " } ?? "")
                + "line \(line) closes the connection before 'repeat', so nothing is repeated; move 'repeat' up")
    }

    // MARK: Connections

    func makeConnection(_ number: UInt64) -> any LoadHandler {
        ScenarioConnection(number, playing: scenarios[mix.index(of: number)], of: self)
    }

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

    // MARK: End

    /// The time limit for replies. With a number of iterations, the time that one takes at most, and a second for timers
    /// that are late.
    var replyWait: Duration {
        let timeout = context.plan.replies.timeout
        guard context.plan.duration == nil else { return timeout }
        return (scenarios.map { $0.scenario.longestIteration(timeout: timeout) }.max() ?? timeout) + .seconds(1)
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
