/// A server's answer to a request that it does not accept: what to send, and what to write in the log.
public struct HandshakeRefusal: Error, Equatable, Sendable {
    /// The status, 300 through 599.
    public let status: Int
    /// Why, in one line that is safe to print.
    public let reason: String
    /// Header fields of the answer besides those that every answer of a server has.
    public let fields: [HeaderField]
    /// The request, if its head was complete.
    public let request: RequestHead?

    /// Takes the parts of an answer; `reason` is also its body.
    public init(
        status: Int, reason: String, fields: [HeaderField] = [], request: RequestHead? = nil
    ) {
        self.status = status
        self.reason = escapingControls(reason)
        self.fields = fields
        self.request = request
    }

    /// The answer where there is a WebSocket and nothing else.
    static func upgradeRequired(_ request: RequestHead, policy: ServerPolicy) -> HandshakeRefusal {
        HandshakeRefusal(
            status: 426, reason: "This is a WebSocket server; connect with wsx connect \(policy.url(for: request))",
            fields: upgradeFields, request: request)
    }

    /// The answer to a request that could be accepted a little later.
    /// - Parameters:
    ///   - reason: Why not now.
    ///   - request: The request.
    ///   - seconds: When to ask again.
    public static func unavailable(
        _ reason: String, for request: RequestHead, retryAfterSeconds seconds: Int
    ) -> HandshakeRefusal {
        // RFC 9110 §15.6.4: 503 may say when to come back.
        let retryAfter = HeaderField(wellFormedName: "Retry-After", value: "\(seconds)")
        return HandshakeRefusal(status: 503, reason: reason, fields: [retryAfter], request: request)
    }

    /// RFC 9110 §15.5.22: a 426 names the protocol; RFC 6455 §4.4: and the version of it that is spoken.
    static let upgradeFields = [
        HeaderField(wellFormedName: "Upgrade", value: "websocket"),
        HeaderField(wellFormedName: "Sec-WebSocket-Version", value: "13"),
    ]
}
