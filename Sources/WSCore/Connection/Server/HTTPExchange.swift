/// A request that opened no WebSocket, and its response, as they passed between a gateway and its client.
package struct HTTPExchange {
    /// The request.
    package let request: RequestHead
    /// The status of the response, or 499 if the client left before that.
    package let status: Int
    /// The fields of the response; nil without one.
    package let fields: HTTPFields?
    /// The size of the request's body in bytes, with its transfer coding.
    package let receivedBytes: Int
    /// The size of the response's body in bytes, with its transfer coding, as far as the kernel has accepted it.
    package let sentBytes: Int
    /// The time from the end of the request's head to the end of the response.
    package let duration: Duration
    /// Whether the kernel has accepted the whole response.
    package let isComplete: Bool
    /// Why the gateway has answered instead of its server, or has not completed the server's response; nil if it has passed it
    /// on.
    package let reason: String?
}

extension HTTPExchange {
    /// A request that was refused at once.
    init(_ refusal: HandshakeRefusal, of request: RequestHead, _ facts: OpeningFacts, at time: Duration) {
        let response = WebResponse(refusing: refusal)
        let wasSent = refusal.status != HandshakeRefusal.clientLeftStatus
        self.init(
            request: request, status: refusal.status,
            fields: wasSent ? response.head(at: .now).fields(to: request) : nil, receivedBytes: 0,
            sentBytes: wasSent ? response.bytes(answering: request.method).count : 0,
            duration: time - (facts.requestTime ?? facts.acceptTime), isComplete: wasSent, reason: refusal.reason)
    }
}

extension ResponseHead {
    /// The fields as they are sent in answer to a request: in HTTP/2, without those of the connection.
    func fields(to request: RequestHead) -> HTTPFields {
        request.version == .http2 ? HTTPFields(fields.http2Fields) : fields
    }
}

extension RequestHead {
    /// The URL of the request (RFC 9110 §7.1), without a user name and password. For CONNECT, host and port.
    /// - Parameter isSecure: Whether the client uses TLS, if the target does not say that.
    package func url(isSecure: Bool) -> String {
        guard let host = hostAsSent, method != "CONNECT" else { return shownTarget }
        let scheme = (isUpgrade ? "ws" : "http") + (isTargetSecure ?? isSecure ? "s" : "")
        return "\(scheme)://\(Self.withoutUserInfo(host))\(originForm ?? "")"
    }

    /// The target without a user name and password.
    package var shownTarget: String {
        guard let authority, let scheme = URLForm.scheme(of: target) else {
            return hasPath ? target : Self.withoutUserInfo(target)
        }
        return "\(scheme)://\(Self.withoutUserInfo(authority))\(originForm ?? "")"
    }

    /// A host and port without a user name and password.
    package static func withoutUserInfo(_ authority: String) -> String {
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return authority }
        return SecretText.mask + authority[at...]
    }
}
