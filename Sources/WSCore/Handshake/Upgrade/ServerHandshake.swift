/// The server's side of the opening handshake (RFC 6455 §4.2): a request comes in, an answer goes out.
public struct ServerHandshake: Sendable {
    /// What a request has come to.
    public enum Progress: Equatable, Sendable {
        /// The request is not complete.
        case needsMore
        /// The request is accepted; `consumedByteCount` bytes of this call belonged to it, the rest are frames.
        case upgrade(ServerUpgrade, consumedByteCount: Int)
        /// The request is good HTTP that asks for no WebSocket: a browser's page view, a health check. What may follow
        /// it, its content or another request, is nobody's business.
        case request(RequestHead)
    }

    private let policy: ServerPolicy
    private var parser: HTTPHeadParser
    private var refusal: HandshakeRefusal?

    /// Makes the handshake of one connection; `limits` bound the request's head.
    public init(policy: ServerPolicy, limits: HeadLimits = .server) {
        self.policy = policy
        parser = HTTPHeadParser(.request, limits: limits)
    }

    /// Takes bytes that the client sent.
    ///
    /// Throws ``HandshakeRefusal``: an answer to send before the connection is closed. After a refusal the
    /// same one is thrown again.
    public mutating func receive(_ bytes: RawSpan) throws(HandshakeRefusal) -> Progress {
        if let refusal { throw refusal }
        do {
            guard let headByteCount = try receiveHead(bytes), let request = parser.requestHead else {
                return .needsMore
            }
            guard let upgrade = try Self.check(request, policy: policy) else { return .request(request) }
            return .upgrade(upgrade, consumedByteCount: headByteCount)
        } catch {
            refusal = error
            throw error
        }
    }

    /// The answer to a client whose request did not come in time.
    public static let timeoutRefusal = HandshakeRefusal(
        status: 408, reason: "The request did not arrive in time.")

    private mutating func receiveHead(_ bytes: RawSpan) throws(HandshakeRefusal) -> Int? {
        do {
            return try parser.receive(bytes)
        } catch {
            throw Self.refusal(for: error)
        }
    }

    private static func refusal(for error: HTTPHeadError) -> HandshakeRefusal {
        switch error {
        case .tooLarge, .tooManyFields:
            // RFC 6585 §5: a head that is too large as a whole, or in one field.
            HandshakeRefusal(status: 431, reason: "The request's head \(error).")
        case .unsupportedVersion:
            // RFC 9110 §15.6.6: another major version of HTTP.
            HandshakeRefusal(status: 505, reason: "The request's head \(error).")
        // RFC 8446 §5.1: a TLS handshake record.
        case .notHTTP(let preview) where preview.first == 0x16:
            HandshakeRefusal(status: 400, reason: "The client speaks TLS, but this port does not; use ws://.")
        default:
            HandshakeRefusal(status: 400, reason: "The request's head \(error).")
        }
    }
}
