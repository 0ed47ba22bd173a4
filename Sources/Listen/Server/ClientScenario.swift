import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// A scenario whose opposite side is played with the clients of some paths.
struct ServedScenario {
    let scenario: Scenario
    /// The arguments of this scenario alone.
    let arguments: ScenarioArguments
    /// `nil`: all paths.
    fileprivate let paths: PathPattern?

    /// Reads the file.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(
        _ choice: ScenarioChoice, _ arguments: ListenArguments, variables: VariableNames, secrets: Secrets
    ) throws(Failure) {
        paths = choice.paths
        var own = arguments.scenario
        own.path = choice.file
        self.arguments = own
        scenario = try Scenario.make(
            at: choice.file, own, variables: variables, playsPeer: true, codecs: arguments.codecs,
            limitBytes: arguments.limits.maximumMessageBytes, secrets: secrets)
    }

    /// Whether the scenario is for a client with this request.
    func concerns(_ request: RequestHead) -> Bool {
        guard let paths else { return true }
        return request.normalizedPath.map { paths.matches($0) } ?? false
    }
}

extension [ServedScenario] {
    /// The recorded subprotocols at the paths.
    var pathSubprotocols: [ServerPolicy.PathSubprotocol] { map { ($0.paths, $0.scenario.subprotocol) } }

    /// The recorded subprotocols, in order.
    var subprotocols: [String] {
        compactMap(\.scenario.subprotocol).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}

/// Plays the opposite side of a scenario with each client, and counts the clients that deviate from it.
final class ClientScenarios: ModeService {
    private let scenarios: [ServedScenario]
    private unowned let run: ListenRun
    private var clientCount = 0
    private var failureCount = 0

    init(_ scenarios: [ServedScenario], of run: ListenRun) {
        self.scenarios = scenarios
        self.run = run
    }

    /// The failure of the run, or `nil` if no client has deviated.
    var failure: Failure? { failureCount > 0 ? .scenarioFailedForClients(failureCount, of: clientCount) : nil }

    func service(for client: AcceptedClient) -> (any ClientService)? {
        guard let served = scenario(for: client.upgrade.request) else { return nil }
        clientCount += 1
        let number = client.number
        return ClientScenario(served, for: client, of: run) { [unowned self] in failed($0, of: number) }
    }

    private func scenario(for request: RequestHead) -> Scenario? {
        scenarios.first { $0.concerns(request) }?.scenario
    }

    func refusal(of upgrade: ServerUpgrade) -> HandshakeRefusal? {
        guard scenario(for: upgrade.request) == nil else { return nil }
        return .rejection(
            of: upgrade.request, with: 404, because: "There is no scenario for this path.", policy: run.settings.policy)
    }

    private func failed(_ failure: ScenarioFailure, of number: Int) {
        // A client that the server itself closes cannot go on.
        guard !run.isEnding else { return }
        failureCount += 1
        if !run.adopt(.scenarioFailed(failure), of: number) {
            run.diagnostics.error("client \(number): the scenario failed in \(failure)")
            run.outputs.writeEvent { $0.writeFailure(.scenarioFailed(failure), client: number) }
        }
        guard let client = run.broadcaster.clients[number] else { return }
        // RFC 6455 §7.4.1: 1008 is for messages that violate the endpoint's policy. 1002 would blame the client's frames.
        // The client must not learn the expected values: they may be secrets, such as those of {{env:NAME}}.
        let reason = "the scenario failed in \(failure.place)"
        run.broadcaster.close(client, with: CloseFrame(code: .policyViolation, reason: reason))
    }
}

/// Plays the opposite side of a scenario with one client.
final class ClientScenario: ClientService {
    private enum State {
        case playing
        /// The failure has been reported.
        case failed
        case ended
    }

    private var player: ScenarioPlayer
    private let number: Int
    private unowned let run: ListenRun
    private let didFail: (ScenarioFailure) -> Void
    private var state = State.playing
    /// Ends a pause.
    private lazy var timer = DeadlineTimer(on: run.loop) { [unowned self] in
        player.deadline
    } action: { [unowned self] in
        player.timePassed(at: run.loop.nowNanoseconds, self)
        awaitNextEvent()
    }

    fileprivate init(
        _ scenario: Scenario, for client: AcceptedClient, of run: ListenRun,
        didFail: @escaping (ScenarioFailure) -> Void
    ) {
        number = client.number
        self.run = run
        self.didFail = didFail
        // The client's time limits are not those of its peer.
        player = ScenarioPlayer(
            scenario, connection: UInt64(number), defaultTimeout: .zero, repeats: scenario.hasRepetition,
            clockOffset: run.loop.clockOffset, seed: .random(in: .min ... .max))
        run.settings.variables.set(&player.variables)
        player.variables.request = client.upgrade.request
    }

    /// Starts at the end of the turn: the response to the client's request is sent first.
    func begin(with client: Connection<ListenClient>) {
        run.loop.atEndOfTurn(self)
    }

    var takesDecoded: Bool { true }

    /// Handles a message. The next steps follow at the end of the turn.
    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        player.received(payload, as: kind, at: run.loop.nowNanoseconds, self)
        run.loop.atEndOfTurn(self)
    }

    func received(control opcode: Opcode, _ payload: RawSpan, from client: Connection<ListenClient>) {
        player.received(control: opcode, at: run.loop.nowNanoseconds, self)
        run.loop.atEndOfTurn(self)
    }

    func ended(_ end: ConnectionEnd) {
        timer.stop()
        player.connectionEnded(ScenarioFailure.Ending(end), at: run.loop.nowNanoseconds, self)
        reportFailure()
        state = .ended
    }

    /// Waits for the client or the end of a pause, or ends the connection.
    private func awaitNextEvent() {
        reportFailure()
        // In the next turn, so a scenario that never waits leaves turns to other clients.
        if player.isBetweenIterations { return run.loop.atEndOfNextTurn(self) }
        timer.update()
    }

    private func reportFailure() {
        guard case .failed(let failure) = player.phase, state == .playing else { return }
        state = .failed
        didFail(failure)
    }
}

extension ClientScenario: EndOfTurnWork {
    /// Carries out the next steps.
    func endTurn() {
        guard state != .ended else { return }
        player.advance(at: run.loop.nowNanoseconds, self)
        awaitNextEvent()
    }
}

extension ClientScenario: ScenarioPlayer.Port {
    func send(_ payload: RawSpan, as kind: MessageKind) throws(ProtocolInputError) -> Bool {
        do throws(CodecError) {
            return try run.broadcaster.encoder.encode(payload, as: kind) { play(.message($1), $0) }
        } catch {
            throw ProtocolInputError("\(error)")
        }
    }

    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool { play(opcode == .ping ? .ping : .pong, payload) }
    func close(_ frame: CloseFrame) -> Bool { play(.close(frame), RawSpan()) }
    func drop() { run.broadcaster.clients[number]?.terminate() }

    /// Sends an item, and records and shows it. Returns `false` if the client is closed.
    private func play(_ item: InputItem, _ payload: RawSpan) -> Bool {
        guard let client = run.broadcaster.clients[number], client.takesMessages else { return false }
        run.broadcaster.send(item, payload, to: client)
        return true
    }
}
