import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Looks names up, off the loop's thread.
public final class NameResolver {
    private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    private var completion: ((Result<[SocketAddress], IOError>) -> Void)?
    private let port: UInt16
    private let family: SocketAddress.Family?

    /// Starts looking a host up; `completion` is called in a later turn with its addresses, in the system's order of
    /// preference (RFC 6724), never none. Without a `family` they are of both.
    ///
    /// Numeric addresses are not looked up, and neither are `localhost` and names below it, which RFC 6761 §6.3
    /// gives both loopback addresses whatever the name service says.
    /// - Returns: The lookup, to ``cancel()``.
    public static func resolve(
        _ host: String, port: UInt16, family: SocketAddress.Family? = nil, on loop: EventLoop,
        completion: @escaping (Result<[SocketAddress], IOError>) -> Void
    ) -> NameResolver {
        let resolver = NameResolver(port: port, family: family, completion: completion)
        if let known = knownAddresses(of: host, port: port) {
            let wanted = known.filter { family == nil || $0.family == family }
            if wanted.isEmpty { resolver.failure = .noAddress }
            resolver.finishLater(with: wanted, on: loop)
        } else {
            resolver.start(host, on: loop)
        }
        return resolver
    }

    /// The addresses that need no lookup: of a numeric address itself, and of `localhost`.
    public static func knownAddresses(of host: String, port: UInt16) -> [SocketAddress]? {
        if let address = SocketAddress(numeric: host, port: port) { return [address] }
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
        return ["::1", "127.0.0.1"].compactMap { SocketAddress(numeric: $0, port: port) }
    }

    private init(
        port: UInt16, family: SocketAddress.Family?, completion: @escaping (Result<[SocketAddress], IOError>) -> Void
    ) {
        self.port = port
        self.family = family
        self.completion = completion
        request.initialize(to: uv_getaddrinfo_t())
    }

    deinit {
        request.deallocate()
    }

    /// Calls the lookup off: `completion` is not called any more.
    public func cancel() {
        completion = nil
        // One that is waiting for a thread is dropped; one that has a thread ends by itself.
        request.withMemoryRebound(to: uv_req_t.self, capacity: 1) { _ = uv_cancel($0) }
    }

    private func finish(_ result: Result<[SocketAddress], IOError>) {
        let completion = self.completion
        self.completion = nil
        completion?(result)
    }

    private func start(_ host: String, on loop: EventLoop) {
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var hints = addrinfo()
        // No AI_ADDRCONFIG: it takes a machine whose only IPv6 addresses are loopback or link-local for one without. An
        // address that cannot be reached fails at once.
        hints.ai_family =
            switch family {
            case nil: AF_UNSPEC
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            }
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let result = uv_getaddrinfo(
            loop.handle, request,
            { request, status, list in
                guard let data = request?.pointee.data else { return }
                let resolver = Unmanaged<NameResolver>.fromOpaque(data).takeRetainedValue()
                resolver.received(status, list)
            }, host, nil, &hints)
        guard result < 0 else { return }
        Unmanaged.passUnretained(self).release()
        failure = IOError(code: result)
        finishLater(with: [], on: loop)
    }

    private func received(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        defer { uv_freeaddrinfo(list) }
        guard status == 0 else { return finish(.failure(IOError(code: status))) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let sockaddr = entry.pointee.ai_addr, let found = SocketAddress(sockaddr) {
                addresses.append(found.withPort(port))
            }
            next = entry.pointee.ai_next
        }
        finish(addresses.isEmpty ? .failure(.noAddress) : .success(addresses))
    }

    private var known: [SocketAddress] = []
    private var failure: IOError?

    /// Answers at the end of the turn, so that a caller never hears before ``resolve(_:port:on:completion:)`` returns.
    private func finishLater(with addresses: [SocketAddress], on loop: EventLoop) {
        known = addresses
        loop.atEndOfTurn(self)
    }
}

extension NameResolver: EndOfTurnWork {
    /// Answers what needed no lookup.
    public func endTurn() {
        finish(failure.map { .failure($0) } ?? .success(known))
    }
}
