import Conversation
import WSCore

/// A connection that plays a scenario.
internal final class ScenarioConnection: LoadConnection, LoadHandler {
    private let workload: ScenarioWorkload
    private let played: PlayedScenario
    private(set) var player: ScenarioPlayer
    /// Whether the opening steps have passed.
    private(set) var isReady = false
    /// Whether a step has failed, or the end of the load has interrupted an iteration.
    private var isOver = false
    /// Whether the load has reached it, which a ramp delays.
    private var hasStarted = false
    /// When the current iteration was due, on the loop's clock in nanoseconds, or `nil` between iterations.
    private var dueTime: UInt64?
    /// When the current iteration started, on the loop's clock in nanoseconds.
    private var startTime: UInt64 = 0

    init(_ number: UInt64, playing played: PlayedScenario, of workload: ScenarioWorkload) {
        self.workload = workload
        self.played = played
        let context = workload.context
        player = ScenarioPlayer(
            played.scenario, connection: number + 1, defaultTimeout: context.plan.replies.timeout, repeats: true,
            clockOffset: context.factory.clockOffset, seed: context.connections.seed(of: number))
        context.factory.prepare(&player.variables, of: number)
        super.init(number, in: context)
    }

    // MARK: Playing

    /// Plays the opening steps, unless the opening of an application protocol precedes them.
    func start() {
        guard pipeline?.isReady ?? true, player.phase == .notStarted else { return }
        if played.scenario.repeatStart > 0 { context.connections.unready.insert(number) }
        player.start(at: context.now, ScenarioPort(connection: self))
        settle()
    }

    override func becameReady(in context: LoadContext) { start() }

    override var hasNext: Bool { isReady && player.isBetweenIterations && hasRoom }

    /// Whether it can start another iteration, now or after the current one.
    var mayStartIteration: Bool {
        guard port != nil, !isClosing, !isRetiring, !isOver else { return false }
        switch player.phase {
        case .notStarted, .betweenIterations: return true
        case .step: return dueTime == nil || !played.scenario.endsConnection
        case .over, .failed: return false
        }
    }

    /// Starts an iteration.
    override func send(dueAt time: UInt64) -> Bool {
        guard hasNext else { return false }
        hasStarted = true
        begin(dueAt: time)
        settle()
        return true
    }

    private func begin(dueAt time: UInt64) {
        dueTime = time
        startTime = context.now
        player.advance(at: context.now, ScenarioPort(connection: self))
    }

    override var deadline: UInt64? {
        // An interrupted iteration leaves the deadline of its step.
        guard !isOver, let deadline = player.deadline else { return super.deadline }
        return super.deadline.map { min($0, deadline) } ?? deadline
    }

    override func timePassed() {
        super.timePassed()
        guard !isOver else { return }
        player.timePassed(at: context.now, ScenarioPort(connection: self))
        settle()
    }

    /// Carries out the steps that follow what was received.
    private func advance() {
        if case .step = player.phase { player.advance(at: context.now, ScenarioPort(connection: self)) }
        settle(hasReceived: true)
    }

    // MARK: Outcomes

    /// Handles what the player has reached: a deadline, the end of an iteration, or a failure.
    /// - Parameter hasReceived: Whether something was received. If not, a scenario that never waits would not return.
    private func settle(hasReceived: Bool = false) {
        defer { context.awaitDeadline(of: self) }
        // A step has sent a line, and the workload is still sending.
        if pipeline?.hasEffects ?? false { context.host?.fillInNextTurn(self) }
        switch player.phase {
        case .notStarted, .over: break
        case .step: if workload.sendingEnd != nil { interruptPause() }
        case .failed(let failure): fail(failure)
        case .betweenIterations:
            guard isReady else { return becomeReady() }
            startNextIteration(hasReceived: hasReceived)
        }
    }

    private func becomeReady() {
        isReady = true
        if context.connections.unready.contains(number) { context.becameReady(self) }
        context.startHeartbeats(on: self)
    }

    /// Starts the next iteration if it is due.
    private func startNextIteration(hasReceived: Bool) {
        guard context.phase == .loading else { return context.host?.closeIfAnswered() ?? () }
        guard context.staysBusy(self) else { return }
        guard hasReceived else { return context.host?.fillInNextTurn(self) ?? () }
        guard hasStarted, let time = context.nextDueTime(of: self) else { return context.drainIfSent() }
        begin(dueAt: time)
        context.countSent(dueAt: time)
        if context.remainingMessages == 0 { context.drainIfSent() }
        if player.isBetweenIterations {
            context.host?.fillInNextTurn(self)
        } else {
            settle()
        }
    }

    fileprivate func stepPassed(_ step: Int, nanoseconds: UInt64, reply: ReplyStream?) {
        guard countsSteps() else { return }
        let wait = step == played.firstWait ? wait : 0
        played.passed(step, on: number, nanoseconds: nanoseconds + wait, after: wait, reply: reply)
    }

    fileprivate func iterationPassed() {
        if let dueTime { played.iterationPassed(on: number, dueAt: dueTime, after: wait) }
        endIteration()
    }

    private func endIteration() {
        if let dueTime, context.openLoop != nil {
            context.measurement.freed(since: startTime, now: context.now, dueAt: dueTime)
        }
        dueTime = nil
    }

    /// Interrupts the iteration if it is in a pause.
    func interruptPause() {
        guard case .step(let index) = player.phase else { return }
        if case .pause = played.scenario.steps[index].action { interrupt() }
    }

    /// Interrupts the iteration if its current step began after a time, on the loop's clock in nanoseconds.
    func interrupt(after time: UInt64) {
        guard case .step = player.phase, player.stepStart > time else { return }
        interrupt()
    }

    private func interrupt() {
        guard let time = dueTime else { return }
        context.measurement.count(\.interrupted, ofMessageAt: time)
        dueTime = nil
        isOver = true
        guard port != nil, !isClosing else { return }
        context.host?.close(self)
        context.host?.closeIfAnswered()
    }

    /// Counts a message that no step has taken.
    fileprivate func skippedMessage() {
        context.reportUndecodable(on: self)
        if countsSteps() { context.measurement.count(\.pushes, ofMessageAt: context.now) }
    }

    /// How late the current iteration started, in nanoseconds. It is the server's doing if the connection was busy.
    private var wait: UInt64 { dueTime.map { startTime > $0 ? startTime - $0 : 0 } ?? 0 }

    /// Whether the steps are part of the results. The opening steps always are.
    private func countsSteps() -> Bool {
        dueTime.map { context.measurement.counts($0) } ?? true
    }

    /// Counts a failure, and replaces the connection.
    private func fail(_ failure: ScenarioFailure) {
        guard !isOver else { return }
        isOver = true
        var failure = failure
        failure.scenario = played.name
        switch failure.reason {
        case .wrong, .unexpected: context.reportUndecodable(on: self)
        default: break
        }
        // The end of the run is no fault of an opening step.
        guard dueTime != nil || !isClosing else { return }
        if countsSteps(), dueTime != nil || !isRetiring {
            played.failed(failure, endsIteration: dueTime != nil)
        }
        if !isClosing { context.host?.stepFailed(failure, isOpening: !isReady) }
        switch (failure.reason, dueTime) {
        case (.timedOut, let time?):
            context.measurement.count(\.lost, ofMessageAt: time)
            // Errors also count during the warm-up.
            if context.measurement.counts(time) {
                context.measurement.count(\.errors[.timeout], ofMessageAt: time)
            } else {
                context.measurement.tally.errors[.timeout] += 1
            }
        case (.closed, let time?): context.measurement.count(\.lost, ofMessageAt: time)
        case (_, let time?): context.measurement.count(\.mismatched, ofMessageAt: time)
        case (.timedOut, nil): context.measurement.tally.errors[.timeout] += 1
        // The end of the connection is counted as such.
        case (.closed, nil): break
        case (_, nil): context.measurement.tally.errors[.login] += 1
        }
        endIteration()
        if port != nil, !isClosing { context.host?.close(self) }
    }

    // MARK: Replies

    override var isAnswered: Bool { dueTime == nil }
    override var inFlightCount: Int { dueTime == nil ? 0 : 1 }

    // MARK: Events

    func connection(_ connection: Connection<ScenarioConnection>, received payload: RawSpan, as kind: MessageKind) {
        receive(payload, as: kind)
    }

    func connection(_ connection: Connection<ScenarioConnection>, receivedPing payload: RawSpan) {
        receive(.ping)
    }

    func connection(_ connection: Connection<ScenarioConnection>, receivedPong payload: RawSpan) {
        receive(.pong)
    }

    func connection(_ connection: Connection<ScenarioConnection>, didEnd end: ConnectionEnd) {
        context.now = connection.loop.nowNanoseconds
        ended(with: ScenarioFailure.Ending(end))
        context.host?.ended(self, end)
    }

    /// Passes a message to the current step, and carries out the steps that follow.
    func receive(_ payload: RawSpan, as kind: MessageKind) {
        context.receive(payload, as: kind, on: self) { payload in
            player.received(payload, as: kind, at: context.now, ScenarioPort(connection: self))
            advance()
        }
    }

    override var isLoggingIn: Bool { !isReady }
    override var takesRefusals: Bool { true }
    /// The messages of an application protocol are events for the steps.
    override var takesUndecodable: Bool {
        context.plan.conversation.applicationProtocol == nil
    }

    override func received(_ event: ProtocolEvent, in context: LoadContext) {
        player.received(event, at: context.now, ScenarioPort(connection: self))
    }

    override func proceed(in context: LoadContext) {
        advance()
    }

    /// Passes a ping or pong to the current step, and carries out the steps that follow.
    func receive(_ control: Opcode) {
        player.received(control: control, at: context.now, ScenarioPort(connection: self))
        advance()
    }

    /// Handles the end of the connection.
    func ended(with end: ScenarioFailure.Ending) {
        let wasInStep = if case .step = player.phase { true } else { false }
        player.connectionEnded(end, at: context.now, ScenarioPort(connection: self))
        if case .failed(let failure) = player.phase {
            fail(failure)
            // The end of the connection is counted as a timeout.
            if failure.reason.isUnansweredClose { state = .ending }
        } else if wasInStep {
            state = .ending
        }
    }
}

/// The output of a connection for its player.
private struct ScenarioPort: ScenarioPlayer.Port {
    let connection: ScenarioConnection

    var pipeline: Pipeline? { connection.pipeline }
    var takesMessages: Bool { connection.takesMessages }
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { connection.transmit(payload, as: kind) }
    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool {
        (opcode == .ping ? connection.port?.sendPing(payload) : connection.port?.sendPong(payload)) ?? false
    }
    func close(_ frame: CloseFrame) -> Bool { connection.port?.close(frame) ?? false }

    func drop() {
        connection.beginClosing()
        connection.port?.terminate()
    }

    func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) {
        connection.stepPassed(index, nanoseconds: nanoseconds, reply: reply)
    }
    func messageSkipped() { connection.skippedMessage() }
    func iterationEnded() { connection.iterationPassed() }
}
