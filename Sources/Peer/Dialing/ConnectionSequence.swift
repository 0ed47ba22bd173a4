import UserInterface
import WSCore

/// An attempt to open a connection. Unit tests provide attempts without a network.
package protocol ConnectionAttempt: AnyObject {
    /// The requested URL, after redirects.
    var url: WebSocketURL { get }
    /// The current phase.
    var phase: ConnectError.Phase { get }
    /// Called for each step.
    var didStep: ((Connector.Step) -> Void)? { get set }
    func start()
    /// Cancels the attempt without calling its completion.
    func cancel()
}

extension Connector: ConnectionAttempt {}

/// The connections of a run to a server. Opens the first one and, with a backoff, another one after a loss or a failed
/// attempt.
///
///      [programs] ──► connecting ──► open ──► waiting ──► [programs] …
///          ▲   401, once │  │                    ▲
///          └─────────────┘  └────────────────────┘
///
/// Programs write secrets (``SecretCommand``). Before the first attempt of a run, they have already run.
package final class ConnectionSequence {
    /// Where the connections lead to.
    package struct Destination {
        /// The URL before redirects.
        let url: WebSocketURL
        /// The time limit of an attempt, with its programs.
        let timeLimit: Duration
        let secrets: Secrets
        /// The programs that run before each attempt.
        let commands: [SecretCommand]
        /// Returns the way to the server, with the latest outputs of the programs.
        let settings: () throws(Failure) -> Connector.Settings
        /// Creates an attempt, which calls the completion once.
        let attempt: (Connector.Settings, @escaping Completion) -> any ConnectionAttempt

        package init(
            _ url: WebSocketURL, timeLimit: Duration, secrets: Secrets, commands: [SecretCommand],
            settings: @escaping () throws(Failure) -> Connector.Settings,
            attempt: @escaping (Connector.Settings, @escaping Completion) -> any ConnectionAttempt
        ) {
            self.url = url
            self.timeLimit = timeLimit
            self.secrets = secrets
            self.commands = commands
            self.settings = settings
            self.attempt = attempt
        }
    }

    package typealias Completion = (Result<Connector.Opened, ConnectError>) -> Void

    /// What happens to the connections.
    package enum Event {
        /// An attempt starts.
        case starts
        case step(Connector.Step)
        case opened(Connector.Opened)
        /// There is no connection. Another attempt follows after a while; `isShortened`: the server has asked for a longer
        /// one.
        case waits(Duration, isShortened: Bool, because: Failure)
        /// There is no connection, and no further attempt.
        case gaveUp(because: Failure)
    }

    private enum State {
        case running([SecretProgram])
        case connecting(any ConnectionAttempt)
        case open(since: Duration)
        case waiting(Timer, until: Duration)
        case over
    }

    private let destination: Destination
    private let loop: EventLoop
    private let report: (Event) -> Void
    private var backoff: Backoff?
    private let codes: RetriedCodes
    private var state = State.over
    /// When the current attempt started, in loop time.
    private var startTime = Duration.zero
    /// Whether the programs run again after a 401.
    private var mayRunAgain = false

    /// Prepares a sequence of connections.
    /// - Parameters:
    ///   - backoff: The waits between attempts, or `nil` to give up after a failure.
    ///   - codes: The close codes and statuses that lead to another attempt, too.
    ///   - loop: The loop that the connections use.
    ///   - report: Called for each event.
    package init(
        _ destination: Destination, backoff: Backoff?, retrying codes: RetriedCodes, on loop: EventLoop,
        report: @escaping (Event) -> Void
    ) {
        self.destination = destination
        self.backoff = backoff
        self.codes = codes
        self.loop = loop
        self.report = report
    }

    /// The number of the current or next retry since the last stable connection; 0 before the first retry.
    package var tryCount: Int { backoff?.tryCount ?? 0 }

    /// The URL of the current attempt and its phase, which is `nil` while programs run, or `nil` if there is no attempt.
    package var attempt: (url: WebSocketURL, phase: ConnectError.Phase?)? {
        switch state {
        case .running: (destination.url, nil)
        case .connecting(let attempt): (attempt.url, attempt.phase)
        case .open, .waiting, .over: nil
        }
    }

    /// The loop time of the next attempt, or `nil` if none is being waited for.
    package var nextAttemptTime: Duration? {
        if case .waiting(_, let time) = state { time } else { nil }
    }

    /// Whether a connection is open, being opened, or waited for.
    package var isActive: Bool {
        if case .over = state { false } else { true }
    }

    /// Opens a connection.
    package func start() {
        report(.starts)
        startTime = loop.now
        let outputs = destination.secrets.outputs
        let isFirst = outputs.areForFirstConnection
        outputs.areForFirstConnection = false
        mayRunAgain = !destination.commands.isEmpty
        if destination.commands.isEmpty || isFirst { connect() } else { runPrograms() }
    }

    /// Opens a connection now, even if the next attempt is not due, unless one is open or being opened.
    package func startNow() {
        switch state {
        case .waiting, .over: start()
        case .running, .connecting, .open: break
        }
    }

    /// Stops opening connections. There are no further events.
    package func cancel() {
        let left = state
        state = .over
        switch left {
        case .running(let programs): for program in programs { program.cancel() }
        case .connecting(let attempt): attempt.cancel()
        case .open, .waiting, .over: break
        }
    }

    // MARK: Attempts

    private func runPrograms() {
        let limit = destination.timeLimit - (loop.now - startTime)
        let (commands, secrets) = (destination.commands, destination.secrets)
        var waitingCount = commands.count
        let programs = commands.map { command in
            SecretProgram(command, limit: limit, environment: secrets.environment, on: loop) { [weak self] result in
                guard let self, case .running = state else { return }
                switch result {
                case .failure(let failure): secretsFailed(failure)
                case .success(let output):
                    secrets.store(output, of: command)
                    waitingCount -= 1
                    if waitingCount == 0 { connect() }
                }
            }
        }
        state = .running(programs)
        for program in programs {
            if case .running = state { program.start() }
        }
    }

    private func connect() {
        var settings: Connector.Settings
        do throws(Failure) {
            settings = try destination.settings()
        } catch {
            // Only programs may write something else the next time.
            return destination.commands.isEmpty ? failed(error) : secretsFailed(error)
        }
        settings.timeouts.elapsed = loop.now - startTime
        let attempt = destination.attempt(settings) { [weak self] result in self?.attemptEnded(result) }
        attempt.didStep = { [unowned self] step in report(.step(step)) }
        state = .connecting(attempt)
        attempt.start()
    }

    private func attemptEnded(_ result: Result<Connector.Opened, ConnectError>) {
        guard case .connecting(let attempt) = state else { return }
        switch result {
        case .success(let opened):
            state = .open(since: loop.now)
            report(.opened(opened))
        case .failure(let error):
            // After redirects, the failing server may differ from the first one.
            let failure = Failure.connecting(url: attempt.url.shortDescription, error)
            guard mayRunAgain, let head = failure.refusal?.head, head.status == 401 else { return failed(failure) }
            mayRunAgain = false
            report(.step(.received(head)))
            if case .connecting = state { runPrograms() }
        }
    }

    /// Handles a program that has failed, or whose output cannot be used.
    private func secretsFailed(_ failure: Failure) {
        cancel()
        failed(.renewingSecrets(url: destination.url.shortDescription, failure))
    }

    // MARK: Losses and failures

    /// Opens another connection after one was lost.
    /// - Parameters:
    ///   - failure: The reason for the loss.
    ///   - hasConfirmed: Whether the peer confirmed messages on the lost connection.
    package func connectionWasLost(because failure: Failure, hasConfirmed: Bool) {
        if case .open(let openTime) = state {
            backoff?.connectionWasLost(
                after: loop.now - openTime, silentFor: failure.silence, hasConfirmed: hasConfirmed)
        }
        failed(failure)
    }

    private func failed(_ failure: Failure) {
        state = .over
        guard backoff != nil, codes.retries(failure) else { return report(.gaveUp(because: failure)) }
        let requested = failure.refusal?.head.retryDelay(at: WallTime.now.seconds) ?? .zero
        // A server that asks for another connection expects it.
        let isExpected = if case .left = failure { tryCount == 0 } else { false }
        guard let wait = backoff?.nextWait(random: isExpected ? 0 : Self.random(), atLeast: requested) else {
            return report(.gaveUp(because: .gaveUp(after: tryCount, failure)))
        }
        let timer = Timer(on: loop) { [unowned self] in start() }
        state = .waiting(timer, until: loop.now + wait)
        timer.start(after: wait)
        report(.waits(wait, isShortened: wait < requested, because: failure))
    }

    private static func random() -> UInt64 {
        SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
