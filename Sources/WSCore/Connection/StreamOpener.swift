/// Opens a stream to a host or a socket's path: name → addresses → the first that answers.
internal final class StreamOpener {
    /// Where a stream leads to.
    enum Destination: Equatable {
        case host(String, port: UInt16)
        /// The path of a Unix-domain socket.
        case unix(path: String)
    }

    /// An open stream, and where it leads: an address and port, or a socket's path.
    typealias Opened = (stream: SystemStream, peer: String)

    private let destination: Destination
    private let network: NetworkSettings
    private let loop: EventLoop
    private let completion: (Result<Opened, ConnectError>) -> Void
    /// Called when the name has been looked up.
    var didResolve: (() -> Void)?
    private var lookup: NameResolver?
    private var race: AddressRace?
    private var attempt: SystemStream?
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

    /// Begins.
    func start() {
        switch destination {
        case .unix(let path): connect(toPath: path)
        case .host(let host, let port):
            lookup = NameResolver.resolve(host, port: port, on: loop) { [self] result in resolved(host, result) }
        }
    }

    /// Calls it off; the completion is not called.
    func cancel() {
        isOver = true
        lookup?.cancel()
        race?.cancel()
        attempt?.close()
        lookup = nil
        race = nil
        attempt = nil
    }

    private func resolved(_ host: String, _ result: Result<[SocketAddress], IOError>) {
        guard !isOver else { return }
        switch result {
        case .failure(let error): finish(.failure(.unresolvable(host: host, error)))
        case .success(let all):
            let addresses = network.family.map { family in all.filter { $0.family == family } } ?? all
            guard !addresses.isEmpty else { return finish(.failure(.noAddress(host: host))) }
            didResolve?()
            let race = AddressRace(addresses, on: loop) { [self] result in
                finish(result.map { stream, address in (stream, address.description) })
            }
            self.race = race
            race.start()
        }
    }

    private func connect(toPath path: String) {
        didResolve?()
        do throws(IOError) {
            attempt = try SystemStream.connect(toPath: path, on: loop) { [self] result in
                attempt = nil
                finish(result.map { ($0, path) }.mapError { .unreachable([(path, $0)]) })
            }
        } catch {
            finish(.failure(.unreachable([(path, error)])))
        }
    }

    private func finish(_ result: Result<Opened, ConnectError>) {
        guard !isOver else {
            if case .success(let opened) = result { opened.stream.close() }
            return
        }
        isOver = true
        lookup = nil
        race = nil
        completion(result)
    }
}
