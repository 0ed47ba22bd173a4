import Formats
import WSCore

/// Plays a scenario on one connection, without I/O.
///
///     start ─► step ─► step ─► … ─► the last step ─► repeatStart or over
///                │ timeout, unexpected end, mismatch
///                └──► failed
///
/// A step that waits takes messages in their order, including those that arrived since the previous step that waited.
///
/// Received frames only end steps that wait for them, because a connection's handler must not send on it. After that,
/// ``advance(at:_:)`` continues.
public struct ScenarioPlayer: ~Copyable {
    /// The connection as the player sees it.
    public protocol Port: AnyObject {
        /// Sends a message. Returns `false` if the connection is closed.
        func send(_ payload: RawSpan, as kind: MessageKind) -> Bool
        /// Sends a ping. Returns `false` if the connection is closed.
        func sendPing(_ payload: RawSpan) -> Bool
        /// Sends a pong. Returns `false` if the connection is closed.
        func sendPong(_ payload: RawSpan) -> Bool
        /// Starts the closing handshake. Returns `false` if the connection is closed.
        func close(_ frame: CloseFrame) -> Bool
        /// Called after each step.
        /// - Parameters:
        ///   - index: The index of the step.
        ///   - nanoseconds: The duration of the step.
        func stepEnded(_ index: Int, nanoseconds: UInt64)
        /// Called after the last step, before the scenario is repeated.
        func iterationEnded()
    }

    /// The progress of the scenario.
    public enum Phase: Equatable {
        /// Not started yet.
        case notStarted
        /// In the step with this index.
        case step(Int)
        /// The last step has ended, and the scenario is not repeated on this connection.
        case over
        /// A step has failed.
        case failed(ScenarioFailure)
    }

    private let scenario: Scenario
    private let defaultTimeout: Duration
    private let repeats: Bool
    /// The variables of the connection.
    public var variables: TemplateVariables
    /// The current phase.
    public private(set) var phase = Phase.notStarted
    /// When the current step has to be continued, on the clock of the calls, in nanoseconds; `nil` if it is not waiting
    /// for a time.
    public private(set) var deadline: UInt64?
    /// Whether an iteration has ended, and ``advance(at:_:)`` starts the next one. The caller decides when, because a
    /// scenario that never waits would otherwise not return.
    public private(set) var isAboutToRepeat = false
    private var stepStart: UInt64 = 0
    private var stamp: Template.Stamp
    private var random: SeededRandom
    /// The offset from the clock of the calls to the time since 1970, in nanoseconds.
    private let clockOffset: UInt64
    /// Messages that no step has taken yet.
    private var waiting = WaitingMessages()
    /// Whether this end has started the closing handshake, or the connection has ended.
    private var isClosing = false
    /// The last message that the current step has skipped.
    private var skipped: [UInt8]?
    private var buffer = ByteBuffer()

    /// The longest skipped message that is kept, in bytes, to explain a timeout.
    private static let keptBytes = 64 << 10

    /// Prepares a connection.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - defaultTimeout: The time limit of steps that have none of their own.
    ///   - repeats: Whether the scenario is repeated on the connection after its last step.
    ///   - clockOffset: The offset from the clock of the calls to the time since 1970, in nanoseconds.
    ///   - seed: Determines random placeholders and pauses.
    public init(
        _ scenario: Scenario, connection number: UInt64, defaultTimeout: Duration, repeats: Bool, clockOffset: UInt64,
        seed: UInt64
    ) {
        self.scenario = scenario
        self.defaultTimeout = defaultTimeout
        self.repeats = repeats
        self.clockOffset = clockOffset
        variables = TemplateVariables(scenario.variables)
        stamp = Template.Stamp(sequence: 0, connection: number, time: 0, seed: 0)
        random = SeededRandom(seed: seed)
    }

    // MARK: Events

    /// Starts with the first step.
    public mutating func start(at now: UInt64, _ port: some Port) {
        begin(0, at: now)
        advance(at: now, port)
    }

    /// Handles a received message. Sends nothing.
    public mutating func received(_ payload: RawSpan, at now: UInt64, _ port: some Port) {
        guard isRunning || phase == .notStarted else { return }
        waiting.append(payload)
        takeMessages(at: now, port)
    }

    /// Handles a received ping or pong. Sends nothing.
    public mutating func received(control opcode: Opcode, at now: UInt64, _ port: some Port) {
        guard case .step(let index) = phase else { return }
        switch scenario.steps[index].action {
        case .receivePing where opcode == .ping, .receivePong where opcode == .pong: break
        default: return
        }
        endStep(index, at: now, port)
        takeMessages(at: now, port)
    }

    /// Handles the end of the connection.
    /// - Parameter code: The close code of the peer, `noStatus`, or `abnormalClosure`.
    public mutating func connectionEnded(_ code: CloseCode, at now: UInt64, _ port: some Port) {
        isClosing = true
        while case .step(let index) = phase {
            switch scenario.steps[index].action {
            case .close: endStep(index, at: now, port)
            case .receiveClose(let expected):
                guard expected == nil || expected == code else {
                    return fail(.closed(code, expected: expected), in: index)
                }
                endStep(index, at: now, port)
            default: return fail(.closed(code, expected: nil), in: index)
            }
        }
        if !isRunning { deadline = nil }
    }

    /// Handles the passing of time.
    public mutating func timePassed(at now: UInt64, _ port: some Port) {
        guard let deadline, deadline <= now, case .step(let index) = phase else { return }
        self.deadline = nil
        if case .pause = scenario.steps[index].action {
            endStep(index, at: now, port)
            return advance(at: now, port)
        }
        fail(.timedOut(timeout(of: index), difference: difference(in: index)), in: index)
    }

    private var isRunning: Bool { if case .step = phase { true } else { false } }

    // MARK: Steps

    private func timeout(of index: Int) -> Duration { scenario.steps[index].timeout ?? defaultTimeout }

    private mutating func begin(_ index: Int, at now: UInt64) {
        phase = .step(index)
        stepStart = now
        skipped = nil
        deadline = nil
        switch scenario.steps[index].action {
        case .send, .sendPing, .sendPong: break
        case .receive, .receivePing, .receivePong, .receiveClose, .close:
            deadline = now &+ UInt64(max(0, timeout(of: index) / .nanoseconds(1)))
        case .pause(let range):
            let (least, most) = (range.lowerBound / .nanoseconds(1), range.upperBound / .nanoseconds(1))
            let share = Double(random.next() >> 11) * 0x1p-53
            deadline = now &+ UInt64(max(0, least + (most - least) * share))
        }
    }

    /// Carries out steps until one has to wait, or until the scenario is about to be repeated; see ``isAboutToRepeat``.
    public mutating func advance(at now: UInt64, _ port: some Port) {
        isAboutToRepeat = false
        takeMessages(at: now, port)
        while case .step(let index) = phase, !isAboutToRepeat {
            do throws(ScenarioFailure.Reason) {
                guard try perform(index, at: now, port) else { return }
                endStep(index, at: now, port)
            } catch {
                return fail(error, in: index)
            }
            takeMessages(at: now, port)
        }
    }

    /// Ends the steps that wait for messages that have arrived.
    private mutating func takeMessages(at now: UInt64, _ port: some Port) {
        while case .step(let index) = phase, case .receive(let expectation) = scenario.steps[index].action,
            !isAboutToRepeat, let message = waiting.takeFirst()
        {
            updateStamp(at: now)
            do throws(ScenarioFailure.Reason) {
                if try takes(message, expectation) { endStep(index, at: now, port) }
            } catch {
                return fail(error, in: index)
            }
        }
    }

    /// Carries out a step that sends. Returns whether it has ended.
    private mutating func perform(
        _ index: Int, at now: UInt64, _ port: some Port
    ) throws(ScenarioFailure.Reason) -> Bool {
        switch scenario.steps[index].action {
        case .send(let kind, let template):
            stamp.sequence += 1
            updateStamp(at: now)
            buffer.removeAll()
            do throws(TemplateValueError) {
                try template.write(to: &buffer, stamp: stamp, variables: variables)
            } catch {
                throw .missing(error)
            }
            let isSent = buffer.withReadableBytes { port.send($0, as: kind) }
            guard isSent else { throw .closed(.abnormalClosure, expected: nil) }
            return true
        case .sendPing(let payload): return port.sendPing(payload.span.bytes)
        case .sendPong(let payload): return port.sendPong(payload.span.bytes)
        case .close(let frame):
            if !isClosing { isClosing = port.close(frame) }
            return false
        case .receive, .receivePing, .receivePong, .receiveClose, .pause: return false
        }
    }

    private mutating func updateStamp(at now: UInt64) {
        stamp.time = (now &+ clockOffset) / 1_000_000
        stamp.seed = random.next()
    }

    /// Checks a message against the expectation of the current step.
    private mutating func takes(
        _ message: [UInt8], _ expectation: Scenario.Expectation
    ) throws(ScenarioFailure.Reason) -> Bool {
        let isMatch: Bool
        do throws(TemplateValueError) {
            isMatch = try expectation.matcher.matches(
                message.span.bytes, stamp: stamp, variables: variables, scratch: &buffer)
            if isMatch {
                for extraction in expectation.extractions {
                    try extraction.apply(to: &variables, from: message.span.bytes)
                }
            }
        } catch {
            throw .missing(error)
        }
        if isMatch {
            variables.setLastMessage(message.span.bytes)
            return true
        }
        if expectation.isStrict { throw .unexpected(difference(from: expectation, message)) }
        skipped = message.count <= Self.keptBytes ? message : nil
        return false
    }

    private mutating func endStep(_ index: Int, at now: UInt64, _ port: some Port) {
        port.stepEnded(index, nanoseconds: now &- stepStart)
        guard index + 1 == scenario.steps.count else { return begin(index + 1, at: now) }
        port.iterationEnded()
        guard repeats, !isClosing else { return finish() }
        begin(scenario.repeatStart, at: now)
        isAboutToRepeat = true
    }

    private mutating func finish() {
        phase = .over
        deadline = nil
    }

    private mutating func fail(_ reason: ScenarioFailure.Reason, in index: Int) {
        let step = scenario.steps[index]
        phase = .failed(ScenarioFailure(step: index, name: step.name, line: step.line, reason: reason))
        deadline = nil
    }

    /// The difference between the message that the current step expects and the last one it skipped.
    private func difference(in index: Int) -> MessageDifference? {
        guard case .receive(let expectation) = scenario.steps[index].action, let skipped else { return nil }
        return difference(from: expectation, skipped)
    }

    private func difference(from expectation: Scenario.Expectation, _ message: [UInt8]) -> MessageDifference? {
        do throws(TemplateValueError) {
            return try expectation.matcher.difference(message.span.bytes, stamp: stamp, variables: variables)
        } catch {
            return nil
        }
    }
}

/// Received messages that no step has taken yet, the newest ones up to a limit.
private struct WaitingMessages {
    private var messages: [[UInt8]] = []
    /// The index of the first message; those before it have been taken.
    private var first = 0
    private var byteCount = 0

    /// The limit in bytes. Above it, the oldest messages are dropped.
    private static let mostBytes = 1 << 20
    /// The size of a message without its payload, in bytes.
    private static let overheadBytes = 64

    mutating func append(_ payload: RawSpan) {
        messages.append(payload.withUnsafeBytes { Array($0) })
        byteCount += payload.byteCount + Self.overheadBytes
        while byteCount > Self.mostBytes, messages.count - first > 1 { _ = takeFirst() }
    }

    mutating func takeFirst() -> [UInt8]? {
        guard first < messages.count else { return nil }
        let message = messages[first]
        messages[first] = []
        first += 1
        byteCount -= message.count + Self.overheadBytes
        // Compact only when more than half is unused, so each message moves a bounded number of times.
        if first * 2 > messages.count {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }
}

/// Why a scenario has failed, and where.
public struct ScenarioFailure: Error, Equatable {
    /// The reason.
    public enum Reason: Error, Equatable, Sendable {
        /// Nothing that the step waits for has arrived in time. `difference` explains the last message, if there was one.
        case timedOut(Duration, difference: MessageDifference?)
        /// A message differs from the one that a strict step expects.
        case unexpected(MessageDifference?)
        /// The connection has ended with this code, and the step does not expect that, or expects another code.
        case closed(CloseCode, expected: CloseCode?)
        /// A value is missing.
        case missing(TemplateValueError)
    }

    /// The index of the step.
    public let step: Int
    /// The name of the step, or `nil` if it has none.
    public let name: String?
    /// The number of its line in the file, from 1.
    public let line: Int
    /// The reason.
    public let reason: Reason
}

extension ScenarioFailure: CustomStringConvertible {
    /// The step and the reason: `line 4 (login): no matching message within 2 s`.
    public var description: String {
        "line \(line)" + (name.map { " (\(escapingControls($0)))" } ?? "") + ": \(reason)"
    }
}

extension ScenarioFailure.Reason: CustomStringConvertible {
    /// The reason, to follow a colon.
    public var description: String {
        switch self {
        case .timedOut(let limit, nil): "nothing arrived within \(Phrase.duration(limit))"
        case .timedOut(let limit, let difference?):
            "no matching message within \(Phrase.duration(limit)); the last one differs: \(difference)"
        case .unexpected(let difference?): "another message arrived: \(difference)"
        case .unexpected(nil): "another message arrived"
        case .closed(let code, let expected):
            "the connection ended" + (code == .abnormalClosure ? " without a close frame" : " with \(code.rawValue)")
                + (expected.map { " instead of \($0.rawValue)" } ?? "")
        case .missing(let error): "\(error)"
        }
    }
}
