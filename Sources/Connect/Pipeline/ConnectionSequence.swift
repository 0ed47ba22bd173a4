import UserInterface
import WSCore

/// An attempt to open a connection. Unit tests provide attempts without a network.
protocol ConnectionAttempt: AnyObject {
    /// The requested URL, after redirects.
    var url: WebSocketURL { get }
    /// The current phase.
    var phase: ConnectError.Phase { get }
    /// Whether programs run before the first phase.
    var runsPrograms: Bool { get }
    /// Called for each step.
    var didStep: ((Connector.Step) -> Void)? { get set }
    func start()
    /// Cancels the attempt without calling its completion.
    func cancel()
}

extension ConnectionAttempt {
    var runsPrograms: Bool { false }
}

extension Connector: ConnectionAttempt {}

/// The connections of a run. Opens the first one and, with `--reconnect`, another one after a loss or a failed attempt.
///
///      connecting ──► open ──► waiting ──► connecting …
///           └─────────────────────▲
final class ConnectionSequence {
    /// Creates an attempt, which calls its completion once.
    typealias Dial = (
        _ completion: @escaping SecretAttempt.Completion
    ) -> any ConnectionAttempt

    private enum State {
        case connecting(any ConnectionAttempt)
        case open(since: Duration)
        case waiting(Timer, until: Duration)
        case over
    }

    private let dial: Dial
    private let loop: EventLoop
    private unowned let run: ConnectRun
    private var backoff: Backoff?
    private var state = State.over

    /// Prepares a sequence of connections.
    /// - Parameters:
    ///   - backoff: The waits between attempts, or `nil` to give up after a failure.
    ///   - loop: The loop that the connections use.
    ///   - run: Receives the connections.
    ///   - dial: Creates an attempt.
    init(backoff: Backoff?, on loop: EventLoop, run: ConnectRun, dial: @escaping Dial) {
        self.backoff = backoff
        self.loop = loop
        self.run = run
        self.dial = dial
    }

    /// The number of the current or next retry since the last stable connection; 0 before the first retry.
    var tryCount: Int { backoff?.tryCount ?? 0 }

    /// The current attempt to connect, or `nil` if there is none.
    var attempt: (any ConnectionAttempt)? {
        if case .connecting(let attempt) = state { attempt } else { nil }
    }

    /// The loop time of the next attempt, or `nil` if none is being waited for.
    var nextAttemptTime: Duration? {
        if case .waiting(_, let time) = state { time } else { nil }
    }

    /// Whether a connection is open, being opened, or waited for.
    var isActive: Bool {
        if case .over = state { false } else { true }
    }

    /// Opens a connection.
    func start() {
        let attempt = dial { [unowned self] result in
            switch result {
            case .success(let opened):
                state = .open(since: loop.now)
                run.sequence(self, didOpen: opened)
            case .failure(.secret(let failure)): failed(failure)
            case .failure(.connecting(let error)):
                // After redirects, the failing server may differ from the first one.
                guard case .connecting(let attempt) = state else { return }
                failed(.connecting(url: attempt.url.shortDescription, error))
            }
        }
        run.sequenceWillStart(self)
        attempt.didStep = { [unowned self] step in run.sequence(self, didStep: step) }
        state = .connecting(attempt)
        attempt.start()
    }

    /// Opens a connection now, even if the next attempt is not due, unless one is open or being opened.
    func startNow() {
        switch state {
        case .waiting, .over: start()
        case .connecting, .open: break
        }
    }

    /// Stops opening connections. The run is not called again.
    func cancel() {
        if case .connecting(let attempt) = state { attempt.cancel() }
        state = .over
    }

    /// Opens another connection after one was lost.
    /// - Parameters:
    ///   - failure: The reason for the loss.
    ///   - hasConfirmed: Whether the peer confirmed messages on the lost connection.
    func connectionWasLost(because failure: Failure, hasConfirmed: Bool) {
        if case .open(let openTime) = state {
            let silence: Duration = if case .silent(let silence, _) = failure { silence } else { .zero }
            backoff?.connectionWasLost(
                after: loop.now - openTime, silentFor: silence, hasConfirmed: hasConfirmed)
        }
        failed(failure)
    }

    private func failed(_ failure: Failure) {
        state = .over
        guard backoff != nil, failure.report.isWorthRetrying else { return run.sequence(self, didGiveUp: failure) }
        let requested = failure.refusal?.head.retryDelay(at: WallTime.now.seconds) ?? .zero
        guard let wait = backoff?.nextWait(random: Self.random(), atLeast: requested) else {
            return run.sequence(self, didGiveUp: .gaveUp(after: tryCount, failure))
        }
        let timer = Timer(on: loop) { [unowned self] in start() }
        state = .waiting(timer, until: loop.now + wait)
        timer.start(after: wait)
        run.sequence(self, willWait: wait, isShortened: wait < requested, because: failure)
    }

    private static func random() -> UInt64 {
        SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

// The settings of the connections.
extension ConnectSettings {
    /// The limits and the behavior of the connection.
    func connection<Handler>(handledBy type: Handler.Type = Handler.self) -> Connection<Handler>.Settings {
        Connection.Settings(
            role: .client,
            limits: Limits(
                maximumMessageBytes: arguments.client.limits.maximumMessageBytes,
                maximumFragments: arguments.client.limits.maximumFragments),
            fragmentBytes: arguments.client.limits.fragmentBytes, closeTimeout: arguments.client.limits.closeTimeout,
            // A peer that does not read the answers gets no more of them.
            pausesReadingWhenFull: exchange?.answers.isEmpty == false)
    }

    /// The backoff between connection attempts, or `nil` without `--reconnect`.
    var backoff: Backoff? {
        switch arguments.staying.reconnection {
        case .never: nil
        case .times(let count): Backoff(maximumTries: count, delays: delays)
        case .always: Backoff(delays: delays)
        }
    }

    private var delays: Backoff.Delays {
        if let range = arguments.staying.reconnectDelay { return .between(range) }
        return isRepl || connector.isLocal ? .interactive : .standard
    }

    /// The heartbeat settings, or `nil` without a heartbeat.
    var heartbeat: HeartbeatTimer<ConnectRun>.Settings? {
        arguments.staying.heartbeats.heartbeat.map { interval in
            HeartbeatTimer.Settings(
                interval: interval, maximumMisses: arguments.staying.heartbeats.heartbeatMisses,
                message: arguments.staying.heartbeatMessage.map { Array($0.utf8) })
        }
    }
}
