import CLibuv
import Glibc

/// Resolves host names without blocking the loop.
package final class NameResolver {
    private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    private var completion: ((Result<[SocketAddress], IOError>) -> Void)?
    private let port: UInt16
    private let family: SocketAddress.Family?

    /// Starts resolving a host name. Calls `completion` in a later turn with at least one address, or with an error.
    /// Addresses are in the system's order of preference (RFC 6724). Without a `family`, both families are requested.
    ///
    /// Numeric addresses need no lookup. Neither do `localhost` and names below it: RFC 6761 §6.3 gives them both
    /// loopback addresses, whatever a name server answers.
    /// - Returns: The lookup, for ``cancel()``.
    package static func resolve(
        _ host: String, port: UInt16, family: SocketAddress.Family? = nil, on loop: EventLoop,
        completion: @escaping (Result<[SocketAddress], IOError>) -> Void
    ) -> NameResolver {
        let resolver = NameResolver(port: port, family: family, completion: completion)
        if let known = knownAddresses(of: host, port: port) {
            let wanted = known.filter { family == nil || $0.family == family }
            resolver.finishLater(with: wanted.isEmpty ? .failure(.noAddress) : .success(wanted), on: loop)
        } else {
            resolver.start(host, on: loop)
        }
        return resolver
    }

    /// The addresses of a host that needs no lookup, a numeric address or `localhost`; `nil` for other hosts.
    package static func knownAddresses(of host: String, port: UInt16) -> [SocketAddress]? {
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

    /// Cancels the lookup; `completion` is not called.
    package func cancel() {
        completion = nil
        // A lookup that waits for a thread is dropped. One that is running finishes unobserved.
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
        // No AI_ADDRCONFIG: it ignores IPv6 on a machine with only loopback or link-local IPv6 addresses. Connecting to
        // an unreachable address fails immediately.
        hints.ai_family =
            switch family {
            case nil: AF_UNSPEC
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            }
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let result = uv_getaddrinfo(
            loop.libuvLoop(), request,
            { request, status, list in
                guard let data = request?.pointee.data else { return }
                let resolver = Unmanaged<NameResolver>.fromOpaque(data).takeRetainedValue()
                resolver.received(status, list)
            }, host, nil, &hints)
        guard result < 0 else { return }
        Unmanaged.passUnretained(self).release()
        finishLater(with: .failure(IOError(code: result)), on: loop)
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

    /// The result if it was known without a lookup.
    private var result: Result<[SocketAddress], IOError>?

    /// Completes at the end of the turn, so `completion` never runs before ``resolve(_:port:on:completion:)`` returns.
    private func finishLater(with result: Result<[SocketAddress], IOError>, on loop: EventLoop) {
        self.result = result
        loop.atEndOfTurn(self)
    }
}

extension NameResolver: EndOfTurnWork {
    /// Delivers a result that needed no lookup.
    package func endTurn() {
        if let result { finish(result) }
    }
}
