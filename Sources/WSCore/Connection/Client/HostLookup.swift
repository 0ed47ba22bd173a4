/// Looks up a host's IPv6 and IPv4 addresses concurrently and reports each result as it arrives (RFC 8305 §3).
///
///      IPv6 ────────────────────► didFind at once
///      IPv4 ──► resolution delay ─► didFind, or with the answer for IPv6 if that comes sooner
internal final class HostLookup {
    /// RFC 8305 §3: the recommended Resolution Delay.
    static let resolutionDelay = Duration.milliseconds(50)

    private let network: NetworkSettings
    private let loop: EventLoop
    private let didFind: ([SocketAddress]) -> Void
    private let didEnd: (IOError?) -> Void
    private var pending: Set<SocketAddress.Family>
    private var lookups: [NameResolver] = []
    private var held: [SocketAddress] = []
    private var hasFound = false
    private var errors: [IOError] = []
    private var timer: Timer?
    private var isOver = false

    /// Prepares a lookup.
    /// - Parameters:
    ///   - network: The family to look up, and the addresses that replace lookups.
    ///   - didFind: Receives the addresses of a family, in the system's order of preference, or all that replace lookups.
    ///   - didEnd: Called last, with an error if there are no addresses. It may be called before ``start(_:port:)`` returns.
    init(
        network: NetworkSettings, on loop: EventLoop, didFind: @escaping ([SocketAddress]) -> Void,
        didEnd: @escaping (IOError?) -> Void
    ) {
        self.network = network
        self.loop = loop
        self.didFind = didFind
        self.didEnd = didEnd
        pending = network.family.map { [$0] } ?? [.ipv6, .ipv4]
    }

    /// Starts the lookup.
    func start(_ host: String, port: UInt16) {
        if let known = AddressOverride.addresses(for: host, port: port, in: network.overrides) {
            release(known.filter { pending.contains($0.family) })
            pending = []
            return endIfComplete()
        }
        for family in [SocketAddress.Family.ipv6, .ipv4] where pending.contains(family) {
            lookups.append(
                NameResolver.resolve(host, port: port, family: family, on: loop) { [self] result in
                    received(result, for: family)
                })
        }
    }

    /// Cancels the lookup. No closure is called afterwards.
    func cancel() {
        isOver = true
        timer = nil
        for lookup in lookups { lookup.cancel() }
        lookups = []
    }

    /// Processes the result for a family.
    func received(_ result: Result<[SocketAddress], IOError>, for family: SocketAddress.Family) {
        guard !isOver, pending.remove(family) != nil else { return }
        switch result {
        case .failure(let error): errors.append(error)
        case .success(let addresses):
            // RFC 8305 §3: wait briefly for the IPv6 addresses, which take precedence.
            if family == .ipv4, pending.contains(.ipv6) { return hold(addresses) }
            release(addresses)
        }
        release()
        endIfComplete()
    }

    private func endIfComplete() {
        // Wait for the pending lookup: its addresses may be the ones that work. `--connect-timeout` bounds the wait.
        guard !isOver, pending.isEmpty else { return }
        isOver = true
        didEnd(hasFound ? nil : reason)
    }

    private func hold(_ addresses: [SocketAddress]) {
        held = addresses
        let timer = Timer(on: loop) { [unowned self] in release() }
        timer.start(after: Self.resolutionDelay)
        self.timer = timer
    }

    private func release() {
        timer = nil
        let addresses = held
        held = []
        release(addresses)
    }

    private func release(_ addresses: [SocketAddress]) {
        guard !isOver, !addresses.isEmpty else { return }
        hasFound = true
        let start = network.rotation % addresses.count
        didFind(start == 0 ? addresses : Array(addresses[start...] + addresses[..<start]))
    }

    /// The more specific error: "no address" for one family matters less than a failure for the other.
    private var reason: IOError { errors.first { $0 != .noAddress } ?? .noAddress }
}
