/// A request that opened no WebSocket, and its response.
package struct ServedRequest {
    /// The request.
    package let request: RequestHead
    /// The facts about the head of the request.
    package let facts: OpeningFacts
    /// The status code of the response, or 499 if the client left before that.
    package let status: Int
    /// The time the last byte of the response was written, in the loop's turn time.
    package let endTime: Duration
    /// The number of bytes received from the client, up to the end of the request.
    package let receivedBytes: Int
    /// The number of bytes of the response that the kernel has accepted.
    package let sentBytes: Int
    /// Whether the kernel has accepted the whole response.
    package let isComplete: Bool
    /// Why a gateway has answered instead of its server, or has not completed the server's response; nil if it has passed it
    /// on.
    package var reason: String?
    /// The fields of the response, if a gateway reports them and there is one.
    package var fields: HTTPFields?
    /// The sizes of the bodies in bytes, with their transfer codings, if a gateway reports them.
    package var bodyBytes = (received: 0, sent: 0)
}

extension ServedRequest {
    /// A request that was refused at once.
    init(_ refusal: HandshakeRefusal, of request: RequestHead, _ facts: OpeningFacts, at time: Duration) {
        let response = WebResponse(refusing: refusal)
        let wasSent = refusal.status != HandshakeRefusal.clientLeftStatus
        self.init(
            request: request, facts: facts, status: refusal.status, endTime: time, receivedBytes: facts.receivedBytes,
            sentBytes: facts.sentBytes, isComplete: wasSent, reason: refusal.reason,
            fields: wasSent ? response.head(at: .now).fields(to: request) : nil,
            bodyBytes: (0, wasSent ? response.bytes(answering: request.method).count : 0))
    }

    /// The time from the end of the request's head to the end of the response.
    package var duration: Duration { endTime - (facts.requestTime ?? facts.acceptTime) }
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
