import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// A run of `wsx connect --scenario`: plays a scenario on one connection and reports its steps.
package final class ScenarioRun {
    private var settings: ConnectSettings
    private let loop: EventLoop
    private let console: Console
    private let report: ScenarioReport
    /// Shows the traffic on standard error, or `nil` without `-v`.
    private let log: ScenarioLog?
    private let scenario: Scenario
    private var player: ScenarioPlayer
    private var attempt: SecretAttempt?
    private var connection: Connection<ScenarioRun>?
    /// Continues the current step, or what the pipeline waits for, when its time has come.
    private lazy var timer = DeadlineTimer(on: loop) { [unowned self] in
        earliest(player.deadline, pipeline?.deadline)
    } action: { [unowned self] in
        timePassed()
    }
    private let embeddedEcho: SharedEmbeddedEcho
    /// The application protocol and the formats of binary messages, or `nil` if there are none.
    package let pipeline: Pipeline?
    /// When the current step began, on the loop's clock in nanoseconds.
    private var stepStart: UInt64
    /// The first failure and the duration of its step in nanoseconds, or `nil` if the run has not failed.
    private var outcome: (failure: Failure, stepNanoseconds: UInt64)?
    private var failure: Failure? { outcome?.failure }

    /// The time limit of steps without their own.
    static let defaultTimeout = Duration.seconds(10)

    /// Prepares a run.
    /// - Throws: ``Failure`` if an output cannot be opened, or if a codec is a program.
    package init(
        _ scenario: Scenario, _ settings: ConnectSettings, on loop: EventLoop, console: Console
    ) throws(Failure) {
        self.scenario = scenario
        self.settings = settings
        self.loop = loop
        self.console = console
        embeddedEcho = SharedEmbeddedEcho(on: loop, console: console)
        let codecs = settings.arguments.codecs
        for (option, codecs) in [("--decode", codecs.decoders), ("--encode", [codecs.encoder].compactMap(\.self))] {
            guard let program = codecs.first(where: { $0.program != nil }) else { continue }
            throw .badArgument(
                what: "\(option) \(escapingControls(program.name))", why: "scenarios run no programs; use another codec"
            )
        }
        log = ScenarioLog(settings.arguments, console: console, on: loop)
        stepStart = loop.nowNanoseconds
        report = try ScenarioReport(scenario, settings.arguments.scenario, console: console)
        let clockOffset = WallTime.now.millisecondsSinceEpoch &* 1_000_000 &- loop.nowNanoseconds
        player = ScenarioPlayer(
            scenario, connection: 1, defaultTimeout: Self.defaultTimeout, repeats: false, clockOffset: clockOffset,
            seed: .random(in: .min ... .max))
        settings.data.set(&player.variables)
        let application = settings.protocolSelection.map {
            Pipeline.Application($0.makeSession(connection: 1, clockOffset: clockOffset))
        }
        pipeline =
            application == nil && codecs.decoders.isEmpty && codecs.encoder == nil
            ? nil
            : Pipeline(
                MessageCodecs(
                    decoders: codecs.decoders, encoder: codecs.encoder,
                    limitBytes: settings.arguments.client.limits.maximumMessageBytes),
                application: application,
                readinessTimeout: settings.arguments.client.network.connectTimeouts.whole, clockOffset: clockOffset)
    }

    /// Runs until the end. Returns the failure, or `nil` if every step has passed.
    package func run() -> Failure? {
        let stopRequests: StopRequests
        do throws(Failure) {
            stopRequests = try StopRequests(timeLimit: settings.arguments.ending.timeout, on: loop) {
                [unowned self] request in
                if case .timeLimit(let limit) = request { player.runTimedOut(after: limit) }
                if case .failed(let step) = player.phase { return end(with: .scenarioFailed(step)) }
                end(with: request.failure)
            }
        } catch {
            return error
        }
        console.warnIfInsecure(settings.arguments.client.tls.isInsecure && settings.connector.mayUseTLS)
        scenario.noteOtherConnections(in: settings.arguments.scenario, on: console)
        for pattern in scenario.patterns { console.watch(pattern) }
        connect()
        withExtendedLifetime(stopRequests) {
            loop.run()
            embeddedEcho.stop()
        }
        let problem = report.finish(failure, nanoseconds: outcome?.stepNanoseconds ?? 0)
        return failure ?? problem
    }

    private func connect() {
        let target: Connector.Settings
        do throws(Failure) {
            target = try embeddedEcho.resolving(settings.connector, for: settings.url)
        } catch {
            return end(with: error)
        }
        let attempt = SecretAttempt(settings, on: loop) { [unowned self] () throws(Failure) in
            guard !settings.secretCommands.isEmpty else { return target }
            try settings.renewSecrets()
            if let selection = settings.protocolSelection {
                pipeline?.takeLogin(of: selection.makeSession(connection: 1, clockOffset: 0))
            }
            var target = target
            target.request = settings.connector.request
            target.proxies = settings.connector.proxies
            return target
        } dial: { [unowned self] target, completion in
            Connector(target, resources: settings.connectorResources, on: loop, completion: completion)
        } completion: { [unowned self] result in
            switch result {
            case .success(let opened): self.opened(opened)
            case .failure(.connecting(let error)):
                // After redirects, the failing server may differ from the first one.
                let url = self.attempt?.url ?? settings.url
                end(with: .connecting(url: url.shortDescription, error))
            case .failure(.secret(let failure)): end(with: failure)
            }
        }
        attempt.didStep = { [log, console] step in
            console.secrets.add(step)
            if let log { return log.show(step) }
            if let notice = ReportedRedirect.notice(of: step) { console.notice(notice) }
        }
        self.attempt = attempt
        attempt.start()
    }

    private func opened(_ opened: Connector.Opened) {
        let connection = Connection(
            opened.stream, settings: settings.connection(), deflate: opened.deflate,
            resources: ConnectionResources(on: loop), handler: self)
        self.connection = connection
        pipeline?.opened(1, subprotocol: opened.upgrade.subprotocol, now: loop.nowNanoseconds)
        connection.start(with: opened.firstBytes)
        stepStart = loop.nowNanoseconds
        advance()
    }

    /// Performs all due actions.
    private func advance() {
        repeat {
            executeEffects()
            guard failure == nil else { return }
            player.advance(at: loop.nowNanoseconds, self)
        } while pipeline?.hasEffects ?? false
        awaitNextEvent()
    }

    /// Executes the effects of the pipeline. Steps that send follow when the queue is empty: pings and close frames do not
    /// enter it and would overtake messages.
    private func executeEffects() {
        let now = loop.nowNanoseconds
        var becameReady = false
        while failure == nil, let effect = pipeline?.next() {
            switch effect {
            case .send(let payload, let kind, _): _ = send(payload.span.bytes, as: kind)
            case .ready: becameReady = true
            case .event(let event): player.received(event, at: now, self)
            case .notUnderstood(_, let reason):
                console.notice("wsx: \(protocolName): a message is not understood: \(reason)")
            case .failed(let problem):
                // Nothing follows it.
                if becameReady { player.start(at: now, self) } else { player.advance(at: now, self) }
                becameReady = false
                // The end of the conversation is a failure unless all steps are done.
                if case .ended = problem, player.phase == .over { continue }
                return end(with: failure(problem))
            // The step that waits for the reply to a dropped line fails.
            case .lineSent, .waitingLineFailed, .linesDropped, .renewed, .detected: break
            // A scenario has no automatic answers.
            case .unanswered, .notGreeted: break
            }
        }
        if becameReady { player.start(at: now, self) }
    }

    private var protocolName: String { settings.protocolSelection?.descriptor.name ?? "" }

    private func failure(_ problem: ProtocolProblem) -> Failure {
        .application(ApplicationFailure(name: protocolName, problem: problem))
    }

    /// The failure for a connection that the server has ended during the login.
    private func failure(of end: ConnectionEnd) -> Failure? {
        guard let pipeline, !pipeline.isReady, pipeline.problem == nil, end.violation == nil,
            !end.closing.wasStartedHere
        else { return nil }
        let frame = end.closing.received
        return failure(.ended(frame, meaning: frame?.code.flatMap { pipeline.meaning(of: $0) }, afterLogin: false))
    }

    /// Waits for the next event, or ends the run.
    private func awaitNextEvent() {
        switch player.phase {
        case .betweenIterations: break
        case .notStarted, .step: timer.update()
        case .over: close()
        case .failed(let step):
            fail(with: .scenarioFailed(step))
            close()
        }
    }

    private func timePassed() {
        let now = loop.nowNanoseconds
        pipeline?.timePassed(at: now)
        player.timePassed(at: now, self)
        advance()
    }

    /// Closes the connection after the last step.
    private func close() {
        timer.stop()
        if connection == nil { loop.stop() } else { _ = close(settings.closeFrame) }
    }

    private func fail(with failure: Failure) {
        if outcome == nil { outcome = (failure, loop.nowNanoseconds &- stepStart) }
    }

    /// Ends the run with a failure.
    private func end(with failure: Failure) {
        fail(with: failure)
        attempt?.cancel()
        close()
        connection?.terminate()
    }
}

extension ScenarioRun: ConnectionHandler {
    package func connection(_ connection: Connection<ScenarioRun>, received payload: RawSpan, as kind: MessageKind) {
        log?.show(payload, as: kind, .received)
        let now = loop.nowNanoseconds
        if let pipeline {
            pipeline.received(payload, as: kind, at: now) { payload, kind, _ in
                player.received(payload, as: kind, at: now, self)
            }
            if let problem = pipeline.takeUndecodable() {
                console.notice("wsx: warning: a message was not decoded: \(problem)")
            }
        } else {
            player.received(payload, as: kind, at: now, self)
        }
        // The steps that follow are taken once per turn.
        loop.atEndOfTurn(self)
    }

    package func connection(_ connection: Connection<ScenarioRun>, receivedPing payload: RawSpan) {
        received(control: .ping, payload)
    }

    package func connection(_ connection: Connection<ScenarioRun>, receivedPong payload: RawSpan) {
        received(control: .pong, payload)
    }

    private func received(control opcode: Opcode, _ payload: RawSpan) {
        log?.show(opcode, payload, .received)
        player.received(control: opcode, at: loop.nowNanoseconds, self)
        loop.atEndOfTurn(self)
    }

    package func connection(_ connection: Connection<ScenarioRun>, receivedClose frame: CloseFrame) {
        log?.show(close: frame, .received)
    }

    package func connection(_ connection: Connection<ScenarioRun>, receivedHeader header: FrameHeader) {
        log?.trace?.received(header)
    }

    package func connection(_ connection: Connection<ScenarioRun>, receivedPiece piece: RawSpan, of header: FrameHeader)
    {
        log?.trace?.received(piece, of: header)
    }

    package var sentFrameObserver: (any SentFrameObserver)? { log?.trace }

    package func connection(_ connection: Connection<ScenarioRun>, didEnd end: ConnectionEnd) {
        self.connection = nil
        // The last messages may contain the reason for the end.
        if failure == nil { executeEffects() }
        // If the run has failed, this end closes the connection, and no step is at fault.
        if failure == nil, let failure = failure(of: end) { fail(with: failure) }
        if failure == nil { player.connectionEnded(ScenarioFailure.Ending(end), at: loop.nowNanoseconds, self) }
        if case .failed(let step) = player.phase { fail(with: .scenarioFailed(step)) }
        if failure == nil, player.phase == .over, !scenario.endsConnection {
            let closeTimeout = settings.arguments.client.limits.closeTimeout
            if let failure = Failure.failure(of: end, closeTimeout: closeTimeout) { fail(with: failure) }
        }
        timer.stop()
        loop.stop()
    }
}

extension ScenarioRun: EndOfTurnWork {
    /// Continues after received frames.
    package func endTurn() {
        if failure == nil { advance() }
    }
}

extension ScenarioRun: ScenarioPlayer.Port {
    package var takesMessages: Bool { connection.map { !$0.isClosing } ?? false }

    package func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        guard connection?.send(payload, as: kind) == true else { return false }
        log?.show(payload, as: kind, .sent)
        return true
    }

    package func send(control opcode: Opcode, _ payload: RawSpan) -> Bool {
        guard let connection, opcode == .ping ? connection.sendPing(payload) : connection.sendPong(payload) else {
            return false
        }
        log?.show(opcode, payload, .sent)
        return true
    }

    package func close(_ frame: CloseFrame) -> Bool {
        guard connection?.close(frame) == true else { return false }
        log?.show(close: frame, .sent)
        return true
    }

    package func drop() { connection?.terminate() }

    package func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) {
        let start = loop.nowNanoseconds &- nanoseconds
        stepStart = loop.nowNanoseconds
        report.passed(index, nanoseconds: nanoseconds, reply.map { ScenarioReport.Reply($0, since: start) })
    }

    package func stepSkipped(_ index: Int) { report.skipped(index) }
}
