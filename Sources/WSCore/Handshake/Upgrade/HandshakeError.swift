/// The reason a client's opening handshake failed.
package enum HandshakeError: Error, Equatable {
    /// The server closed the connection without sending a byte.
    case closedBeforeResponse
    /// The server closed the connection in the middle of its response's head.
    case incompleteResponse
    /// The response is not HTTP. `preview` holds its first bytes, at most 64.
    case notHTTP(preview: [UInt8])
    /// The response's head violates the rules of HTTP.
    case invalidResponse(HTTPHeadError)
    /// The server sent more interim responses (status 100 through 199) than
    /// ``ClientHandshake/maximumInterimResponses``.
    case tooManyInterimResponses
    /// The server answered with a status other than 101. `body` is the content received, at most
    /// ``ResponseBody/maximumBytes``, and `bodyIsTruncated` tells whether more was to come.
    case refused(ResponseHead, body: [UInt8], bodyIsTruncated: Bool)
    /// The Upgrade field is not `websocket`. Carries the values of all Upgrade fields.
    case invalidUpgrade(values: [String])
    /// The Connection field does not contain `upgrade`. Carries the values of all Connection fields.
    case invalidConnection(values: [String])
    /// The response has no Sec-WebSocket-Accept field.
    case missingAccept
    /// The response has more than one Sec-WebSocket-Accept field.
    case repeatedAccept
    /// The value of Sec-WebSocket-Accept is not the hash of the key sent.
    case wrongAccept(String)
    /// The response names more than one subprotocol.
    case repeatedSubprotocol([String])
    /// The response names a subprotocol that was not requested.
    case unrequestedSubprotocol(String)
    /// The value of Sec-WebSocket-Extensions violates its grammar.
    case malformedExtensions(String)
    /// The response accepts an extension that was not offered.
    case unofferedExtension(String)
    /// HTTP/2 failed before the response was complete.
    case http2(HTTP2Error)
}

extension HandshakeError: CustomStringConvertible {
    /// The reason and the remedy. Safe to print whatever the server sent.
    package var description: String { description(login: .none) }

    /// The description for a request with a login, which a 401 rejects, or without a requested client certificate, which a
    /// 403 requires.
    package func description(login: ClientLogin.Use = .none, lacksCertificate: Bool = false) -> String {
        switch self {
        case .closedBeforeResponse:
            "the server closed the connection without a response; check the path and --subprotocol"
        case .incompleteResponse:
            "the server closed the connection in the middle of its response; try again"
        case .notHTTP(let preview):
            Self.describeNotHTTP(preview)
        case .invalidResponse(let error):
            "the server's response \(error); check that this is the port of a WebSocket server"
        case .tooManyInterimResponses:
            "the server sent more than \(ClientHandshake.maximumInterimResponses) interim responses; check the server"
        case .refused(let head, let body, _):
            Self.describeRefusal(head, body, login, lacksCertificate: lacksCertificate)
        case .invalidUpgrade(let values):
            values.isEmpty
                ? "the server's 101 response has no Upgrade header; a proxy may have removed it"
                : "the server upgrades to \(quoted(values.joined(separator: ", "))) instead of websocket; check the path"
        case .invalidConnection(let values):
            values.isEmpty
                ? "the server's 101 response has no Connection header; a proxy may have removed it"
                : "the server's Connection header is \(quoted(values.joined(separator: ", "))) instead of Upgrade; a proxy may have changed it"
        case .missingAccept:
            "the server's response has no Sec-WebSocket-Accept header; is this a WebSocket server? Check the path"
        case .repeatedAccept:
            "the server sent several Sec-WebSocket-Accept headers; check the server and any proxies"
        case .wrongAccept:
            "the server's Sec-WebSocket-Accept header is wrong; is this a WebSocket server? A proxy may have cached the response"
        case .repeatedSubprotocol(let names):
            "the server selected several subprotocols: \(quoted(names.joined(separator: ", "))); check the server"
        case .unrequestedSubprotocol(let name):
            "the server selected the subprotocol \(quoted(name)), which was not requested; request it with --subprotocol"
        case .malformedExtensions(let value):
            "the server's Sec-WebSocket-Extensions header is malformed: \(quoted(value)); check the server, or try --compress=off"
        case .unofferedExtension(let name):
            "the server accepted the extension \(quoted(name)), which was not offered; check the server"
        case .http2(let error): error.description
        }
    }

    private static func describeNotHTTP(_ preview: [UInt8]) -> String {
        // RFC 8446 §5.1: a TLS alert record, a TLS server's reply to a plaintext request.
        if preview.starts(with: [0x15, 0x03]) {
            return "the server speaks TLS on this port; use wss:// instead of ws://"
        }
        if HTTP2Preface.isFrame(preview) {
            return "the server speaks only HTTP/2 on this port; use wsx connect --http2, or check the port"
        }
        let text = quoted(String(decoding: preview, as: UTF8.self))
        return "the server's response is not HTTP: \(text); check the port"
    }

    private static func describeRefusal(
        _ head: ResponseHead, _ body: [UInt8], _ login: ClientLogin.Use, lacksCertificate: Bool
    ) -> String {
        let remedy =
            switch head.status {
            case _ where head.isRedirect && head.fields.contains(named: "Location"):
                "follow the redirect with --location"
            case 400 where body.contains(anyOf: tlsRequiredPhrases):
                "the server expects TLS on this port: use wss:// instead of ws://"
            case 400 where body.contains(anyOf: ["No required SSL certificate"]):
                "the server requires a client certificate: use --cert and --key"
            case 400 where body.contains(anyOf: ["SSL certificate error"]):
                "the server rejected the client certificate: check --cert and --key"
            case 403 where lacksCertificate:
                "the server requested a client certificate: use --cert and --key, or check the path, --origin, and the "
                    + "credentials"
            case 401: describeLogin(head, login)
            case 407: "set the proxy's user name and password in --proxy"
            case 429: describeDelay(head)
            case 502, 504: "a gateway cannot reach the server behind it: is that server running?"
            case 503: "the server is down or overloaded: \(describeDelay(head))"
            case let status: describeMissingEndpoint(status, proxy: head.reverseProxy)
            }
        return "the server answered \(head.statusWords)" + (remedy.isEmpty ? "" : "; \(remedy)")
    }

    /// The advice for a status that says that there is no WebSocket endpoint.
    ///
    /// A server that gets the request of a proxy without the Upgrade header takes it for one of HTTP. Depending on the
    /// server, that has one of these statuses. A wrong path has most of them, too.
    private static func describeMissingEndpoint(_ status: Int, proxy: String?) -> String {
        let lostUpgrade = proxy.map { "\($0) may not forward the Upgrade header" }
        switch status {
        case 200...299:
            return "this is a web page, not a WebSocket endpoint: check the path"
                + (lostUpgrade.map { "; \($0)" } ?? "")
        case 400:
            return (lostUpgrade.map { "\($0); otherwise, " } ?? "")
                + "check the path and the options for the request, such as --subprotocol"
        // Frameworks reject an unknown path with 403 (ASGI servers) or 500 (Django).
        case 403: return "check the path, --origin, and the credentials"
        case 404, 405, 410: return "check the path" + (lostUpgrade.map { "; \($0)" } ?? "")
        case 426:
            return lostUpgrade.map { "\($0); otherwise, check the path" }
                ?? "the server requires another protocol or WebSocket version: check the path"
        case 500: return "the server failed: check the path, and the server's log"
        case 501:
            return "it may require a subprotocol: check --subprotocol or --protocol, and the path"
                + (lostUpgrade.map { "; \($0)" } ?? "")
        case 505: return lostUpgrade.map { "\($0), or HTTP/1.1" } ?? "a proxy may not forward HTTP/1.1; check the path"
        default: return ""
        }
    }

    /// The phrases in which nginx, Apache, and Go's servers answer plain HTTP on a port for TLS with 400.
    private static let tlsRequiredPhrases = ["HTTPS port", "SSL-enabled server port", "HTTPS server"]

    /// The wait for which a valid Retry-After asks.
    private static func describeDelay(_ head: ResponseHead) -> String {
        let maximumBytes = 40
        guard let delay = head.fields.first(named: "Retry-After"), 1...maximumBytes ~= delay.utf8.count,
            head.retryDelay(at: 0) != nil
        else { return "try again later" }
        let isCount = delay.utf8.allSatisfy(ASCII.isDigit)
        return isCount ? "try again in \(delay) s" : "try again after \(escapingControls(delay))"
    }

    private static func describeLogin(_ head: ResponseHead, _ login: ClientLogin.Use) -> String {
        let challenges = AuthenticationChallenge.parse(head.fields.all(named: "WWW-Authenticate"))
        guard !challenges.isEmpty else {
            return switch login {
            case .none: "log in with --auth or --bearer"
            case .sent: "it rejected the credentials: check --auth, --bearer, or the URL"
            case .withheld: "it names no authentication scheme, which --digest and --anyauth need; omit them"
            }
        }
        let wanted = "it requires \(AuthenticationChallenge.describe(challenges))"
        let options = AuthenticationChallenge.options(for: challenges)
        guard !options.isEmpty else {
            return wanted + ", which wsx does not support; set the header yourself with -H 'Authorization: ...'"
        }
        let offers = { (scheme: String) in challenges.contains { $0.isScheme(scheme) } }
        switch login {
        case .sent("Basic") where offers("Digest") && !offers("Basic"): return wanted + "; add --digest"
        case .sent: return wanted + " and rejected the credentials; check --auth, --bearer, or the URL"
        case .withheld where offers("Digest"):
            return wanted + ", but with an algorithm or a qop that wsx does not support; see the challenge with -v"
        case .withheld(.digest) where offers("Basic"):
            return wanted + ", but --digest sends no password that way; use --anyauth instead"
        case .none, .withheld: return wanted + "; log in with \(options.joined(separator: " or "))"
        }
    }
}

extension [UInt8] {
    /// Whether one of the phrases is a part of the text.
    fileprivate func contains(anyOf phrases: [String]) -> Bool {
        phrases.contains { phrase in indices.contains { self[$0...].starts(with: phrase.utf8) } }
    }
}

extension ResponseHead {
    /// The status and its reason phrase, in quotes if it is the server's own: `404 Not Found`, `404 "no room"`.
    package var statusWords: String {
        let usual = HTTPStatus.reason(of: status)
        let words = reason.isEmpty || reason == usual ? usual : quoted(reason)
        return words.isEmpty ? "\(status)" : "\(status) \(words)"
    }

    /// The software that forwarded the request, in words, if header fields name one; nil for none, and for one that does
    /// not say so.
    fileprivate var reverseProxy: String? {
        let products = fields.all(named: "Server").map(ASCII.lowercased)
        if let known = Self.reverseProxies.first(where: { known in products.contains { $0.hasPrefix(known.product) } })
        {
            return "a proxy (\(known.name))"
        }
        // RFC 9110 §7.6.3: Via names each intermediary. The others are of caches and content delivery networks.
        return ["Via", "X-Cache", "X-Varnish", "CF-Ray", "X-Amz-Cf-Id"].contains { fields.contains(named: $0) }
            ? "a proxy" : nil
    }

    /// Servers that most often stand before another one: the beginning of their Server field in lower case, and a name.
    private static let reverseProxies = [
        ("nginx", "nginx"), ("openresty", "OpenResty"), ("tengine", "Tengine"), ("apache", "Apache"),
        ("httpd", "httpd"), ("litespeed", "LiteSpeed"), ("lighttpd", "lighttpd"), ("caddy", "Caddy"),
        ("envoy", "Envoy"), ("istio-envoy", "Envoy"), ("haproxy", "HAProxy"), ("traefik", "Traefik"),
        ("varnish", "Varnish"), ("squid", "Squid"), ("ats", "Traffic Server"), ("cloudflare", "Cloudflare"),
        ("cloudfront", "CloudFront"), ("awselb", "AWS ELB"), ("akamai", "Akamai"), ("google frontend", "Google"),
        ("microsoft-iis", "IIS"), ("microsoft-azure-application-gateway", "Azure"), ("kong", "Kong"),
    ].map { (product: $0.0, name: $0.1) }
}
