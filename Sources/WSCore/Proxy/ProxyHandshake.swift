/// The client's side of a proxy handshake without I/O: bytes in, bytes out.
///
/// Send the result of ``start()`` first. Pass everything the proxy sends to ``receive(_:)``, repeatedly while it
/// returns bytes to send:
///
///     var rest = bytes
///     while true {
///         switch try handshake.receive(rest) {
///         case .needsMore: return
///         case .send(let answer, let count): write(answer); rest = rest.extracting(droppingFirst: count)
///         case .open(let count): tunnelOpened(firstBytes: rest.extracting(droppingFirst: count)); return
///         }
///     }
package struct ProxyHandshake: Sendable {
    /// The progress of the handshake.
    package enum Progress: Equatable, Sendable {
        /// All bytes were consumed, and the response is incomplete.
        case needsMore
        /// Send these bytes. `consumedByteCount` bytes were consumed; pass the rest again.
        case send([UInt8], consumedByteCount: Int)
        /// The tunnel is open. `consumedByteCount` bytes were the proxy's response; the rest come from the target.
        case open(consumedByteCount: Int)
    }

    private enum Machine {
        case connect(ConnectHandshake)
        case socks(SOCKS5Handshake)
    }

    private var machine: Machine
    private var failure: ProxyError?

    /// Creates the handshake with a proxy.
    /// - Parameters:
    ///   - proxy: The proxy, to which a connection is open (over TLS if ``Proxy/isSecure``).
    ///   - host: The target's host in the form of ``WebSocketURL``.
    ///   - port: The target's port.
    ///   - address: The target's 4- or 16-byte address if ``Proxy/needsTargetAddress``; sent instead of the host.
    ///   - login: The login at an HTTP proxy. By default, that of the proxy, by Basic authentication.
    ///   - userAgent: The value of User-Agent for CONNECT; nil omits the field.
    ///   - hops: The value of CDN-Loop for CONNECT; nil omits the field.
    ///   - limits: The limits on the head of the response to CONNECT.
    /// - Throws: ``ProxyError/hostLength(byteCount:)`` if the host is empty or longer than 255 bytes.
    package init(
        proxy: Proxy, host: String, port: UInt16, address: [UInt8]? = nil, login: ClientLogin? = nil,
        userAgent: String? = nil, hops: String? = nil, limits: HeadLimits = .client
    ) throws(ProxyError) {
        precondition(address.map { $0.count == 4 || $0.count == 16 } ?? true)
        // RFC 6874 §4: a zone has only local meaning and must not be sent.
        let host = String(Substring(host.utf8.prefix { $0 != UInt8(ascii: "%") }))
        // RFC 1928 §5: the length of a name is one byte.
        guard (1...255).contains(host.utf8.count) else { throw .hostLength(byteCount: host.utf8.count) }
        switch proxy.kind {
        case .http, .https:
            let login = login ?? proxy.credentials.map { ClientLogin($0, by: .basic) }
            machine = .connect(
                ConnectHandshake(
                    host: host, port: port, authorization: login?.authorization, userAgent: userAgent,
                    hops: hops, limits: limits))
        case .socks5, .socks5h:
            let destination = address.map(SOCKS5Handshake.Destination.address) ?? .init(host: host)
            machine = .socks(SOCKS5Handshake(to: destination, port: port, credentials: proxy.credentials))
        }
    }

    /// The head of the CONNECT request, including secrets; nil for SOCKS.
    package var requestHead: String? {
        if case .connect(let handshake) = machine { handshake.requestHead } else { nil }
    }

    /// The target of the CONNECT request; nil for SOCKS.
    var requestTarget: String? {
        if case .connect(let handshake) = machine { handshake.requestTarget } else { nil }
    }

    /// Returns the bytes to send when the connection to the proxy is open.
    package func start() -> [UInt8] {
        switch machine {
        case .connect(let handshake): Array(handshake.requestHead.utf8)
        case .socks(let handshake): handshake.greeting
        }
    }

    /// Processes bytes from the proxy.
    ///
    /// - Throws: ``ProxyError``. A refusal with a body is thrown when the body is complete or reaches the maximum size.
    ///   After an error, every call throws the same error.
    package mutating func receive(_ bytes: RawSpan) throws(ProxyError) -> Progress {
        if let failure { throw failure }
        do {
            return try receiveUnfailed(bytes)
        } catch {
            failure = error
            throw error
        }
    }

    /// Throws the error for a connection that the proxy closed before the tunnel was open.
    package mutating func receiveEndOfStream() throws(ProxyError) -> Never {
        let error = failure ?? failureAtEndOfStream
        failure = error
        throw error
    }

    /// The refusal with the part of its body received so far, for display if the time limit expires; nil before its
    /// head is complete.
    package var partialRefusal: ProxyError? {
        if let failure { return failure }
        return if case .connect(let handshake) = machine { handshake.partialRefusal } else { nil }
    }

    private var failureAtEndOfStream: ProxyError {
        switch machine {
        case .connect(let handshake): handshake.failureAtEndOfStream
        case .socks(let handshake): handshake.failureAtEndOfStream
        }
    }

    private mutating func receiveUnfailed(_ bytes: RawSpan) throws(ProxyError) -> Progress {
        switch machine {
        case .connect(var handshake):
            defer { machine = .connect(handshake) }
            return try handshake.receive(bytes)
        case .socks(var handshake):
            defer { machine = .socks(handshake) }
            return try handshake.receive(bytes)
        }
    }
}
