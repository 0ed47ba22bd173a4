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
    /// The connection as the player sees it.
    package protocol Port {
        /// Sends a message. Returns `false` if the connection is closed.
        /// - Throws: ``ScenarioFailure/Reason/unsendable(_:)``, which fails the step.
        func send(_ payload: RawSpan, as kind: MessageKind) throws(ScenarioFailure.Reason) -> Bool
        /// Sends a ping. Returns `false` if the connection is closed.
        func sendPing(_ payload: RawSpan) -> Bool
        /// Sends a pong. Returns `false` if the connection is closed.
        func sendPong(_ payload: RawSpan) -> Bool
        /// Starts the closing handshake. Returns `false` if the connection is closed.
        func close(_ frame: CloseFrame) -> Bool
        /// Ends the connection without a closing handshake.
        func drop()
        /// Called after each step.
        /// - Parameters:
        ///   - index: The index of the step.
        ///   - nanoseconds: The duration of the step.
        func stepEnded(_ index: Int, nanoseconds: UInt64)
        /// Called for each message that no step takes.
        func messageSkipped()
        /// Called after the last step, before the scenario is repeated.
        func iterationEnded()
    }

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
    /// The variables of the connection.
    package var variables: TemplateVariables
    /// The current phase.
    package private(set) var phase = Phase.notStarted
    /// When the current step has to be continued, on the clock of the calls, in nanoseconds; `nil` if it is not waiting
    /// for a time.
    package private(set) var deadline: UInt64?
    /// When the current step began, on the clock of the calls, in nanoseconds.
    package private(set) var stepStart: UInt64 = 0
    private var stamps: StampSource
    private var waiting = WaitingFrames()
    /// The last step that takes messages: -1 if there is none, or the maximum if it occurs again and again.
    private let lastReceivingStep: Int
    /// Whether no step of the current iteration has taken anything from the peer, so the peer may leave.
    private var isIterationUntouched = false
    /// Whether this end has started the closing handshake, or the connection has ended.
    private var isClosing = false
    /// The last message that the current step has skipped.
    private var skipped: SkippedMessage?
    private var buffer = ByteBuffer()

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
        variables = TemplateVariables(scenario.variables)
        stamps = StampSource(connection: number, clockOffset: clockOffset, seed: seed)
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

    /// Handles a received ping or pong. Sends nothing.
    package mutating func received(control opcode: Opcode, at now: UInt64, _ port: some Port) {
        guard isRunning || isBetweenIterations || phase == .notStarted else { return }
        if opcode == .ping { waiting.pingCount += 1 } else { waiting.pongCount += 1 }
        takeMessages(at: now, port)
    }

    /// Handles the end of the connection.
    package mutating func connectionEnded(_ end: ScenarioFailure.Ending, at now: UInt64, _ port: some Port) {
        isClosing = true
        if scenario.playsPeer, isBetweenIterations || isRunning && isIterationUntouched { return finish() }
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
            default: return fail(.closed(end, expected: nil, skipped: skippedDifference(in: index)), in: index)
            }
        }
        if !isRunning { deadline = nil }
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
        default: fail(.timedOut(timeout(of: index), awaited(in: index)), in: index)
        }
    }

    /// Fails the current step because the run has reached its time limit.
    package mutating func runTimedOut(after limit: Duration) {
        guard case .step(let index) = phase else { return }
        let waits = scenario.steps[index].action.waitsForPeer
        fail(.runTimedOut(after: limit, waits ? awaited(in: index) : nil), in: index)
    }

    /// Whether the next call of ``advance(at:_:)`` starts an iteration.
    package var isBetweenIterations: Bool { if case .betweenIterations = phase { true } else { false } }

    private var isRunning: Bool { if case .step = phase { true } else { false } }

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
        skipped = nil
        deadline = nil
        switch scenario.steps[index].action {
        case .send, .sendPing, .sendPong: break
        // Not at once: the frames before it leave first.
        case .drop: deadline = now
        case .receive, .receivePing, .receivePong, .receiveClose, .close:
            if scenario.playsPeer {
                if case .receive = scenario.steps[index].action { stamps.next.sequence += 1 }
            } else {
                deadline = now &+ UInt64(max(0, timeout(of: index) / .nanoseconds(1)))
            }
        case .pause(let range):
            let (least, most) = (range.lowerBound / .nanoseconds(1), range.upperBound / .nanoseconds(1))
            let share = stamps.randomShare()
            deadline = now &+ UInt64(max(0, least + (most - least) * share))
        }
    }

    /// Performs steps until one has to wait, or until the end of the iteration. Between iterations, starts the next
    /// one.
    package mutating func advance(at now: UInt64, _ port: some Port) {
        if isBetweenIterations { begin(scenario.repeatStart, at: now) }
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
        stamps.update(at: now)
        do throws(ScenarioFailure.Reason) {
            guard try takes(payload, as: kind, shownAs: line, expectation) else { return port.messageSkipped() }
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
        case .sendPing(let payload): return port.sendPing(payload.span.bytes)
        case .sendPong(let payload): return port.sendPong(payload.span.bytes)
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
        if !scenario.playsPeer { stamps.next.sequence += 1 }
        stamps.update(at: now)
        buffer.removeAll()
        do throws(TemplateValueError) {
            try message.template.write(to: &buffer, stamp: stamps.next, variables: variables)
            // The client extracts values from the messages it receives, so its peer keeps the same values.
            if scenario.playsPeer {
                let sent = buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
                try keep(sent.span.bytes, message.extractions)
            }
        } catch {
            throw .missing(error)
        }
        return try buffer.withReadableBytes { (payload) throws(ScenarioFailure.Reason) in
            try port.send(payload, as: message.kind)
        }
    }

    /// Keeps the values of a message of the peer.
    private mutating func keep(_ message: RawSpan, _ extractions: [Extraction]) throws(TemplateValueError) {
        for extraction in extractions { try extraction.apply(to: &variables, from: message) }
        if scenario.usesLastMessage { variables.setLastMessage(message) }
    }

    /// Checks a message against the expectation of the current step.
    private mutating func takes(
        _ payload: RawSpan, as kind: MessageKind, shownAs line: [UInt8]?, _ expectation: Scenario.Expectation
    ) throws(ScenarioFailure.Reason) -> Bool {
        var isMatch = expectation.kind == nil || expectation.kind == kind
        var isExpected = true
        do throws(TemplateValueError) {
            if isMatch {
                isMatch = try matches(payload, shownAs: line, expectation.matcher)
            }
            if isMatch, let expected = expectation.expected {
                isExpected = try matches(payload, shownAs: line, expected)
            }
            if isMatch, isExpected, !scenario.playsPeer { try keep(payload, expectation.extractions) }
        } catch {
            throw .missing(error)
        }
        if isMatch, isExpected { return true }
        let message = WaitingFrames.Message(kind: kind, payload: payload.withUnsafeBytes { Array($0) }, line: line)
        guard isExpected else { throw .wrong(difference(from: expectation.expected, message)) }
        if expectation.isStrict { throw .unexpected(difference(from: expectation, message)) }
        skipped = SkippedMessage(message)
        return false
    }

    private mutating func matches(
        _ payload: RawSpan, shownAs line: [UInt8]?, _ matcher: Matcher
    ) throws(TemplateValueError) -> Bool {
        guard matcher.comparesWhole, let line else {
            return try matcher.matches(payload, stamp: stamps.next, variables: variables, scratch: &buffer)
        }
        return try matcher.matches(line.span.bytes, stamp: stamps.next, variables: variables, scratch: &buffer)
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

    /// What a step waits for, and why the last message was not the one.
    private func awaited(in index: Int) -> ScenarioFailure.Awaited {
        switch (scenario.steps[index].action, skipped) {
        case (.receive(let expectation), .kept(let message)?):
            .otherMessage(difference(from: expectation, message))
        case (.receive, .long(let byteCount)?): .otherMessageThan(byteCount: byteCount)
        case (.receivePing, _): .ping
        case (.receivePong, _): .pong
        case (.receiveClose, _): .close
        case (.close, _): .closeAnswer
        default: .message
        }
    }

    /// The difference of the last message that a step has skipped, or `nil` if there is none.
    private func skippedDifference(in index: Int) -> MessageDifference? {
        guard case .receive(let expectation) = scenario.steps[index].action, case .kept(let message)? = skipped else {
            return nil
        }
        return difference(from: expectation, message)
    }

    private func difference(
        from expectation: Scenario.Expectation, _ message: WaitingFrames.Message
    ) -> MessageDifference? {
        if let expected = expectation.kind, expected != message.kind {
            return MessageDifference(at: nil, expected: Self.words(expected), actual: Self.words(message.kind))
        }
        return difference(from: expectation.matcher, message)
    }

    private func difference(from matcher: Matcher?, _ message: WaitingFrames.Message) -> MessageDifference? {
        guard let matcher else { return nil }
        let text = matcher.comparesWhole ? message.line ?? message.payload : message.payload
        do throws(TemplateValueError) {
            return try matcher.difference(text.span.bytes, stamp: stamps.next, variables: variables)
        } catch {
            return nil
        }
    }

    private static func words(_ kind: MessageKind) -> String { "a \(kind == .text ? "text" : "binary") message" }
}

extension ScenarioPlayer.Port {
    /// Does nothing.
    package func messageSkipped() {}
}
