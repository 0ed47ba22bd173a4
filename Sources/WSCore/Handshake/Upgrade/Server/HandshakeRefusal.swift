/// A server's refusal of a request: the response to send and the reason to log.
package struct HandshakeRefusal: Error, Equatable, Sendable {
    /// The status, 300 through 599.
    package let status: Int
    /// The reason in one line. Safe to print.
    package let reason: String
    /// Further header fields of the response.
    package let fields: [HeaderField]
    /// The request, or `nil` if its head was incomplete.
    package let request: RequestHead?

    /// Creates a refusal. `reason` is also the body of the response.
    package init(
        status: Int, reason: String, fields: [HeaderField] = [], request: RequestHead? = nil
    ) {
        self.status = status
        self.reason = escapingControls(reason)
        self.fields = fields
        self.request = request
    }

    /// Refuses a plain HTTP request to a server that has only WebSockets.
    static func upgradeRequired(_ request: RequestHead, policy: ServerPolicy) -> HandshakeRefusal {
        HandshakeRefusal(
            status: upgradeStatus(for: request),
            reason: "This is a WebSocket server; connect with wsx connect \(policy.url(for: request))",
            fields: upgradeFields, request: request)
    }

    /// Refuses a request that could be accepted a little later.
    /// - Parameters:
    ///   - reason: The reason in one line.
    ///   - request: The request to refuse.
    ///   - seconds: The value of Retry-After, in seconds.
    package static func unavailable(
        _ reason: String, for request: RequestHead, retryAfterSeconds seconds: Int
    ) -> HandshakeRefusal {
        // RFC 9110 §15.6.4: a 503 response may contain Retry-After.
        let retryAfter = HeaderField(wellFormedName: "Retry-After", value: "\(seconds)")
        return HandshakeRefusal(status: 503, reason: reason, fields: [retryAfter], request: request)
    }

    /// The status of a request whose client left before an answer, which nobody gets. nginx logs the same.
    static let clientLeftStatus = 499

    /// The status for a request that needs ``upgradeFields``. RFC 9113 §8.6: HTTP/2 has no upgrade, so it has no 426.
    static func upgradeStatus(for request: RequestHead) -> Int { request.version == .http2 ? 400 : 426 }

    /// RFC 9110 §15.5.22: a 426 response names the required protocol. RFC 6455 §4.4: it also names the supported
    /// version.
    static let upgradeFields = [
        HeaderField(wellFormedName: "Upgrade", value: "websocket"),
        HeaderField(wellFormedName: "Sec-WebSocket-Version", value: "13"),
    ]
}
