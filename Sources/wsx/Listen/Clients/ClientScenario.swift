import Conversation
import WSCore

/// Plays the opposite side of a scenario for one client of `wsx listen --scenario`.
final class ClientScenario {
    /// The server as the player sees it.
    protocol Host: AnyObject {
        /// The loop that everything runs on.
        var loop: EventLoop { get }
        /// Sends an item to a client, and records and shows it. Returns `false` if the client is closed.
        func play(_ item: InputItem, _ payload: RawSpan, to client: Int) -> Bool
        /// Ends a client's connection without a closing handshake.
        func drop(_ client: Int)
        /// Reports that a client deviates from the scenario, and closes its connection.
        func scenarioFailed(_ failure: ScenarioFailure, of client: Int)
    }

    private var player: ScenarioPlayer
    private let number: Int
    private unowned let host: any Host
    /// Ends a pause.
    private var timer: Timer?
    private var isDropping = false
    private var hasEnded = false
    private var hasReportedFailure = false

    /// Prepares the scenario of a newly accepted client.
    init(_ scenario: Scenario, client number: Int, of host: any Host) {
        self.number = number
        self.host = host
        let clockOffset = WallTime.now.millisecondsSinceEpoch &* 1_000_000 &- host.loop.nowNanoseconds
        // The client's time limits are not those of its peer.
        player = ScenarioPlayer(
            scenario, connection: UInt64(number), defaultTimeout: .zero, repeats: scenario.hasRepetition,
            clockOffset: clockOffset, seed: .random(in: .min ... .max))
    }

    /// Starts at the end of the turn: the response to the client's request is sent first.
    func begin() {
        host.loop.atEndOfTurn(self)
    }

    /// Handles a message. The next steps follow at the end of the turn.
    func received(_ payload: RawSpan, as kind: MessageKind) {
        player.received(payload, as: kind, at: host.loop.nowNanoseconds, self)
        host.loop.atEndOfTurn(self)
    }

    /// Handles a ping or a pong.
    func received(control opcode: Opcode) {
        player.received(control: opcode, at: host.loop.nowNanoseconds, self)
        host.loop.atEndOfTurn(self)
    }

    /// Handles the end of the connection.
    func ended(_ end: ScenarioFailure.Ending) {
        timer = nil
        hasEnded = true
        player.connectionEnded(end, at: host.loop.nowNanoseconds, self)
        reportFailure()
    }

    /// Waits for the client or the end of a pause, or ends the connection.
    private func awaitNextEvent() {
        reportFailure()
        if isDropping { return host.drop(number) }
        // In the next turn, so a scenario that never waits leaves turns to other clients.
        if player.isBetweenIterations { return host.loop.atEndOfNextTurn(self) }
        guard let deadline = player.deadline else { return timer = nil }
        let now = host.loop.nowNanoseconds
        let timer = Timer(on: host.loop) { [unowned self] in
            player.timePassed(at: host.loop.nowNanoseconds, self)
            awaitNextEvent()
        }
        self.timer = timer
        // The loop's timers may fire up to a millisecond early.
        timer.start(after: .nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0)) + .milliseconds(1))
    }

    private func reportFailure() {
        guard case .failed(let failure) = player.phase, !hasReportedFailure else { return }
        hasReportedFailure = true
        host.scenarioFailed(failure, of: number)
    }
}

extension ClientScenario: EndOfTurnWork {
    /// Carries out the next steps.
    func endTurn() {
        guard !hasEnded else { return }
        let now = host.loop.nowNanoseconds
        if player.phase == .notStarted { player.start(at: now, self) } else { player.advance(at: now, self) }
        awaitNextEvent()
    }
}

extension ClientScenario: ScenarioPlayer.Port {
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { host.play(.message(kind), payload, to: number) }
    func sendPing(_ payload: RawSpan) -> Bool { host.play(.ping, payload, to: number) }
    func sendPong(_ payload: RawSpan) -> Bool { host.play(.pong, payload, to: number) }
    func close(_ frame: CloseFrame) -> Bool { host.play(.close(frame), RawSpan(), to: number) }
    func drop() { isDropping = true }
    func stepEnded(_ index: Int, nanoseconds: UInt64) {}
    func iterationEnded() {}
}
