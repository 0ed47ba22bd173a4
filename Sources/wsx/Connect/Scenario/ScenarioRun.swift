import Conversation
import Formats
import WSCore

/// A run of `wsx connect --scenario`: plays a scenario on one connection and reports its steps.
final class ScenarioRun {
    private let settings: ConnectSettings
    private let loop: EventLoop
    private let console: Console
    private let report: ScenarioReport
    private let scenario: Scenario
    private var player: ScenarioPlayer
    private var connector: Connector?
    private var connection: Connection<ScenarioRun>?
    /// Continues the current step when its time has come.
    private var timer: Timer?
    private var embeddedEcho: EmbeddedEcho?
    private var stopRequests: StopRequests?
    private var failure: Failure?

    /// The time limit of steps without their own.
    static let defaultTimeout = Duration.seconds(10)

    /// Prepares a run.
    /// - Throws: ``Failure`` if an output cannot be opened.
    init(
        _ scenario: Scenario, _ settings: ConnectSettings, on loop: EventLoop, console: Console
    ) throws(Failure) {
        self.scenario = scenario
        self.settings = settings
        self.loop = loop
        self.console = console
        report = try ScenarioReport(scenario, settings.arguments.scenario, console: console)
        let clockOffset = WallTime.now.millisecondsSinceEpoch &* 1_000_000 &- loop.nowNanoseconds
        player = ScenarioPlayer(
            scenario, connection: 1, defaultTimeout: Self.defaultTimeout, repeats: false, clockOffset: clockOffset,
            seed: .random(in: .min ... .max))
    }

    /// Runs until the end. Returns the failure, or `nil` if every step has passed.
    func run() -> Failure? {
        stopRequests = StopRequests(timeLimit: settings.arguments.ending.timeout, on: loop) { [unowned self] request in
            end(with: request.failure)
        }
        console.warnIfInsecure(settings.arguments.client.tls.isInsecure)
        connect()
        loop.run()
        stopRequests = nil
        if failure == nil, case .failed(let step) = player.phase { failure = .scenarioFailed(step) }
        let problem = report.finish(failure)
        return failure ?? problem
    }

    private func connect() {
        var target = settings.connector
        if settings.url.endpoint == .embeddedEcho {
            do throws(Failure) {
                let echo = try EmbeddedEcho(for: target.request, on: loop, console: console)
                target.destination = try echo.start()
                embeddedEcho = echo
            } catch {
                return end(with: error)
            }
        }
        let connector = Connector(target, resources: settings.connectorResources, on: loop) { [unowned self] result in
            switch result {
            case .success(let opened): self.opened(opened)
            case .failure(let error): end(with: .connecting(url: "\(settings.url)", error))
            }
        }
        self.connector = connector
        connector.start()
    }

    private func opened(_ opened: Connector.Opened) {
        let connection = Connection(
            opened.stream, settings: settings.connection(), deflate: opened.deflate,
            resources: ConnectionResources(on: loop), handler: self)
        self.connection = connection
        connection.start(with: opened.firstBytes)
        player.start(at: loop.nowNanoseconds, self)
        goOn()
    }

    /// Waits for the next event, or ends the run.
    private func goOn() {
        switch player.phase {
        case .notStarted: break
        case .step: startTimer()
        case .over, .failed: close()
        }
    }

    private func startTimer() {
        guard let deadline = player.deadline else { return timer = nil }
        let now = loop.nowNanoseconds
        let timer = Timer(on: loop) { [unowned self] in
            player.timePassed(at: loop.nowNanoseconds, self)
            goOn()
        }
        self.timer = timer
        // The loop's timers may fire up to a millisecond early.
        timer.start(after: .nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0)) + .milliseconds(1))
    }

    /// Closes the connection after the last step.
    private func close() {
        timer = nil
        guard let connection else { return loop.stop() }
        _ = connection.close(settings.closeFrame)
    }

    /// Ends the run with a failure.
    private func end(with failure: Failure) {
        if self.failure == nil { self.failure = failure }
        connector?.cancel()
        timer = nil
        guard let connection else { return loop.stop() }
        _ = connection.close(settings.closeFrame)
        connection.terminate()
    }
}

extension ScenarioRun: ConnectionHandler {
    func connection(
        _ connection: Connection<ScenarioRun>, received payload: RawSpan, as kind: MessageKind, outbox: inout Outbox
    ) {
        // The player sends at the end of the turn: a handler must not send on its connection.
        player.received(payload, at: loop.nowNanoseconds, self)
        loop.atEndOfTurn(self)
    }

    func connection(_ connection: Connection<ScenarioRun>, receivedPing payload: RawSpan, outbox: inout Outbox) {
        player.received(control: .ping, at: loop.nowNanoseconds, self)
        loop.atEndOfTurn(self)
    }

    func connection(_ connection: Connection<ScenarioRun>, receivedPong payload: RawSpan, outbox: inout Outbox) {
        player.received(control: .pong, at: loop.nowNanoseconds, self)
        loop.atEndOfTurn(self)
    }

    func connection(_ connection: Connection<ScenarioRun>, didEnd end: ConnectionEnd) {
        self.connection = nil
        // If the run has failed, this end closes the connection, and no step is at fault.
        if failure == nil { player.connectionEnded(end.code, at: loop.nowNanoseconds, self) }
        if failure == nil, player.phase == .over {
            failure = Failure.failure(of: end, closeTimeout: settings.arguments.client.limits.closeTimeout)
        }
        timer = nil
        loop.stop()
    }
}

extension ScenarioRun: EndOfTurnWork {
    /// Continues after received frames.
    func endTurn() {
        player.advance(at: loop.nowNanoseconds, self)
        goOn()
    }
}

extension ScenarioRun: ScenarioPlayer.Port {
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { connection?.send(payload, as: kind) ?? false }
    func sendPing(_ payload: RawSpan) -> Bool { connection?.sendPing(payload) ?? false }
    func sendPong(_ payload: RawSpan) -> Bool { connection?.sendPong(payload) ?? false }
    func close(_ frame: CloseFrame) -> Bool { connection?.close(frame) ?? false }
    func stepEnded(_ index: Int, nanoseconds: UInt64) { report.passed(index, nanoseconds: nanoseconds) }
    func iterationEnded() {}
}
