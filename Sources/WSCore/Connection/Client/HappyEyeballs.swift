/// Connects to the first of several addresses to answer (RFC 8305 §5, "Happy Eyeballs").
///
///      add ──► waiting: IPv6, IPv4 ──► attempts ──► the first to succeed
///               (one of each in turn)      └──────► failures
///
/// Families alternate; within a family, addresses keep their order. If an attempt fails, the next one starts at once.
/// If it is slow, the next one starts after the attempt delay, and both continue. The first to succeed wins, and the
/// others are closed. Addresses may be added during the race, so it can start before the lookup is complete.
internal final class HappyEyeballs {
    /// RFC 8305 §5: the recommended Connection Attempt Delay.
    static let attemptDelay = Duration.milliseconds(250)

    private let loop: EventLoop
    private let sources: [SocketAddress]
    private let completion: (Result<(SystemStream, SocketAddress), ConnectError>) -> Void
    private var waiting: [SocketAddress] = []
    private var mayGrow = true
    private var lastFamily: SocketAddress.Family?
    private var attemptCount = 0
    private var attempts: [ConnectAttempt] = []
    private var failures: [(attempt: Int, address: SocketAddress, error: AttemptError)] = []
    private var timer: Timer?
    /// Whether the attempt delay of the latest attempt is running.
    private var isDelaying = false
    private var isOver = false

    /// Prepares a race, which starts when the first address is added.
    /// - Parameters:
    ///   - sources: The local addresses to connect from; the first of each family is used. If empty, the system chooses.
    ///   - completion: Called once, within ``add(_:)`` or ``noMoreAddresses()`` if all attempts have failed.
    init(
        on loop: EventLoop, from sources: [SocketAddress] = [],
        completion: @escaping (Result<(SystemStream, SocketAddress), ConnectError>) -> Void
    ) {
        self.loop = loop
        self.sources = sources
        self.completion = completion
    }

    /// Adds addresses to the race.
    func add(_ addresses: [SocketAddress]) {
        waiting += addresses
        if !isDelaying { startNext() }
    }

    /// Declares the address list complete. The race fails when all attempts have failed.
    func noMoreAddresses() {
        mayGrow = false
        failIfUsedUp()
    }

    /// Closes all attempts. The completion is not called.
    func cancel() {
        isOver = true
        timer = nil
        waiting = []
        for attempt in attempts { attempt.cancel() }
        attempts = []
    }

    /// RFC 8305 §4: alternate the families while both have addresses left, each in its own order.
    private func popNext() -> SocketAddress? {
        let other = waiting.firstIndex { $0.family != lastFamily }
        guard let index = other ?? waiting.indices.first else { return nil }
        return waiting.remove(at: index)
    }

    private func startNext() {
        isDelaying = false
        timer?.stop()
        while !isOver, !isDelaying, let address = popNext() {
            lastFamily = address.family
            attemptCount += 1
            let attempt = attemptCount
            do throws(AttemptError) {
                attempts.append(
                    try connect(to: address) { [self] result in completed(attempt, address, result) })
                delay()
            } catch {
                failures.append((attempt, address, error))
            }
        }
        failIfUsedUp()
    }

    private func connect(
        to address: SocketAddress, completion: @escaping ConnectAttempt.Completion
    ) throws(AttemptError) -> ConnectAttempt {
        guard !address.needsZone else { throw .missingZone }
        let source = sources.first { $0.family == address.family }
        guard source != nil || sources.isEmpty else { throw .noSource(address.family) }
        return try SystemStream.connect(to: address, from: source, on: loop, completion: completion)
    }

    private func delay() {
        isDelaying = true
        let timer = self.timer ?? Timer(on: loop) { [unowned self] in startNext() }
        timer.start(after: Self.attemptDelay)
        self.timer = timer
    }

    private func completed(_ attempt: Int, _ address: SocketAddress, _ result: Result<SystemStream, IOError>) {
        guard !isOver else { return }
        attempts.removeAll { $0.isOver }
        switch result {
        case .success(let stream):
            finish(.success((stream, address)))
        case .failure(let error):
            failures.append((attempt, address, .system(error)))
            startNext()
        }
    }

    private func failIfUsedUp() {
        guard !isOver, !mayGrow, waiting.isEmpty, attempts.isEmpty else { return }
        // In the order of the attempts, which may differ from the order of the failures.
        let sorted = failures.sorted { $0.attempt < $1.attempt }
        finish(.failure(.unreachable(sorted.map { ($0.address.description, $0.error) })))
    }

    private func finish(_ result: Result<(SystemStream, SocketAddress), ConnectError>) {
        cancel()
        completion(result)
    }
}
