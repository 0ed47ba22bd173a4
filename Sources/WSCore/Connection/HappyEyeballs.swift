/// Connects to whichever of several addresses answers first (RFC 8305 §5, "Happy Eyeballs").
///
///      add ──► waiting: IPv6, IPv4 ──► attempts ──► the first to succeed
///               (one of each in turn)      └──────► failures
///
/// The families alternate, and within each the addresses keep their order. An attempt that fails is followed by the next
/// at once; one that is slow, after the attempt delay, and both go on. The first to succeed wins and the others are
/// closed. Addresses may join while the race is under way: a lookup need not be over for it to begin.
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
    private var attempts: [SystemStream] = []
    private var failures: [(attempt: Int, address: SocketAddress, error: AttemptError)] = []
    private var timer: Timer?
    /// Whether the latest attempt still has its time to succeed before another joins it.
    private var isDelaying = false
    private var isOver = false

    /// Prepares a race, which begins with the first address added.
    /// - Parameters:
    ///   - sources: The addresses to connect from: for each address the first of its family; none: as the system likes.
    ///   - completion: Called once; from within ``add(_:)`` and ``noMoreAddresses()``, too, when all has failed.
    init(
        on loop: EventLoop, from sources: [SocketAddress] = [],
        completion: @escaping (Result<(SystemStream, SocketAddress), ConnectError>) -> Void
    ) {
        self.loop = loop
        self.sources = sources
        self.completion = completion
    }

    /// Has further addresses take part.
    func add(_ addresses: [SocketAddress]) {
        waiting += addresses
        if !isDelaying { startNext() }
    }

    /// Lets the race fail when the addresses that it has are used up.
    func noMoreAddresses() {
        mayGrow = false
        failIfUsedUp()
    }

    /// Closes all attempts; the completion is not called.
    func cancel() {
        isOver = true
        timer = nil
        waiting = []
        for attempt in attempts { attempt.close() }
        attempts = []
    }

    /// RFC 8305 §4: the families alternate while both have addresses left, each in its own order.
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
        to address: SocketAddress, completion: @escaping SystemStream.Completion
    ) throws(AttemptError) -> SystemStream {
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
        attempts.removeAll { $0.isClosed }
        switch result {
        case .success(let stream):
            attempts.removeAll { $0 === stream }
            finish(.success((stream, address)))
        case .failure(let error):
            failures.append((attempt, address, .system(error)))
            startNext()
        }
    }

    private func failIfUsedUp() {
        guard !isOver, !mayGrow, waiting.isEmpty, attempts.isEmpty else { return }
        // In the order of the attempts, which may have failed in another.
        let sorted = failures.sorted { $0.attempt < $1.attempt }
        finish(.failure(.unreachable(sorted.map { ($0.address.description, $0.error) })))
    }

    private func finish(_ result: Result<(SystemStream, SocketAddress), ConnectError>) {
        cancel()
        completion(result)
    }
}
