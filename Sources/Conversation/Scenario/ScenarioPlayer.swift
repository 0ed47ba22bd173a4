import Formats
import WSCore

/// Plays a scenario on one connection, without I/O.
///
///     start ─► opening steps ─► between iterations ─► step ─► … ─► the last step ─► over
///                                       ▲               │ timeout, unexpected end, mismatch  │
///                                       └───────────────┼────────────────────────────────────┘
///                                                       └──► failed
///
/// It stays between iterations until ``advance(at:_:)`` is called, so the caller decides when an iteration starts.
/// Without repetition, all steps are one iteration, which starts at once.
///
/// A step that waits takes messages in their order, including those that arrived since the previous step that waited.
/// The same holds for pings and pongs.
///
/// As the peer, the player takes every message for the current step. It waits without time limits, because the client
/// determines the pace, and a message of the client ends a pause.
///
/// Received frames only end steps that wait for them. After that, ``advance(at:_:)`` continues.
package struct ScenarioPlayer: ~Copyable {
    /// The progress of the scenario.
    package enum Phase: Equatable {
        /// Not started yet.
        case notStarted
        /// In the step with this index.
        case step(Int)
        /// Before the first step of an iteration. Only if the scenario is repeated.
        case betweenIterations
        /// The last step has ended, and the scenario is not repeated on this connection.
        case over
        /// A step has failed.
        case failed(ScenarioFailure)
    }

    private let scenario: Scenario
    private let defaultTimeout: Duration
    private let repeats: Bool
    private var messages: ScenarioMessages
    /// The current phase.
    package private(set) var phase = Phase.notStarted
    /// When the current step has to be continued, on the clock of the calls, in nanoseconds; `nil` if it is not waiting
    /// for a time.
    package private(set) var deadline: UInt64?
    /// When the current step began, on the clock of the calls, in nanoseconds.
    package private(set) var stepStart: UInt64 = 0
    private var waiting = WaitingFrames()
    /// The last step that takes messages: -1 if there is none, or the maximum if it occurs again and again.
    private let lastReceivingStep: Int
    /// Whether no step of the current iteration has taken anything from the peer, so the peer may leave.
    private var isIterationUntouched = false
    /// Whether this end has started the closing handshake, or the connection has ended.
    private var isClosing = false

    /// Prepares a connection.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - defaultTimeout: The time limit of steps that have none of their own.
    ///   - repeats: Whether the scenario is repeated on the connection after its last step.
    ///   - clockOffset: The offset from the clock of the calls to the time since 1970, in nanoseconds.
    ///   - seed: Determines random placeholders and pauses.
    package init(
        _ scenario: Scenario, connection number: UInt64, defaultTimeout: Duration, repeats: Bool, clockOffset: UInt64,
        seed: UInt64
    ) {
        self.scenario = scenario
        self.defaultTimeout = defaultTimeout
        self.repeats = repeats
        let last = scenario.steps.lastIndex { step in if case .receive = step.action { true } else { false } }
        lastReceivingStep = repeats && !scenario.endsConnection ? .max : last ?? -1
        messages = ScenarioMessages(
            of: scenario, StampSource(connection: number, clockOffset: clockOffset, seed: seed))
    }

    /// The variables of the connection.
    package var variables: TemplateVariables {
        _read { yield messages.variables }
        _modify { yield &messages.variables }
    }

    // MARK: Events

    /// Starts with the first step, or waits for the first iteration if no step precedes it.
    package mutating func start(at now: UInt64, _ port: some Port) {
        proceed(to: 0, at: now)
        performSteps(at: now, port)
    }

    /// Handles a received message. Sends nothing.
    /// - Parameters:
    ///   - kind: The kind of the message as received, before it was decoded.
    ///   - line: The text that whole messages are compared with instead of the payload, which the paths of
    ///     matchers refer to, or `nil` for the payload.
    package mutating func received(
        _ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]? = nil, at now: UInt64, _ port: some Port
    ) {
        switch phase {
        case .failed: return
        case .over: return failIfPeer(because: .afterLastStep)
        case .step(let index) where index > lastReceivingStep && !scenario.playsPeer: return port.messageSkipped()
        case .step(let index):
            // Usually a step is waiting for the message, which need not be copied.
            if waiting.isEmpty, case .receive(let expectation) = scenario.steps[index].action {
                return receive(payload, as: kind, shownAs: line, expectation, in: index, at: now, port)
            }
        case .betweenIterations:
            let byteCount = payload.byteCount + (line?.count ?? 0)
            while !waiting.hasRoom(for: byteCount), waiting.takeFirst() != nil { port.messageSkipped() }
        case .notStarted: break
        }
        guard waiting.append(payload, as: kind, shownAs: line) else {
            let index = if case .step(let index) = phase { index } else { 0 }
            return fail(.tooMuchWaits(byteCount: WaitingFrames.mostBytes), in: index)
        }
        takeMessages(at: now, port)
    }

    /// Handles an event of the application protocol. Sends nothing.
    package mutating func received(_ event: ProtocolEvent, at now: UInt64, _ port: some Port) {
        switch event.role {
        case .hidden, .notice: break
        case .event, .reply, .refusal:
            received(
                event.payload.span.bytes, as: event.isText ? .text : .binary, shownAs: event.line, at: now, port)
        }
    }

    /// Handles a received ping or pong. Sends nothing.
    package mutating func received(control opcode: Opcode, at now: UInt64, _ port: some Port) {
        if opcode == .ping { waiting.pingCount += 1 } else { waiting.pongCount += 1 }
        takeMessages(at: now, port)
    }

    /// Handles the end of the connection.
    package mutating func connectionEnded(_ end: ScenarioFailure.Ending, at now: UInt64, _ port: some Port) {
        isClosing = true
        if scenario.playsPeer, isBetweenIterations || phase.isStep && isIterationUntouched { return finish() }
        while case .step(let index) = phase {
            switch scenario.steps[index].action {
            case .drop: endStep(index, at: now, port)
            case .close:
                guard end.completesClose else { return fail(.closed(end, expected: nil), in: index) }
                endStep(index, at: now, port)
            case .receiveClose(let expected):
                guard end.mayBeExpected, expected == nil || expected == end.code else {
                    return fail(.closed(end, expected: expected), in: index)
                }
                endStep(index, at: now, port)
            case let action:
                let skipped = messages.skippedDifference(from: action)
                return fail(.closed(end, expected: nil, skipped: skipped), in: index)
            }
        }
        if !phase.isStep { deadline = nil }
    }

    /// Handles the passing of time.
    package mutating func timePassed(at now: UInt64, _ port: some Port) {
        guard let deadline, deadline <= now, case .step(let index) = phase else { return }
        self.deadline = nil
        switch scenario.steps[index].action {
        case .pause:
            endStep(index, at: now, port)
            performSteps(at: now, port)
        case .drop:
            isClosing = true
            port.drop()
        case let action: fail(.timedOut(timeout(of: index), messages.awaited(by: action)), in: index)
        }
    }

    /// Fails the current step because the run has reached its time limit.
    package mutating func runTimedOut(after limit: Duration) {
        guard case .step(let index) = phase else { return }
        let action = scenario.steps[index].action
        fail(.runTimedOut(after: limit, action.waitsForPeer ? messages.awaited(by: action) : nil), in: index)
    }

    /// Whether the next call of ``advance(at:_:)`` starts an iteration.
    package var isBetweenIterations: Bool { phase.isBetweenIterations }

    // MARK: Steps

    private func timeout(of index: Int) -> Duration { scenario.steps[index].timeout ?? defaultTimeout }

    /// Begins a step, or waits before the first one of an iteration.
    private mutating func proceed(to index: Int, at now: UInt64) {
        guard repeats, index == scenario.repeatStart else { return begin(index, at: now) }
        phase = .betweenIterations
        deadline = nil
    }

    private mutating func begin(_ index: Int, at now: UInt64) {
        phase = .step(index)
        stepStart = now
        if index == scenario.repeatStart, scenario.hasRepetition { isIterationUntouched = true }
        messages.skipped = nil
        deadline = nil
        switch scenario.steps[index].action {
        case .send, .sendPing, .sendPong: break
        // Not at once: the frames before it leave first.
        case .drop: deadline = now
        case .receive, .receivePing, .receivePong, .receiveClose, .close:
            if scenario.playsPeer {
                if case .receive = scenario.steps[index].action { messages.stamps.next.sequence += 1 }
            } else {
                deadline = now &+ UInt64(max(0, timeout(of: index) / .nanoseconds(1)))
            }
        case .pause(let range):
            let (least, most) = (range.lowerBound / .nanoseconds(1), range.upperBound / .nanoseconds(1))
            let share = messages.stamps.randomShare()
            deadline = now &+ UInt64(max(0, least + (most - least) * share))
        }
    }

    /// Performs steps until one has to wait, or until the end of the iteration. Between iterations, starts the next
    /// one. Before the first step, starts unless the server still has to confirm the login.
    package mutating func advance(at now: UInt64, _ port: some Port) {
        switch phase {
        case .notStarted: if port.pipeline?.isReady ?? true { proceed(to: 0, at: now) }
        case .betweenIterations: begin(scenario.repeatStart, at: now)
        case .step, .over, .failed: break
        }
        performSteps(at: now, port)
    }

    private mutating func performSteps(at now: UInt64, _ port: some Port) {
        takeMessages(at: now, port)
        while case .step(let index) = phase {
            do throws(ScenarioFailure.Reason) {
                guard try perform(index, at: now, port) else { return }
                endStep(index, at: now, port)
            } catch {
                return fail(error, in: index)
            }
            takeMessages(at: now, port)
        }
    }

    /// Ends the steps that wait for messages, pings, and pongs that have arrived.
    private mutating func takeMessages(at now: UInt64, _ port: some Port) {
        while case .step(let index) = phase {
            switch scenario.steps[index].action {
            case .receive(let expectation):
                guard let message = waiting.takeFirst() else { return }
                receive(
                    message.payload.span.bytes, as: message.kind, shownAs: message.line, expectation, in: index,
                    at: now, port)
                continue
            case .receivePing:
                guard waiting.pingCount > 0 else { return }
                waiting.pingCount -= 1
            case .receivePong:
                guard waiting.pongCount > 0 else { return }
                waiting.pongCount -= 1
            case .pause:
                guard scenario.playsPeer, !waiting.isEmpty else { return }
                endStep(index, at: now, port)
                continue
            case .send, .sendPing, .sendPong, .close, .drop, .receiveClose: return
            }
            isIterationUntouched = false
            endStep(index, at: now, port)
        }
    }

    /// Passes a message to a step that waits for one.
    private mutating func receive(
        _ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]?, _ expectation: Scenario.Expectation,
        in index: Int, at now: UInt64, _ port: some Port
    ) {
        messages.stamps.update(at: now)
        do throws(ScenarioFailure.Reason) {
            guard try messages.takes(payload, as: kind, shownAs: line, expectation) else {
                return port.messageSkipped()
            }
        } catch {
            return fail(error, in: index)
        }
        isIterationUntouched = false
        endStep(index, at: now, port)
    }

    /// Carries out a step that sends. Returns whether it has ended.
    private mutating func perform(
        _ index: Int, at now: UInt64, _ port: some Port
    ) throws(ScenarioFailure.Reason) -> Bool {
        switch scenario.steps[index].action {
        case .send(let message): return try send(message, at: now, port)
        case .sendPing(let payload): return port.send(control: .ping, payload.span.bytes)
        case .sendPong(let payload): return port.send(control: .pong, payload.span.bytes)
        case .close(let frame):
            if !isClosing { isClosing = port.close(frame) }
            return false
        case .drop, .receive, .receivePing, .receivePong, .receiveClose, .pause: return false
        }
    }

    /// Sends a message. If the connection is closing, its end fails the step.
    private mutating func send(
        _ message: Scenario.Message, at now: UInt64, _ port: some Port
    ) throws(ScenarioFailure.Reason) -> Bool {
        try messages.compose(message, at: now) { (payload) throws(ScenarioFailure.Reason) in
            guard let pipeline = port.pipeline else { return port.send(payload, as: message.kind) }
            guard port.takesMessages else { return false }
            do throws(ProtocolInputError) {
                // Replies are messages for the steps.
                return try pipeline.submit(payload, as: message.kind, wantsReply: true, at: now) {
                    port.send($0, as: $1)
                }.isSent
            } catch {
                throw .unsendable(error.description)
            }
        }
    }

    private mutating func endStep(_ index: Int, at now: UInt64, _ port: some Port) {
        port.stepEnded(index, nanoseconds: now &- stepStart)
        guard index + 1 == scenario.steps.count else { return proceed(to: index + 1, at: now) }
        port.iterationEnded()
        guard repeats, !isClosing else { return finish() }
        proceed(to: scenario.repeatStart, at: now)
    }

    private mutating func finish() {
        phase = .over
        deadline = nil
        if !waiting.isEmpty { failIfPeer(because: .afterLastStep) }
    }

    /// Fails in the last step if the client has sent a message after it.
    private mutating func failIfPeer(because reason: ScenarioFailure.Reason) {
        if scenario.playsPeer, !isClosing { fail(reason, in: scenario.steps.count - 1) }
    }

    private mutating func fail(_ reason: ScenarioFailure.Reason, in index: Int) {
        let step = scenario.steps[index]
        phase = .failed(ScenarioFailure(step: index, name: step.name, line: step.line, reason: reason))
        deadline = nil
    }
}

extension ScenarioPlayer.Phase {
    fileprivate var isStep: Bool { if case .step = self { true } else { false } }
    fileprivate var isBetweenIterations: Bool { if case .betweenIterations = self { true } else { false } }
}
