import WSCore

/// The connections of a run, one after another: opens the first and, where that is wished for, another when one is
/// lost or does not come about.
///
///      connecting ──► open ──► waiting ──► connecting …
///           └─────────────────────▲
///
/// All share TLS sessions and cookies.
final class ConnectionSequence {
    /// What a run does with them.
    protocol Delegate: AnyObject {
        /// Takes a connection.
        func sequence(_ sequence: ConnectionSequence, didOpen opened: Connector.Opened)
        /// Called when a try failed, or a connection was lost, and another try follows after a wait.
        func sequence(_ sequence: ConnectionSequence, willWait wait: Duration, because failure: Failure)
        /// There is no further try.
        func sequence(_ sequence: ConnectionSequence, didGiveUp failure: Failure)
    }

    private enum State {
        case connecting(Connector)
        case open(since: Duration)
        case waiting(Timer)
        case over
    }

    /// How many have been opened.
    private(set) var openedCount = 0
    /// Called with each step of the way.
    var didStep: ((Connector.Step) -> Void)?
    /// Called when a connection begins to be opened.
    var didStart: (() -> Void)?

    private let target: Connector.Settings
    private let resources: ConnectorResources
    private let loop: EventLoop
    private unowned let delegate: any Delegate
    private var backoff: Backoff?
    private var state = State.over

    /// Prepares connections.
    /// - Parameters:
    ///   - target: Where they lead, and how.
    ///   - resources: What they share.
    ///   - backoff: When it is tried again; nil: never.
    ///   - loop: The loop they belong to.
    ///   - delegate: Takes them.
    init(
        to target: Connector.Settings, resources: ConnectorResources, backoff: Backoff?,
        on loop: EventLoop, delegate: any Delegate
    ) {
        self.target = target
        self.resources = resources
        self.backoff = backoff
        self.loop = loop
        self.delegate = delegate
    }

    /// The number of the try that is waited for or under way, since the last connection that held; 0: the first of all.
    var tryCount: Int { backoff?.tryCount ?? 0 }

    /// Whether a connection is open, being opened or waited for.
    var isActive: Bool {
        if case .over = state { false } else { true }
    }

    /// Opens a connection.
    func start() {
        let connector = Connector(target, resources: resources, on: loop) { [unowned self] result in
            switch result {
            case .success(let opened):
                openedCount += 1
                state = .open(since: loop.now)
                delegate.sequence(self, didOpen: opened)
            case .failure(let error):
                // After redirects it is another server than the first that failed.
                guard case .connecting(let connector) = state else { return }
                failed(.connecting(url: "\(connector.url)", error))
            }
        }
        didStart?()
        connector.didStep = didStep
        state = .connecting(connector)
        connector.start()
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
        if case .connecting(let connector) = state { connector.cancel() }
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
