/// A server's answer to a request that it does not accept: what to send, and what to write in the log.
public struct HandshakeRefusal: Error, Equatable, Sendable {
    /// The status, 400 through 599.
    public let status: Int
    /// Why, in one line that is safe to print.
    public let reason: String
    /// Header fields of the answer besides Content-Type, Content-Length and Connection.
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
            fields: [HeaderField(wellFormedName: "Upgrade", value: "websocket")], request: request)
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

    /// The whole response, after which the connection is to be closed.
    public var responseBytes: [UInt8] {
        let body = reason + "\n"
        // RFC 9110 §7.8: who sends Upgrade lists it in Connection, too.
        let hasUpgrade = fields.contains { $0.isNamed("Upgrade") }
        var text = "HTTP/1.1 \(status) \(HTTPStatus.reason(of: status))\r\n"
        text += "Content-Type: text/plain; charset=utf-8\r\n"
        text += "Content-Length: \(body.utf8.count)\r\n"
        text += "Connection: close\(hasUpgrade ? ", Upgrade" : "")\r\n"
        for field in fields { text += field.line }
        text += "\r\n"
        // RFC 9110 §9.3.2: the answer to HEAD has no content.
        if request?.method != "HEAD" { text += body }
        return Array(text.utf8)
    }
}
