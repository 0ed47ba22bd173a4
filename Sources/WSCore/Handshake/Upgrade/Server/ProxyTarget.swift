/// The server that a client of an HTTP proxy wants to reach: the host and port of CONNECT, or of an absolute URL.
package struct ProxyTarget: Equatable, Sendable {
    /// A name in lower case, or an IP address without brackets.
    package let host: String
    /// The port.
    package let port: UInt16

    /// Parses the target of a CONNECT request. RFC 9110 §9.3.6: a host and a port.
    /// - Returns: Nil if it is anything else.
    package init?(connecting target: String) {
        guard let authority = try? HostAndPort(parsing: target), let port = authority.port,
            !target.utf8.contains(UInt8(ascii: "%"))
        else { return nil }
        self.init(authority, port: port)
    }

    /// The target of a request in absolute form.
    /// - Returns: Nil if it has another form, or its host is invalid.
    package init?(of request: RequestHead) {
        guard let isSecure = request.isTargetSecure, let authority = request.authority,
            let parsed = try? HostAndPort(parsing: authority)
        else { return nil }
        self.init(parsed, port: parsed.port ?? WebSocketURL.defaultPort(isSecure: isSecure))
    }

    private init?(_ authority: HostAndPort, port: UInt16) {
        guard authority.zone == nil, authority.isIPv6 || Self.isName(authority.host) else { return nil }
        host = authority.host
        self.port = port
    }

    /// Whether the text can name a host. A certificate for a name with `*` would be one for many hosts.
    /// - Parameter others: The characters besides letters and digits.
    static func isName(_ text: String, with others: String = "-_") -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return !labels.dropLast().contains(where: \.isEmpty) && labels.first?.isEmpty == false
            && labels.joined().allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || others.utf8.contains($0) }
    }

    /// The root of the server.
    package func url(isSecure: Bool) -> WebSocketURL {
        WebSocketURL(isSecure: isSecure, endpoint: .tcp(host: host, port: port), requestTarget: "/", userInfo: nil)
    }
}

/// The tunnel of an HTTP proxy through which a request arrives.
struct TunnelOrigin: Equatable, Sendable {
    /// The target of CONNECT, which decides where requests go.
    let target: ProxyTarget
    /// Whether the client uses TLS in the tunnel.
    let isSecure: Bool
}

extension RequestHead {
    /// The URL of a request in absolute form; nil if it has another form.
    package var targetURL: WebSocketURL? {
        guard let isTargetSecure, let target = ProxyTarget(of: self) else { return nil }
        return target.url(isSecure: isTargetSecure).passing(concernsServer ? "*" : originForm ?? "/")
    }

    /// The request as an HTTP proxy takes it: in absolute form unless it is CONNECT, and without the proxy's login.
    /// - Parameter tunnel: The tunnel through which it arrives; nil for none.
    /// - Throws: ``HandshakeRefusal``.
    func proxied(through tunnel: TunnelOrigin?, access: AccessPolicy) throws(HandshakeRefusal) -> RequestHead {
        if let tunnel { return try inside(tunnel) }
        guard method == "CONNECT" || isTargetSecure != nil else {
            throw badRequest(
                "This is an HTTP proxy, not a web server; set it in an application, or with https_proxy=http://HOST:PORT."
            )
        }
        try checkProxyAccess(access)
        guard !fields.isRepeated("Host") else { throw badRequest("The request has more than one Host field.") }
        var fields = fields
        fields.remove(named: Self.authorizationName)
        if method == "CONNECT" {
            // RFC 9110 §9.3.6: CONNECT has no content.
            guard ProxyTarget(connecting: target) != nil, !fields.contains(named: "Transfer-Encoding"),
                fields.all(named: "Content-Length").allSatisfy({ $0 == "0" })
            else { throw badRequest("CONNECT needs a host and a port as its target, and no body.") }
        } else {
            guard let targetURL else { throw badRequest("The request target's host is invalid.") }
            // RFC 9112 §3.2.2: a proxy replaces Host.
            fields.remove(named: "Host")
            fields.append(HeaderField(wellFormedName: "Host", value: targetURL.hostField))
        }
        return RequestHead(method: method, target: target, fields: fields, minorVersion: minorVersion)
    }

    /// The authority of CONNECT decides where a request goes. Its Host is for the server.
    private func inside(_ tunnel: TunnelOrigin) throws(HandshakeRefusal) -> RequestHead {
        guard method != "CONNECT" else { throw badRequest("A tunnel cannot contain another one to this proxy.") }
        if isTargetSecure != nil {
            guard isTargetSecure == tunnel.isSecure, ProxyTarget(of: self) == tunnel.target else {
                throw badRequest("The request is for another server than its tunnel.")
            }
            return self
        }
        guard concernsServer || target.utf8.first == UInt8(ascii: "/") else {
            throw badRequest("The request target is neither a path nor a URL.")
        }
        let root = "\(tunnel.isSecure ? "https" : "http")://\(tunnel.target.url(isSecure: tunnel.isSecure).hostField)"
        return RequestHead(
            method: method, target: root + (concernsServer ? "" : target), fields: fields, minorVersion: minorVersion)
    }

    private func checkProxyAccess(_ access: AccessPolicy) throws(HandshakeRefusal) {
        guard access.isClosed else { return }
        let isRepeated = fields.isRepeated(Self.authorizationName)
        if !isRepeated, access.login(with: fields.first(named: Self.authorizationName)) != nil { return }
        // RFC 9110 §15.5.8: a 407 response must contain a challenge.
        throw HandshakeRefusal(
            status: 407, reason: "This proxy requires credentials.",
            fields: access.challenges(to: nil).map {
                HeaderField(wellFormedName: "Proxy-Authenticate", value: $0.value)
            }, request: self)
    }

    private func badRequest(_ reason: String) -> HandshakeRefusal {
        HandshakeRefusal(status: 400, reason: reason, request: self)
    }

    private static let authorizationName = "Proxy-Authorization"
}
