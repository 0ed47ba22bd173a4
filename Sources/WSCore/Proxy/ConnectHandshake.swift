/// The client's side of HTTP CONNECT (RFC 9110 §9.3.6), without I/O.
struct ConnectHandshake: Sendable {
    /// The request head, including the empty line at its end.
    let requestHead: String
    /// The host and port in the request line.
    let requestTarget: String
    private var reader: ResponseReader

    /// Creates a handshake; `host` has no brackets and no zone.
    init(
        host: String, port: UInt16, authorization: String?, userAgent: String?, hops: String? = nil, limits: HeadLimits
    ) {
        let authority = "\(host.utf8.contains(ASCII.colon) ? "[\(host)]" : host):\(port)"
        // RFC 9110 §9.3.6: the request target is the host and port, even if the port is the default.
        var head = "CONNECT \(authority) HTTP/1.1\r\n"
        let fields = [
            // RFC 9112 §3.2: Host identifies the target.
            ("Host", authority),
            ("Proxy-Authorization", authorization),
            ("User-Agent", userAgent),
            // RFC 8586 §2: a ring of proxies ends.
            ("CDN-Loop", hops),
        ]
        for (name, value) in fields {
            if let value { head += "\(name): \(value)\r\n" }
        }
        requestHead = head + "\r\n"
        requestTarget = authority
        reader = ResponseReader(.tunnel, limits: limits)
    }

    mutating func receive(_ bytes: RawSpan) throws(ProxyError) -> ProxyHandshake.Progress {
        do {
            // RFC 9110 §9.3.6: a 2xx response to CONNECT has no content, regardless of its fields.
            return try reader.receive(bytes).map { .open(consumedByteCount: $0.consumedByteCount) } ?? .needsMore
        } catch {
            throw ProxyError(error)
        }
    }

    /// The error if the stream ends now.
    var failureAtEndOfStream: ProxyError { ProxyError(reader.failureAtEndOfStream) }

    var partialRefusal: ProxyError? { reader.partialRefusal.map(ProxyError.init) }
}

extension ProxyError {
    fileprivate init(_ failure: ResponseReader.Failure) {
        self =
            switch failure {
            case .closedBeforeResponse: .closedBeforeAnswer
            case .incompleteResponse: .incompleteAnswer
            case .notHTTP(let preview): .notHTTP(preview: preview)
            case .invalidResponse(let error): .invalidResponse(error)
            case .tooManyInterimResponses: .tooManyInterimResponses
            case .refused(let head, let body, let isTruncated):
                .refused(head, body: body, bodyIsTruncated: isTruncated)
            }
    }
}
