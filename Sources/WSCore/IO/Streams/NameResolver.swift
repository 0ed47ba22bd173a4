import CSystem
import Glibc

/// Resolves host names without blocking the loop.
package final class NameResolver {
    private let loop: EventLoop
    private var lookup: Lookup?
    private var completion: ((Result<[SocketAddress], IOError>) -> Void)?

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
        guard let known = knownAddresses(of: host, port: port) else {
            return resolve(on: loop, by: { addresses(of: host, port: port, family: family) }, completion: completion)
        }
        let resolver = NameResolver(on: loop, completion: completion)
        let wanted = known.filter { family == nil || $0.family == family }
        resolver.finishLater(with: wanted.isEmpty ? .failure(.noAddress) : .success(wanted))
        return resolver
    }

    /// Starts a lookup that calls `lookUp` on another thread, where it may block.
    internal static func resolve(
        on loop: EventLoop, by lookUp: @escaping @Sendable () -> Result<[SocketAddress], IOError>,
        completion: @escaping (Result<[SocketAddress], IOError>) -> Void
    ) -> NameResolver {
        let resolver = NameResolver(on: loop, completion: completion)
        resolver.start(lookUp)
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

    private init(on loop: EventLoop, completion: @escaping (Result<[SocketAddress], IOError>) -> Void) {
        self.loop = loop
        self.completion = completion
    }

    /// Cancels the lookup; `completion` is not called.
    package func cancel() {
        completion = nil
        endLookup()
    }

    private func finish(_ result: Result<[SocketAddress], IOError>) {
        let completion = self.completion
        self.completion = nil
        completion?(result)
    }

    private func start(_ lookUp: @escaping @Sendable () -> Result<[SocketAddress], IOError>) {
        do throws(IOError) {
            let lookup = Lookup(lookUp, for: self, try loop.mailboxForLookup())
            self.lookup = lookup
            try LookupThreads.run(lookup)
        } catch {
            endLookup()
            finishLater(with: .failure(error))
        }
    }

    fileprivate func lookupEnded(with result: Result<[SocketAddress], IOError>) {
        guard lookup != nil else { return }
        endLookup()
        finish(result)
    }

    private func endLookup() {
        guard let lookup else { return }
        lookup.cancel()
        self.lookup = nil
        loop.lookupEnded()
    }

    /// The result if it was known without a lookup.
    private var result: Result<[SocketAddress], IOError>?

    /// Completes at the end of the turn, so `completion` never runs before
    /// ``resolve(_:port:family:on:completion:)`` returns.
    private func finishLater(with result: Result<[SocketAddress], IOError>) {
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

/// A lookup on another thread.
private final class Lookup: @unchecked Sendable {
    // `nil` after the end. Used only on the loop's thread: the last reference must not be released on another one.
    private var resolver: NameResolver?
    private let mailbox: Mailbox
    private let lookUp: @Sendable () -> Result<[SocketAddress], IOError>

    init(
        _ lookUp: @escaping @Sendable () -> Result<[SocketAddress], IOError>, for resolver: NameResolver,
        _ mailbox: Mailbox
    ) {
        self.lookUp = lookUp
        self.resolver = resolver
        self.mailbox = mailbox
    }

    /// Drops the lookup if it waits for a thread. If it is running, it ends unobserved.
    func cancel() {
        resolver = nil
        LookupThreads.remove(self)
    }

    /// Blocks until the result is known, and reports it to the resolver.
    func run() {
        let result = lookUp()
        mailbox.post { [self] in resolver?.lookupEnded(with: result) }
    }
}

extension NameResolver {
    /// The system's answer. Blocks.
    private static func addresses(
        of host: String, port: UInt16, family: SocketAddress.Family?
    ) -> Result<[SocketAddress], IOError> {
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
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            return .failure(status == EAI_SYSTEM ? .last : IOError(code: IOError.nameServiceBase + status))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let sockaddr = entry.pointee.ai_addr, let found = SocketAddress(sockaddr) {
                addresses.append(found.withPort(port))
            }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(.noAddress) : .success(addresses)
    }
}

/// The threads that wait for name servers. They end when nothing is left to look up.
private enum LookupThreads {
    /// The maximum number of threads.
    private static let capacity = 4

    private struct Queue {
        var waiting: [Lookup] = []
        var threadCount = 0
    }

    private static let queue = Mutex(Queue())

    /// Runs a lookup on a thread, after those that wait for one.
    /// - Throws: ``IOError`` if there is no thread, and the system cannot create one.
    static func run(_ lookup: Lookup) throws(IOError) {
        let failure: IOError? = queue.withLock { queue in
            queue.waiting.append(lookup)
            guard queue.threadCount < capacity else { return nil }
            do throws(IOError) {
                try Thread { runAll() }.detach()
                queue.threadCount += 1
            } catch {
                guard queue.threadCount == 0 else { return nil }
                queue.waiting.removeLast()
                return error
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Removes a lookup that waits for a thread.
    static func remove(_ lookup: Lookup) {
        queue.withLock { queue in queue.waiting.removeAll { $0 === lookup } }
    }

    private static func runAll() {
        while let lookup = next() { lookup.run() }
    }

    /// Returns `nil` if nothing is left to look up; the thread then ends.
    private static func next() -> Lookup? {
        queue.withLock { queue in
            guard !queue.waiting.isEmpty else {
                queue.threadCount -= 1
                return nil
            }
            return queue.waiting.removeFirst()
        }
    }
}
