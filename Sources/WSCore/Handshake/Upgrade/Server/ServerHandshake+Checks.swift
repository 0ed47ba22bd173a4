extension ServerHandshake {
    /// Checks a request against HTTP, RFC 6455 §4.2.1, and the server's policy. Returns `nil` for a valid request that
    /// does not ask for a WebSocket.
    static func check(_ request: RequestHead, policy: ServerPolicy) throws(HandshakeRefusal) -> ServerUpgrade? {
        // Its target and its login have been checked.
        if policy.isProxy, request.method == "CONNECT" { return nil }
        let asksForWebSocket = policy.isGateway ? request.isUpgrade : request.asksForWebSocket
        if asksForWebSocket { try checkMethodAndVersion(request) }

        // Checks for all requests. Host comes before Authorization: a browser with a page on a rebound name must not be
        // asked for a password.
        let host = try checkHTTP(request, policy: policy)
        if policy.checksHostAndOrigin, !policy.isProxy { try checkHost(host, of: request, policy: policy) }
        let login = policy.isProxy ? nil : try checkAccess(request, policy: policy)
        let addsLogin = policy.login.includes(request.targetURL)
        let checksOrigin = policy.checksHostAndOrigin && (addsLogin || !policy.isProxy)
        guard asksForWebSocket else {
            // RFC 9110 §15.6.2: the functionality that the request needs is not supported.
            if let name = request.connectProtocol, !request.asksForWebSocket {
                throw refusal(501, "The protocol \(quoted(name)) is not supported; use websocket.", request)
            }
            // Browsers send forms and simple requests of any page, with its origin, without asking the server first.
            if checksOrigin, policy.isGateway || request.method == "POST" {
                try checkOrigin(request, host: host, policy: policy)
                if addsLogin { try checkSite(request, host: host, policy: policy) }
            }
            return nil
        }

        // Checks for WebSocket requests.
        try checkUpgrade(request, policy: policy)
        if checksOrigin { try checkOrigin(request, host: host, policy: policy) }
        if let path = policy.path, !policy.hasWebSockets(at: request) {
            throw refusal(404, "There is no WebSocket endpoint at this path; use \(path).", request)
        }
        try checkVersion(request)
        // RFC 8441 §5: Sec-WebSocket-Key is not used.
        if request.version == .http1 { try checkKey(of: request) }
        return ServerUpgrade(
            request: request,
            login: login,
            subprotocol: try subprotocol(for: request, policy: policy),
            extensionOffers: try extensionOffers(of: request),
            extraFields: policy.extraFields)
    }

    private static func refusal(
        _ status: Int, _ reason: String, _ request: RequestHead, fields: [HeaderField] = []
    ) -> HandshakeRefusal {
        HandshakeRefusal(status: status, reason: reason, fields: fields, request: request)
    }

    private static func checkMethodAndVersion(_ request: RequestHead) throws(HandshakeRefusal) {
        // RFC 6455 §4.2.1: the method is GET.
        guard request.method == "GET" else {
            let allow = HeaderField(wellFormedName: "Allow", value: "GET")
            throw refusal(405, "Use the method GET.", request, fields: [allow])
        }
        // RFC 6455 §4.2.1: the version is at least HTTP/1.1.
        guard request.minorVersion >= 1 else { throw refusal(505, "Use HTTP/1.1.", request) }
    }

    /// Checks the rules for all requests. Returns the requested host and port.
    private static func checkHTTP(
        _ request: RequestHead, policy: ServerPolicy
    ) throws(HandshakeRefusal) -> HostAndPort {
        // RFC 6455 §4.2.1: the target is a path or an absolute HTTP URI. Neither has a fragment.
        guard request.hasPath || (policy.isGateway && request.concernsServer),
            ASCII.allSatisfy(request.target, { $0 != UInt8(ascii: "#") })
        else {
            throw refusal(400, "The request target is neither a path nor a URL.", request)
        }
        // RFC 6455 §4.2.1 requires Host, and RFC 9112 §3.2 requires exactly one valid Host. This includes HTTP/1.0,
        // which could otherwise bypass the check against DNS rebinding.
        guard let text = request.fields.onlyBytes(named: "Host"), let host = try? HostAndPort(parsing: text) else {
            throw refusal(400, "The request needs one valid Host field.", request)
        }
        // RFC 9112 §3.2.2: the authority of an absolute target overrides Host.
        guard let authority = request.authority else { return host }
        guard let host = try? HostAndPort(parsing: authority) else {
            throw refusal(400, "The request target's host is invalid.", request)
        }
        return host
    }

    private static func checkHost(
        _ host: HostAndPort, of request: RequestHead, policy: ServerPolicy
    ) throws(HandshakeRefusal) {
        guard !OriginPolicy.allowsHost(host, allowed: policy.allowedOrigins) else { return }
        let host = request.hostAsSent ?? ""
        let remedy = remedy(for: "\(policy.isSecure ? "https" : "http")://\(host)", policy, "use an IP address")
        throw refusal(403, "The host \(quoted(host)) is not allowed\(remedy).", request)
    }

    /// The option that allows an origin, or another remedy, as a clause.
    private static func remedy(for origin: String, _ policy: ServerPolicy, _ other: String? = nil) -> String {
        guard policy.hasOriginOption else { return other.map { "; \($0)" } ?? "" }
        return "; allow it with --origin \(OriginPolicy.suggestion(origin))"
    }

    /// Authenticates the client.
    private static func checkAccess(_ request: RequestHead, policy: ServerPolicy) throws(HandshakeRefusal) -> Login? {
        guard policy.access.isClosed else { return nil }
        // RFC 9110 §5.3: a field that is not a list appears at most once. Recipients differ in which of several they
        // use.
        guard !request.fields.isRepeated("Authorization") else {
            throw refusal(400, "The request has more than one Authorization field.", request)
        }
        let authorization = request.fields.first(named: "Authorization")
        if let login = policy.access.login(with: authorization) { return login }
        let reason =
            authorization == nil ? "This server requires credentials." : "The credentials are wrong."
        // RFC 9110 §15.5.2: a 401 response must contain a challenge.
        throw refusal(401, reason, request, fields: policy.access.challenges(to: authorization))
    }

    private static func checkOrigin(
        _ request: RequestHead, host: HostAndPort, policy: ServerPolicy
    ) throws(HandshakeRefusal) {
        guard let origin = request.fields.first(named: "Origin") else { return }
        // RFC 6454 §7.3: a browser sends at most one Origin field.
        guard !request.fields.isRepeated("Origin") else {
            throw refusal(400, "The request has more than one Origin field.", request)
        }
        // RFC 6455 §4.2.2: an unacceptable origin gets 403.
        guard !OriginPolicy.allowsOrigin(origin, host: host, allowed: policy.allowedOrigins) else { return }
        throw refusal(403, "The origin \(quoted(origin)) is not allowed\(remedy(for: origin, policy)).", request)
    }

    /// Checks that no page of another site has caused the request, to which a gateway adds a login. Origin, which has been
    /// checked, is missing from requests such as those for images.
    private static func checkSite(
        _ request: RequestHead, host: HostAndPort, policy: ServerPolicy
    ) throws(HandshakeRefusal) {
        // Fetch Metadata §2: browsers name the relation of the sites, and what the response is for, to hosts that they trust:
        // those with TLS, and of this machine. Nothing but the user sees what a navigation shows.
        if request.fields.tokens(named: "Sec-Fetch-Dest") == ["document"] { return }
        let relation = request.fields.tokens(named: "Sec-Fetch-Site")
        let referrer = request.fields.first(named: "Referer").flatMap { OriginPolicy.isRelative($0) ? nil : $0 }
        guard relation.contains("cross-site") || (relation.isEmpty && referrer != nil) else { return }
        let source = request.fields.first(named: "Origin") ?? referrer.flatMap { OriginPolicy.origin(ofURL: $0) }
        if policy.allowedOrigins.contains("*") { return }
        if let source, OriginPolicy.allowsOrigin(source, host: host, allowed: policy.allowedOrigins) { return }
        let remedy = source.map { Self.remedy(for: $0, policy) } ?? ""
        throw refusal(403, "A page of another site must not use the login of this relay\(remedy).", request)
    }

    private static func checkUpgrade(_ request: RequestHead, policy: ServerPolicy) throws(HandshakeRefusal) {
        // RFC 6455 §4.1: a handshake request has no body. A body would be parsed as frames.
        guard !request.fields.contains(named: "Transfer-Encoding"),
            request.fields.all(named: "Content-Length").allSatisfy({ $0 == "0" })
        else {
            throw refusal(400, "The request has a body, which a WebSocket handshake cannot have.", request)
        }
        // RFC 6455 §4.2.1: Connection contains "Upgrade", ignoring case. HTTP/2 has no such field.
        guard request.version == .http1, !request.fields.contains(token: "upgrade", named: "Connection") else { return }
        throw .upgradeRequired(request, policy: policy)
    }

    private static func checkVersion(_ request: RequestHead) throws(HandshakeRefusal) {
        let name = "Sec-WebSocket-Version"
        if let value = request.fields.onlyBytes(named: name), value.elementsEqual("13".utf8) { return }
        // RFC 6455 §11.3.5: the field must not appear more than once in a request.
        guard !request.fields.isRepeated(name) else {
            throw refusal(400, "The request has more than one \(name) field.", request)
        }
        // RFC 6455 §4.2.2: an unsupported version gets 426 with the supported one.
        throw refusal(
            HandshakeRefusal.upgradeStatus(for: request), "This server supports only WebSocket version 13.",
            request, fields: HandshakeRefusal.upgradeFields)
    }

    private static func checkKey(of request: RequestHead) throws(HandshakeRefusal) {
        // RFC 6455 §4.2.1: the key is present (§11.3.1: once) and encodes 16 bytes in Base64.
        guard let key = request.fields.onlyBytes(named: HandshakeKey.fieldName), HandshakeKey.isWellFormed(key.span)
        else {
            throw refusal(400, "The request needs one Sec-WebSocket-Key field with 16 bytes in Base64.", request)
        }
    }

    private static func subprotocol(
        for request: RequestHead, policy: ServerPolicy
    ) throws(HandshakeRefusal) -> String? {
        let offered = request.fields.elements(named: ClientRequest.subprotocolFieldName)
        if offered.isEmpty { return nil }
        // RFC 6455 §4.1: subprotocols are tokens, and all are unique.
        guard offered.allSatisfy({ ASCII.isToken($0) }), Set(offered).count == offered.count else {
            throw refusal(400, "The requested subprotocols must be distinct tokens.", request)
        }
        // RFC 6455 §4.2.2: select one that the client offered, or none.
        return policy.subprotocols(at: request).first { offered.contains($0) }
    }

    private static func extensionOffers(of request: RequestHead) throws(HandshakeRefusal) -> [ExtensionOffer] {
        do {
            return try ExtensionHeader.parse(request.fields.all(named: ExtensionHeader.fieldName))
        } catch {
            // RFC 6455 §9.1: a malformed field fails the connection.
            throw refusal(
                400, "The request's \(ExtensionHeader.fieldName) is malformed: \(quoted(error.value)).", request)
        }
    }
}
