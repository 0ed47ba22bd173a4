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
/// Steps of a group, and steps after an optional one, wait together: the first that matches takes a message.
///
/// As the peer, the player takes every message for the steps that wait. It waits without time limits, except for optional
/// messages, because the client determines the pace, and a message of the client ends a pause.
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
    /// When the time limits of the steps that wait began: later than ``stepStart`` after an optional step.
    private var waitStart: UInt64 = 0
    private var waiting = WaitingFrames()
    private var pending: PendingSteps
    /// The messages of the current step's reply, if it may consist of several.
    private var reply: ReplyStream?
    /// The last step that takes messages: -1 if there is none, or the maximum if it occurs again and again.
    private let lastReceivingStep: Int
    /// Whether no step of the current iteration has taken anything from the peer, so the peer may leave.
    private var isIterationUntouched = false
    /// How long the peer waits for an optional message without a time limit of its own.
    private static let peerTimeout = Duration.seconds(1)
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
        pending = PendingSteps(scenario.steps, boundary: repeats ? scenario.repeatStart : nil)
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
            if waiting.isEmpty, case .receive = scenario.steps[index].action {
                return receive(payload, as: kind, shownAs: line, in: index, at: now, port)
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
            case .receive where pending.isOptional(at: index):
                for step in pending.waiting(at: index) { port.stepSkipped(step) }
                leave(index, at: now, port)
            case let action:
                let skipped = messages.candidate(for: action, at: index)
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
        case .receive: expire(at: now, in: index, port)
        case let action: fail(.timedOut(timeout(of: index), messages.awaited(by: action, at: index)), in: index)
        }
    }

    /// Fails the current step because the run has reached its time limit.
    package mutating func runTimedOut(after limit: Duration) {
        guard case .step(let index) = phase else { return }
        let waits = scenario.steps[index].action.waitsForPeer
        fail(.runTimedOut(after: limit, waits ? awaited(by: index) : nil), in: index)
    }

    private func awaited(by index: Int) -> ScenarioFailure.Awaited {
        if pending.hasPart, let reply { return .replyEnd(messageCount: reply.messageCount) }
        return messages.awaited(by: scenario.steps[index].action, at: index)
    }

    /// Whether the next call of ``advance(at:_:)`` starts an iteration.
    package var isBetweenIterations: Bool { phase.isBetweenIterations }

    // MARK: Steps

    private func timeout(of index: Int) -> Duration {
        scenario.steps[index].timeout ?? (scenario.playsPeer ? Self.peerTimeout : defaultTimeout)
    }

    /// When a step that waits for a message gives up, or `nil` if never.
    private func expiry(of index: Int) -> UInt64? {
        guard !scenario.playsPeer || scenario.steps[index].isOptional else { return nil }
        return waitStart &+ UInt64(max(0, timeout(of: index) / .nanoseconds(1)))
    }

    /// Begins a step, or waits before the first one of an iteration.
    private mutating func proceed(to index: Int, at now: UInt64) {
        guard repeats, index == scenario.repeatStart else { return begin(index, at: now) }
        phase = .betweenIterations
        deadline = nil
    }

    private mutating func begin(_ index: Int, at now: UInt64) {
        phase = .step(index)
        (stepStart, waitStart) = (now, now)
        if index == scenario.repeatStart, scenario.hasRepetition { isIterationUntouched = true }
        messages.beginStep(isFirst: index == scenario.repeatStart || index == 0)
        deadline = nil
        reply = nil
        switch scenario.steps[index].action {
        case .send, .sendPing, .sendPong: break
        // Not at once: the frames before it leave first.
        case .drop: deadline = now
        case .receive: awaitMessage(at: index)
        case .receivePing, .receivePong, .receiveClose, .close:
            if !scenario.playsPeer { deadline = now &+ UInt64(max(0, timeout(of: index) / .nanoseconds(1))) }
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
            case .receive:
                guard let message = waiting.takeFirst() else { return }
                receive(
                    message.payload.span.bytes, as: message.kind, shownAs: message.line, in: index, at: now, port)
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

    // MARK: Messages

    /// Waits for the next message of a step and its group.
    private mutating func awaitMessage(at index: Int) {
        if scenario.playsPeer { messages.stamps.next.sequence += 1 }
        deadline = earliestExpiry(at: index)
    }

    /// When the first of the steps that wait with this one gives up, or `nil` if none does.
    private func earliestExpiry(at index: Int) -> UInt64? {
        guard scenario.steps[index].group != nil else { return expiry(of: index) }
        var earliest: UInt64?
        for step in pending.waiting(at: index) {
            guard let expiry = expiry(of: step) else { continue }
            earliest = min(earliest ?? expiry, expiry)
        }
        return earliest
    }

    /// Passes a message to the steps that wait for one.
    private mutating func receive(
        _ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]?, in index: Int, at now: UInt64,
        _ port: some Port
    ) {
        messages.stamps.update(at: now)
        let candidates = pending.candidates(at: index)
        for candidate in candidates where !pending.hasEnded(candidate) {
            guard case .receive(let expectation) = scenario.steps[candidate].action else { continue }
            let verdict: ScenarioMessages.Verdict
            do throws(ScenarioFailure.Reason) {
                verdict = try messages.judge(payload, as: kind, shownAs: line, expectation)
            } catch {
                // The value may come with another message.
                if error.isMissing, candidates.count > 1 { continue }
                return fail(error, in: candidate)
            }
            guard verdict != .other else { continue }
            skipSteps(from: index, to: candidate, at: now, port)
            if expectation.replyEnd != nil {
                if reply == nil { reply = ReplyStream() }
                reply?.received(at: now)
            }
            guard verdict == .expected else {
                pending.hasPart = true
                return
            }
            isIterationUntouched = false
            return endStep(candidate, at: now, port)
        }
        skip(
            WaitingFrames.Message(kind: kind, payload: payload.withUnsafeBytes { Array($0) }, line: line),
            in: index, candidates, port)
    }

    /// Leaves the optional steps before the one that takes a message. That one has waited since the first of them.
    private mutating func skipSteps(from index: Int, to candidate: Int, at now: UInt64, _ port: some Port) {
        let first = scenario.steps[candidate].group?.lowerBound ?? candidate
        guard first > index else { return }
        for step in index..<first where !pending.hasEnded(step) { port.stepSkipped(step) }
        pending.leave()
        phase = .step(first)
        waitStart = now
        deadline = earliestExpiry(at: first)
    }

    /// Skips a message that no step has taken, or fails if a step is strict.
    private mutating func skip(
        _ message: WaitingFrames.Message, in index: Int, _ candidates: Range<Int>, _ port: some Port
    ) {
        guard case .receive(let expectation) = scenario.steps[index].action else { return }
        guard expectation.isStrict else {
            messages.skip(message, expectation, in: scenario.steps[index], lastStep: candidates.upperBound - 1)
            return port.messageSkipped()
        }
        var closest: (step: Int, expectation: Scenario.Expectation, closeness: Int)?
        for candidate in candidates where !pending.hasEnded(candidate) {
            guard case .receive(let expectation) = scenario.steps[candidate].action else { continue }
            let closeness = messages.closeness(of: message, to: expectation)
            if closeness > closest?.closeness ?? -2 { closest = (candidate, expectation, closeness) }
        }
        let step = closest?.step ?? index
        fail(.unexpected(messages.difference(from: closest?.expectation ?? expectation, message)), in: step)
    }

    /// Ends the wait for the optional messages whose time is over, or fails.
    private mutating func expire(at now: UInt64, in index: Int, _ port: some Port) {
        var expired: [Int] = []
        for step in pending.waiting(at: index) {
            if let expiry = expiry(of: step), expiry <= now { expired.append(step) }
        }
        for step in expired where !scenario.steps[step].isOptional || pending.hasPart {
            return fail(.timedOut(timeout(of: step), awaited(by: step)), in: step)
        }
        var rest: Int? = index
        for step in expired {
            port.stepSkipped(step)
            rest = pending.end(step)
        }
        // The message that did not come does not count.
        if scenario.playsPeer { messages.stamps.next.sequence -= 1 }
        if let rest {
            phase = .step(rest)
            return awaitMessage(at: rest)
        }
        leave(index, at: now, port)
        performSteps(at: now, port)
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
            do throws(ProtocolInputError) {
                guard let pipeline = port.pipeline else { return try port.send(payload, as: message.kind) }
                guard port.takesMessages else { return false }
                // Replies are messages for the steps.
                let (isSent, receipt) = try pipeline.submit(payload, as: message.kind, wantsReply: true, at: now) {
                    (payload, kind) throws(ProtocolInputError) in try port.send(payload, as: kind)
                }
                if receipt.heldNumber != nil { port.lineWaits(receipt) }
                return isSent
            } catch {
                throw .unsendable(error.description)
            }
        }
    }

    private mutating func endStep(_ index: Int, at now: UInt64, _ port: some Port) {
        port.stepEnded(index, nanoseconds: now &- stepStart, reply: reply)
        if scenario.steps[index].group != nil, let rest = pending.end(index) {
            phase = .step(rest)
            return awaitMessage(at: rest)
        }
        leave(index, at: now, port)
    }

    /// Continues after a step, or after its group.
    private mutating func leave(_ index: Int, at now: UInt64, _ port: some Port) {
        pending.leave()
        let next = scenario.steps[index].group?.upperBound ?? index + 1
        guard next == scenario.steps.count else { return proceed(to: next, at: now) }
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
