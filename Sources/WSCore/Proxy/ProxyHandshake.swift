/// The client's side of asking a proxy for a connection to a host: bytes in, bytes out.
///
/// What is sent first is ``start()``. Whatever the proxy sends goes through ``receive(_:)``, again and again as long
/// as that has something to send:
///
///     var rest = bytes
///     while true {
///         switch try handshake.receive(rest) {
///         case .needsMore: return
///         case .send(let answer, let count): write(answer); rest = rest.extracting(droppingFirst: count)
///         case .open(let count): tunnelOpened(firstBytes: rest.extracting(droppingFirst: count)); return
///         }
///     }
public struct ProxyHandshake: Sendable {
    /// What the proxy's answer has come to.
    public enum Progress: Equatable, Sendable {
        /// All bytes are taken, and the answer is not complete.
        case needsMore
        /// These are to be sent; `consumedByteCount` bytes of this call are taken, the rest are to be given again.
        case send([UInt8], consumedByteCount: Int)
        /// The tunnel is open; `consumedByteCount` bytes of this call belonged to the answer, the rest come from the target.
        case open(consumedByteCount: Int)
    }

    private enum Machine {
        case connect(ConnectHandshake)
        case socks(SOCKS5Handshake)
    }

    private var machine: Machine
    private var failure: ProxyError?

    /// Makes the handshake with a proxy, or throws ``ProxyError/hostLength(byteCount:)``.
    /// - Parameters:
    ///   - proxy: The proxy, a connection to which stands; with ``Proxy/isSecure`` one of TLS.
    ///   - host: The target's host as ``WebSocketURL`` has it.
    ///   - port: The target's port.
    ///   - address: The 4 or 16 bytes of the target's address, where ``Proxy/needsTargetAddress`` asks for one. SOCKS
    ///     gets it in place of the host.
    ///   - userAgent: The value of User-Agent; nil: none is sent. For HTTP.
    ///   - limits: The limits of the response's head. For HTTP.
    public init(
        proxy: Proxy, host: String, port: UInt16, address: [UInt8]? = nil, userAgent: String? = nil,
        limits: HeadLimits = .client
    ) throws(ProxyError) {
        precondition(address.map { $0.count == 4 || $0.count == 16 } ?? true)
        // RFC 6874 §4: a zone does not leave the machine.
        let host = String(Substring(host.utf8.prefix { $0 != UInt8(ascii: "%") }))
        // RFC 1928 §5: one byte tells a name's length.
        guard (1...255).contains(host.utf8.count) else { throw .hostLength(byteCount: host.utf8.count) }
        switch proxy.kind {
        case .http, .https:
            machine = .connect(
                ConnectHandshake(
                    host: host, port: port, credentials: proxy.credentials, userAgent: userAgent,
                    limits: limits))
        case .socks5, .socks5h:
            let destination = address.map(SOCKS5Handshake.Destination.address) ?? .init(host: host)
            machine = .socks(SOCKS5Handshake(to: destination, port: port, credentials: proxy.credentials))
        }
    }

    /// The head of the CONNECT request as it is sent, with its secrets; nil for SOCKS.
    public var requestHead: String? {
        if case .connect(let handshake) = machine { handshake.requestHead } else { nil }
    }

    /// What to send once the connection to the proxy stands.
    public func start() -> [UInt8] {
        switch machine {
        case .connect(let handshake): Array(handshake.requestHead.utf8)
        case .socks(let handshake): handshake.greeting
        }
    }

    /// Takes bytes that the proxy sent.
    ///
    /// Throws ``ProxyError``; a refusal with a body once that is complete, or as much of it as is shown. After an error
    /// the same error is thrown again.
    public mutating func receive(_ bytes: RawSpan) throws(ProxyError) -> Progress {
        if let failure { throw failure }
        do {
            return try receiveUnfailed(bytes)
        } catch {
            failure = error
            throw error
        }
    }

    /// Takes note that the proxy closed the connection before the tunnel was open.
    public mutating func receiveEndOfStream() throws(ProxyError) -> Never {
        let error = failure ?? failureAtEndOfStream
        failure = error
        throw error
    }

    /// The refusal with what came of its body, once its head is there: what to show when time runs out before the end.
    public var partialRefusal: ProxyError? {
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
