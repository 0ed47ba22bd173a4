import WSCore

/// One attempt to open a connection. Unit tests have attempts without a network.
protocol ConnectionAttempt: AnyObject {
    /// The URL that is asked for, after redirects.
    var url: WebSocketURL { get }
    /// Called with each step.
    var didStep: ((Connector.Step) -> Void)? { get set }
    func start()
    /// Gives the attempt up; its completion is not called.
    func cancel()
}

extension Connector: ConnectionAttempt {}

/// The connections of a run, one after another: opens the first and, with `--reconnect`, another when one is lost or
/// cannot be opened.
///
///      connecting ──► open ──► waiting ──► connecting …
///           └─────────────────────▲
final class ConnectionSequence {
    /// Prepares an attempt, which calls its completion once.
    typealias Dial = (
        _ completion: @escaping (Result<Connector.Opened, ConnectError>) -> Void
    ) -> any ConnectionAttempt

    /// What a run does with the connections.
    protocol Delegate: AnyObject {
        /// Called when a connection begins to be opened.
        func sequenceWillStart(_ sequence: ConnectionSequence)
        /// Called with each step on the way to a connection.
        func sequence(_ sequence: ConnectionSequence, didStep step: Connector.Step)
        /// Takes a connection.
        func sequence(_ sequence: ConnectionSequence, didOpen opened: Connector.Opened)
        /// Called when a try failed, or a connection was lost, and another try follows after a wait.
        func sequence(_ sequence: ConnectionSequence, willWait wait: Duration, because failure: Failure)
        /// There is no further try.
        func sequence(_ sequence: ConnectionSequence, didGiveUp failure: Failure)
    }

    private enum State {
        case connecting(any ConnectionAttempt)
        case open(since: Duration)
        case waiting(Timer)
        case over
    }

    private let dial: Dial
    private let loop: EventLoop
    private unowned let delegate: any Delegate
    private var backoff: Backoff?
    private var state = State.over

    /// Prepares connections.
    /// - Parameters:
    ///   - backoff: When it is tried again; nil: never.
    ///   - loop: The loop they belong to.
    ///   - delegate: Takes them.
    ///   - dial: Prepares an attempt.
    init(backoff: Backoff?, on loop: EventLoop, delegate: any Delegate, dial: @escaping Dial) {
        self.backoff = backoff
        self.loop = loop
        self.delegate = delegate
        self.dial = dial
    }

    /// The number of the try that is waited for or under way, since the last connection that held; 0: the first of all.
    var tryCount: Int { backoff?.tryCount ?? 0 }

    /// Whether a connection is open, being opened or waited for.
    var isActive: Bool {
        if case .over = state { false } else { true }
    }

    /// Opens a connection.
    func start() {
        let attempt = dial { [unowned self] result in
            switch result {
            case .success(let opened):
                state = .open(since: loop.now)
                delegate.sequence(self, didOpen: opened)
            case .failure(let error):
                // After redirects it is another server than the first that failed.
                guard case .connecting(let attempt) = state else { return }
                failed(.connecting(url: "\(attempt.url)", error))
            }
        }
        delegate.sequenceWillStart(self)
        attempt.didStep = { [unowned self] step in delegate.sequence(self, didStep: step) }
        state = .connecting(attempt)
        attempt.start()
    }

    /// Opens a connection, also one that is not due yet, unless one is being opened.
    func startNow() {
        switch state {
        case .waiting, .over: start()
        case .connecting, .open: break
        }
    }

    /// Opens no more connections; the delegate is not called any more.
    func cancel() {
        if case .connecting(let attempt) = state { attempt.cancel() }
        state = .over
    }

    /// Opens another connection after one that was lost.
    /// - Parameters:
    ///   - failure: Why it was lost.
    ///   - hasConfirmed: Whether the peer confirmed messages on it.
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
        guard backoff != nil, failure.isWorthRetrying else { return delegate.sequence(self, didGiveUp: failure) }
        guard let wait = backoff?.nextWait(random: Self.random()) else {
            return delegate.sequence(self, didGiveUp: .gaveUp(after: tryCount, failure))
        }
        let timer = Timer(on: loop) { [unowned self] in start() }
        state = .waiting(timer)
        timer.start(after: wait)
        delegate.sequence(self, willWait: wait, because: failure)
    }

    private static func random() -> UInt64 {
        SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
