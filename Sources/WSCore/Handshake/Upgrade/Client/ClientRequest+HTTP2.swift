extension ClientRequest {
    /// The pseudo-fields and fields of the request over HTTP/2 (RFC 8441 §5, RFC 9113 §8.3.1).
    var http2Fields: [HeaderField] { http2Fields(target: url.requestTarget) }

    /// The request over HTTP/2, as it is shown: without the secrets of its URL, but with those of its fields.
    var shownHTTP2Head: String { http2Fields(target: url.shownTarget).map(\.line).joined() }

    private func http2Fields(target: String) -> [HeaderField] {
        var all = [HeaderField(wellFormedName: ":method", value: method)]
        if purpose.isUpgrade { all.append(HeaderField(wellFormedName: ":protocol", value: "websocket")) }
        all.append(HeaderField(wellFormedName: ":scheme", value: url.isSecure ? "https" : "http"))
        all.append(HeaderField(wellFormedName: ":path", value: target))
        // RFC 9113 §8.3.1: :authority replaces Host.
        let authority = fields.first(named: "Host") ?? url.hostField
        all.append(HeaderField(wellFormedName: ":authority", value: authority))
        return all + fields.http2Fields
    }
}
