/// The server side of the opening handshake (RFC 6455 §4.2), without I/O: consumes a request and produces the response.
package struct ServerHandshake: Sendable {
    /// The result of receiving bytes.
    package enum Progress: Equatable, Sendable {
        /// The request is incomplete.
        case needsMore
        /// The request is accepted. `consumedByteCount` bytes of this call belonged to it; the rest are frames.
        case upgrade(ServerUpgrade, consumedByteCount: Int)
        /// A valid HTTP request that does not ask for a WebSocket, such as a page view or a health check.
        /// `consumedByteCount` bytes of this call belonged to its head; the rest are its content, and further requests.
        case request(RequestHead, consumedByteCount: Int)
    }

    let policy: ServerPolicy
    private let tunnel: TunnelOrigin?
    private var parser: HTTPHeadParser
    private var refusal: HandshakeRefusal?

    /// Creates a handshake for one connection. `limits` apply to the request's head; the default is
    /// ``HeadLimits/server``.
    package init(policy: ServerPolicy, limits: HeadLimits = .server) {
        self.init(policy: policy, through: nil, limits: limits)
    }

    /// - Parameter tunnel: The tunnel of an HTTP proxy through which the request arrives; nil for none.
    init(policy: ServerPolicy, through tunnel: TunnelOrigin?, limits: HeadLimits = .server) {
        self.policy = policy
        self.tunnel = tunnel
        parser = HTTPHeadParser(.request, limits: limits)
    }

    /// Receives bytes from the client.
    /// - Throws: ``HandshakeRefusal``, the response to send before closing the connection. After a refusal, every call
    ///   throws the same one.
    package mutating func receive(_ bytes: RawSpan) throws(HandshakeRefusal) -> Progress {
        if let refusal { throw refusal }
        do {
            guard let headByteCount = try receiveHead(bytes), var request = parser.requestHead else {
                return .needsMore
            }
            if policy.isProxy { request = try request.proxied(through: tunnel, access: policy.access) }
            guard let upgrade = try Self.check(request, policy: policy) else {
                return .request(request, consumedByteCount: headByteCount)
            }
            return .upgrade(upgrade, consumedByteCount: headByteCount)
        } catch {
            refusal = error
            throw error
        }
    }

    /// The refusal for a request that did not arrive in time.
    package static let timeoutRefusal = HandshakeRefusal(
        status: 408, reason: "The request did not arrive in time.")

    private mutating func receiveHead(_ bytes: RawSpan) throws(HandshakeRefusal) -> Int? {
        do {
            return try parser.receive(bytes)
        } catch {
            throw Self.refusal(for: error)
        }
    }

    /// The refusal for a head that cannot be read.
    static func refusal(for error: HTTPHeadError) -> HandshakeRefusal {
        switch error {
        case .tooLarge, .tooManyFields:
            // RFC 6585 §5: the head as a whole, or a single field, is too large.
            HandshakeRefusal(status: 431, reason: "The request's head \(error).")
        case .unsupportedVersion:
            // RFC 9110 §15.6.6: the major version of HTTP is not supported.
            HandshakeRefusal(status: 505, reason: "The request's head \(error).")
        // RFC 8446 §5.1: a TLS handshake record.
        case .notHTTP(let preview) where preview.first == 0x16:
            HandshakeRefusal(status: 400, reason: "The client speaks TLS, but this port does not; use ws://.")
        default:
            HandshakeRefusal(status: 400, reason: "The request's head \(error).")
        }
    }
}
