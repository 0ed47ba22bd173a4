/// The head of an HTTP request. An extended CONNECT of HTTP/2 (RFC 8441) is like the GET that it replaces.
package struct RequestHead: Equatable, Sendable {
    /// The method, such as `GET`.
    package let method: String
    /// The request target as received: visible ASCII, including the query.
    package let target: String
    /// The header fields.
    package let fields: HTTPFields
    /// The HTTP minor version, 1 for HTTP/1.1.
    package let minorVersion: Int
    /// The version of HTTP.
    package let version: HTTPVersion
    /// The protocol of an extended CONNECT; nil for other requests.
    let connectProtocol: String?

    /// Creates a request head.
    package init(method: String, target: String, fields: HTTPFields, minorVersion: Int = 1) {
        self.method = method
        self.target = target
        self.fields = fields
        self.minorVersion = minorVersion
        version = .http1
        connectProtocol = nil
    }

    /// Creates the head of an HTTP/2 request, whose fields include Host.
    /// - Parameter connectProtocol: The protocol of an extended CONNECT. Default: nil.
    init(http2Method method: String, target: String, fields: HTTPFields, connectProtocol: String? = nil) {
        self.method = method
        self.target = target
        self.fields = fields
        minorVersion = 1
        version = .http2
        self.connectProtocol = connectProtocol
    }

    /// The version, such as `HTTP/1.1`.
    package var versionText: String { version == .http2 ? "HTTP/2" : "HTTP/1.\(minorVersion)" }

    /// Whether the request asks for a WebSocket.
    var asksForWebSocket: Bool {
        switch version {
        // RFC 6455 §4.2.1: Upgrade contains "websocket", ignoring case.
        case .http1: fields.contains(token: "websocket", named: "Upgrade")
        // RFC 8441 §5; RFC 9110 §7.8: ignoring case. HAProxy forwards the spelling of the client.
        case .http2: connectProtocol.map { ASCII.areEqualIgnoringCase($0, "websocket") } ?? false
        }
    }

    /// Whether the request is an upgrade to some version of the protocol, which a gateway takes part in. For a gateway, others
    /// that ask for a WebSocket are requests like any other (RFC 9110 §7.8: Upgrade concerns one connection, and may be
    /// ignored).
    package var isUpgrade: Bool {
        guard asksForWebSocket, method == "GET", minorVersion >= 1 else { return false }
        // HTTP/2 has no such field.
        return version == .http2 || fields.contains(token: "upgrade", named: "Connection")
    }

    /// RFC 9112 §3.2.4: whether the request concerns the server as a whole. For a proxy, it has a URL without a path.
    package var concernsServer: Bool {
        method == "OPTIONS" && (target == "*" || absoluteForm?.utf8.allSatisfy(Self.isAuthority) ?? false)
    }

    /// Whether a target in absolute form is that of TLS; nil for another form.
    var isTargetSecure: Bool? {
        absoluteForm == nil ? nil : URLForm.scheme(of: target).flatMap { URLForm.webSchemes[$0] }
    }

    /// Whether the target has a path.
    var hasPath: Bool { originForm != nil }

    /// The target's path as received (not percent-decoded), or `nil` for a target without one: `*` or `host:port`.
    package var path: String? {
        originForm.map { form in
            ASCII.allSatisfy(form) { $0 != UInt8(ascii: "?") }
                ? form : String(Substring(form.utf8.prefix { $0 != UInt8(ascii: "?") }))
        }
    }

    /// The part of the target after the first `?`, or `nil`.
    package var query: String? {
        guard let form = originForm, let mark = form.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(form[form.utf8.index(after: mark)...])
    }

    /// The percent-decoded bytes of the path, not necessarily UTF-8. `nil` if the target has no path or an escape is
    /// malformed.
    package var decodedPathBytes: [UInt8]? {
        path.flatMap { try? PercentEncoding.decodeBytes($0) }
    }

    /// The normalized path (RFC 3986 §6.2.2). `nil` if the target has no path or an escape is malformed.
    package var normalizedPath: String? {
        path.flatMap { try? PercentEncoding.normalize($0) }
    }

    /// The host and port under which the client addresses the server: from a target in absolute form, otherwise from
    /// Host. An IPv6 address has brackets. `nil` if there is no valid host.
    package var host: (name: String, port: UInt16?)? {
        guard let text = hostAsSent, let host = try? HostAndPort(parsing: text) else {
            return nil
        }
        return (host.isIPv6 ? "[\(host.host)]" : host.host, host.port)
    }

    /// The authority of a target in absolute form (`http://host:port/path`), which overrides Host (RFC 9112 §3.2.2).
    var authority: String? {
        absoluteForm.map { rest in String(Substring(rest.utf8.prefix(while: Self.isAuthority))) }
    }

    /// The requested host and port as received.
    var hostAsSent: String? { authority ?? fields.first(named: "Host") }

    /// The path and query of a target in origin form (`/path`) or absolute form.
    package var originForm: String? {
        if target.utf8.first == UInt8(ascii: "/") { return target }
        guard let rest = absoluteForm else { return nil }
        let pathAndQuery = String(Substring(rest.utf8.drop(while: Self.isAuthority)))
        return pathAndQuery.utf8.first == UInt8(ascii: "/") ? pathAndQuery : "/" + pathAndQuery
    }

    /// The part after `http://` of a target in absolute form.
    private var absoluteForm: String? {
        if target.utf8.first == UInt8(ascii: "/") { return nil }
        for scheme in ["http://", "https://", "ws://", "wss://"]
        where ASCII.lowercased(target.prefix(scheme.utf8.count)) == scheme {
            return String(target.dropFirst(scheme.utf8.count))
        }
        return nil
    }

    /// RFC 9112 §3.2, RFC 3986 §2: a target consists of visible ASCII.
    static func isTargetByte(_ byte: UInt8) -> Bool { byte > ASCII.space && byte < 0x7F }

    private static func isAuthority(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?")
    }
}
