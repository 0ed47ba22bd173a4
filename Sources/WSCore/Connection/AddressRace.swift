/// Connects to whichever of several addresses answers first (RFC 8305 §5, "Happy Eyeballs").
///
/// The addresses are tried in order, families alternating. An attempt that fails is followed by the next at once;
/// one that is slow, after the attempt delay, and both go on. The first to succeed wins and the others are closed.
internal final class AddressRace {
    /// RFC 8305 §5: the recommended Connection Attempt Delay.
    static let attemptDelay = Duration.milliseconds(250)

    /// An address and why it could not be reached.
    typealias Failure = (address: SocketAddress, error: IOError)

    private let loop: EventLoop
    private let completion: (Result<(SystemStream, SocketAddress), ConnectError>) -> Void
    private var waiting: ArraySlice<SocketAddress>
    private var attempts: [SystemStream] = []
    private var failures: [Failure] = []
    private var timer: Timer?
    private var isOver = false

    /// Prepares a race among `addresses`, in the order in which the name service gave them.
    init(
        _ addresses: [SocketAddress], on loop: EventLoop,
        completion: @escaping (Result<(SystemStream, SocketAddress), ConnectError>) -> Void
    ) {
        self.loop = loop
        self.completion = completion
        waiting = Self.alternatingFamilies(addresses)[...]
    }

    /// Begins with the first address.
    func start() {
        timer = Timer(on: loop) { [unowned self] in startNext() }
        startNext()
    }

    /// Closes all attempts; the completion is not called.
    func cancel() {
        isOver = true
        timer = nil
        for attempt in attempts { attempt.close() }
        attempts = []
    }

    /// RFC 8305 §4: the first address stays first, and after it the families alternate while both have addresses left.
    static func alternatingFamilies(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        var preferred = addresses.filter { $0.family == first.family }[...]
        var other = addresses.filter { $0.family != first.family }[...]
        var result: [SocketAddress] = []
        while !preferred.isEmpty || !other.isEmpty {
            if let next = preferred.popFirst() { result.append(next) }
            if let next = other.popFirst() { result.append(next) }
        }
        return result
    }

    private func startNext() {
        guard !isOver else { return }
        guard let address = waiting.popFirst() else {
            if attempts.isEmpty { finish(.failure(.unreachable(failures.map { ($0.address.description, $0.error) }))) }
            return
        }
        do throws(IOError) {
            let attempt = try SystemStream.connect(to: address, on: loop) { [self] result in
                completed(address, result)
            }
            attempts.append(attempt)
            if !waiting.isEmpty { timer?.start(after: Self.attemptDelay) }
        } catch {
            failures.append((address, error))
            startNext()
        }
    }

    private func completed(_ address: SocketAddress, _ result: Result<SystemStream, IOError>) {
        guard !isOver else { return }
        attempts.removeAll { $0.isClosed }
        switch result {
        case .success(let stream):
            attempts.removeAll { $0 === stream }
            finish(.success((stream, address)))
        case .failure(let error):
            failures.append((address, error))
            startNext()
        }
    }

    private func finish(_ result: Result<(SystemStream, SocketAddress), ConnectError>) {
        cancel()
        completion(result)
    }
}
