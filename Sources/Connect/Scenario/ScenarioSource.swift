import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The steps of a scenario: they send in place of the input, and judge what arrives.
///
///     steps ─► ConnectRun ─► Connection
///       ▲                        │
///       └──── ConnectOutputs ◄───┘ messages, events, pings, pongs
///
/// Each connection begins with the first step. The first step that fails ends the run.
final class ScenarioSource {
    private let scenario: Scenario
    private let report: ScenarioReport
    private unowned let run: ConnectRun
    private var player: ScenarioPlayer
    /// Continues the current step when its time has come.
    private lazy var timer = DeadlineTimer(on: run.loop) { [unowned self] in
        isPlaying ? player.deadline : nil
    } isReadingPaused: { [unowned self] in
        run.isReadingPaused
    } action: { [unowned self] in
        player.timePassed(at: now, self)
        advance()
    }
    /// When the current step began, on the loop's clock in nanoseconds.
    private var stepStart: UInt64
    /// The duration of the step that ended the run, in nanoseconds, or `nil` if none has.
    private var lastNanoseconds: UInt64?

    /// The time limit of steps without their own.
    static let defaultTimeout = Duration.seconds(10)

    /// Prepares the steps.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the JUnit file cannot be opened.
    init(_ scenario: Scenario, of run: ConnectRun) throws(Failure) {
        self.scenario = scenario
        self.run = run
        let settings = run.settings
        report = try ScenarioReport(
            scenario, settings.arguments.scenario, besideMessages: settings.writesMessages, diagnostics: run.diagnostics
        )
        player = Self.makePlayer(scenario, connection: 1, of: run)
        stepStart = run.loop.nowNanoseconds
        scenario.noteOtherConnections(in: settings.arguments.scenario, on: run.diagnostics)
        for pattern in scenario.patterns { run.diagnostics.watch(pattern) }
    }

    private static func makePlayer(
        _ scenario: Scenario, connection number: Int, of run: ConnectRun
    ) -> ScenarioPlayer {
        var player = ScenarioPlayer(
            scenario, connection: UInt64(number), defaultTimeout: defaultTimeout, repeats: false,
            clockOffset: run.loop.clockOffset, seed: .random(in: .min ... .max))
        run.settings.data.set(&player.variables)
        return player
    }

    private var now: UInt64 { run.loop.nowNanoseconds }

    // MARK: Connections

    /// Prepares for a connection, before anything is received on it.
    /// - Parameter number: The number of the connection, from 1.
    func connectionWillStart(_ number: Int) {
        player = Self.makePlayer(scenario, connection: number, of: run)
        report.begin()
        stepStart = now
    }

    /// Performs the steps that are due, now that the peer is ready.
    func advance() {
        repeat {
            run.executeEffects()
            guard isPlaying else { return }
            player.advance(at: now, self)
        } while run.stages.pipeline?.hasEffects ?? false
        switch player.phase {
        case .betweenIterations: break
        case .notStarted, .step: timer.update()
        case .over: run.endAsAsked()
        case .failed(let failure):
            lastNanoseconds = now &- stepStart
            run.end(with: .scenarioFailed(failure))
        }
    }

    /// Whether the steps have begun on the connection, and neither the run ends nor the connection for a reason that is no
    /// step's fault.
    private var isPlaying: Bool {
        run.current?.hasBegunSending ?? false && !run.state.isEnding && run.state.dropCause == nil
    }

    /// Judges the end of a connection.
    /// - Parameter isRetried: Whether another connection follows, unless all steps have passed.
    /// - Returns: The failure of the step, or `nil` if there is none, or if the next connection begins anew.
    func connectionEnded(_ end: ConnectionEnd, isRetried: Bool) -> Failure? {
        lastNanoseconds = now &- stepStart
        player.connectionEnded(ScenarioFailure.Ending(end), at: now, self)
        return isRetried ? nil : failure
    }

    /// The failure of the step during which the last connection was lost, or `nil` if none was.
    var failure: Failure? {
        guard case .failed(let failure) = player.phase else { return nil }
        return .scenarioFailed(failure)
    }

    /// Whether all steps have passed.
    var hasPassed: Bool { player.phase == .over }

    /// The failure of the current step because the run has reached its time limit, or `nil` if no step is in progress.
    func timedOut(after limit: Duration) -> Failure? {
        // Between connections, no step is in progress.
        guard case .step = player.phase else { return nil }
        player.runTimedOut(after: limit)
        lastNanoseconds = now &- stepStart
        return failure
    }

    /// Reports the step that has failed, if any, and writes the JUnit file.
    /// - Returns: The failure of the run, or else that of writing.
    func finish(after failure: Failure?) -> Failure? {
        let problem = report.finish(failure, nanoseconds: lastNanoseconds ?? now &- stepStart)
        return failure ?? problem
    }

    // MARK: Receiving

    /// Judges a message. The steps that follow are performed at the end of the turn.
    /// - Parameter kind: The kind of the message as received, before it was decoded.
    func received(_ payload: RawSpan, as kind: MessageKind) {
        player.received(payload, as: kind, at: now, self)
        run.loop.atEndOfTurn(self)
    }

    /// Judges an event of the application protocol.
    func received(_ event: ProtocolEvent) {
        player.received(event, at: now, self)
        run.loop.atEndOfTurn(self)
    }

    /// Judges a ping or a pong.
    func received(control opcode: Opcode) {
        player.received(control: opcode, at: now, self)
        run.loop.atEndOfTurn(self)
    }
}

extension ScenarioSource: EndOfTurnWork {
    /// Continues after received frames.
    func endTurn() {
        if isPlaying { advance() }
    }
}

extension ScenarioSource: ScenarioPlayer.Port {
    var pipeline: Pipeline? { run.stages.pipeline }
    var takesMessages: Bool { run.connection.map { !$0.isClosing } ?? false }

    func send(_ payload: RawSpan, as kind: MessageKind) throws(ProtocolInputError) -> Bool {
        guard let connection = run.connection else { return false }
        do throws(CodecError) {
            guard try run.lines.send(payload, as: kind, on: connection, of: run) else { return false }
        } catch {
            throw ProtocolInputError("\(error)")
        }
        run.outputs.writeSent(protocolMessage: payload, as: kind)
        return true
    }

    /// The run fails if it ends before the message is sent.
    func lineWaits(_ receipt: LineReceipt) {
        run.lines.queue.sent(Line([], as: .text), receipt, at: run.loop.turnTime)
    }

    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool { run.send(control: opcode, payload) }

    func close(_ frame: CloseFrame) -> Bool {
        guard takesMessages else { return false }
        run.close(with: frame)
        return true
    }

    func drop() { run.connection?.terminate() }

    func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) {
        let start = now &- nanoseconds
        stepStart = now
        report.passed(index, nanoseconds: nanoseconds, reply.map { ScenarioReport.Reply($0, since: start) })
    }

    func stepSkipped(_ index: Int) { report.skipped(index) }
}
