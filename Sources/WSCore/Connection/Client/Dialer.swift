/// Connects to a host or to the path of a Unix domain socket: name → addresses → the first that answers. Connection
/// attempts start while further addresses are still being looked up.
internal final class Dialer {
    /// Where to connect to.
    enum Destination: Equatable {
        case host(String, port: UInt16)
        /// The path of a Unix domain socket.
        case unix(path: String)
    }

    /// An open stream, and where it leads: an address and port, or a socket's path.
    typealias Opened = (stream: SystemStream, peer: String)

    private let destination: Destination
    private let network: NetworkSettings
    private let loop: EventLoop
    private let completion: (Result<Opened, ConnectError>) -> Void
    /// Called when there is the first address to try.
    var didResolve: (() -> Void)?
    private var lookup: HostLookup?
    private var race: HappyEyeballs?
    private var attempt: ConnectAttempt?
    private var isOver = false

    init(
        _ destination: Destination, network: NetworkSettings, on loop: EventLoop,
        completion: @escaping (Result<Opened, ConnectError>) -> Void
    ) {
        self.destination = destination
        self.network = network
        self.loop = loop
        self.completion = completion
    }

    /// Starts to connect.
    func start() {
        switch destination {
        case .unix(let path): connect(toPath: path)
        case .host(let host, let port): open(host, port: port)
        }
    }

    /// Stops connecting; the completion is not called.
    func cancel() {
        isOver = true
        lookup?.cancel()
        race?.cancel()
        attempt?.cancel()
        lookup = nil
        race = nil
        attempt = nil
    }

    private func open(_ host: String, port: UInt16) {
        if let zone = SocketAddress.unknownZone(of: host),
            AddressOverride.addresses(for: host, port: port, in: network.overrides) == nil
        {
            return finish(.failure(.unknownZone(zone, host: host)))
        }
        let lookup = HostLookup(network: network, on: loop) { [self] addresses in
            found(addresses)
        } didEnd: { [self] error in
            ended(host, error)
        }
        self.lookup = lookup
        lookup.start(host, port: port)
    }

    private func found(_ addresses: [SocketAddress]) {
        guard !isOver else { return }
        if let race { return race.add(addresses) }
        didResolve?()
        let race = HappyEyeballs(on: loop, from: network.sources) { [self] result in
            finish(result.map { stream, address in (stream, address.description) })
        }
        self.race = race
        race.add(addresses)
    }

    private func ended(_ host: String, _ error: IOError?) {
        lookup = nil
        switch error {
        case nil: race?.noMoreAddresses()
        case .noAddress? where network.family != nil: finish(.failure(.noAddress(host: host)))
        case let error?: finish(.failure(.unresolvable(host: host, error)))
        }
    }

    private func connect(toPath path: String) {
        didResolve?()
        do throws(IOError) {
            attempt = try SystemStream.connect(toPath: path, on: loop) { [self] result in
                attempt = nil
                finish(result.map { ($0, path) }.mapError { .unreachable([(path, .system($0))]) })
            }
        } catch {
            finish(.failure(.unreachable([(path, .system(error))])))
        }
    }

    private func finish(_ result: Result<Opened, ConnectError>) {
        guard !isOver else {
            if case .success(let opened) = result { opened.stream.close() }
            return
        }
        isOver = true
        lookup?.cancel()
        lookup = nil
        race = nil
        completion(result)
    }
}
