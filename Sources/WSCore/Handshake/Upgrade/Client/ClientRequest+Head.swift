extension ClientRequest {
    /// The bytes of a request without a key.
    var head: [UInt8] { head(key: "") }

    /// The bytes of the request with its key.
    func head(key: String) -> [UInt8] { head(key: key, target: url.requestTarget) }

    /// The request with its key, as it is shown: without the secrets of its URL, but with those of its fields.
    func shownHead(key: String) -> String { String(decoding: head(key: key, target: url.shownTarget), as: UTF8.self) }

    private func head(key: String, target: String) -> [UInt8] {
        // RFC 6455 §4.1: the version is at least HTTP/1.1, and the target is the resource name.
        var head = Array((method + " " + target + " HTTP/1.1\r\n").utf8)
        fields.appendLines(to: &head)
        if purpose.isUpgrade { head += ("Sec-WebSocket-Key: " + key + "\r\n").utf8 }
        return head + "\r\n".utf8
    }

    // RFC 6455 §4.1: the method of an upgrade is GET. RFC 8441 §4: over HTTP/2, it is CONNECT.
    var method: String {
        switch purpose {
        case .upgrade: version == .http2 ? "CONNECT" : "GET"
        case .negotiation: "POST"
        case .forwarding(let method): method
        }
    }
}
