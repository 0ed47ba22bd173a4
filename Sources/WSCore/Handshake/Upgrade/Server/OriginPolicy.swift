/// Decides which web pages may connect to a server, and under which host names (RFC 6455 §10.2).
///
/// Any page in a browser can open a WebSocket to a server on the same machine. The browser only reports the page's
/// origin. A page can also make its own host name resolve to this machine ("DNS rebinding") and so pass for the
/// server's own page. The Host field then contains an unexpected name.
package enum OriginPolicy {
    /// Whether a request with this Origin value may connect. Programs other than browsers send none (`nil`).
    ///
    /// Allowed are the server's own origin (same host and port as `host`), origins on this machine (localhost,
    /// *.localhost, 127.0.0.0/8, [::1], any port), and those in `allowed`, where `*` allows all. `null`, the origin of
    /// sandboxed pages, must be listed.
    /// - Parameters:
    ///   - origin: The value of the Origin field, or `nil`.
    ///   - host: The requested host and port.
    ///   - allowed: The additional origins.
    static func allowsOrigin(_ origin: String?, host: HostAndPort, allowed: [String]) -> Bool {
        guard let origin else { return true }
        if allowed.contains("*") || allowed.contains(where: { ASCII.areEqualIgnoringCase($0, origin) }) { return true }
        guard let origin = WebOrigin(parsing: origin) else { return false }
        if allowed.contains(where: { WebOrigin(parsing: $0) == origin }) { return true }
        // Pages with other schemes, such as browser extensions, own no host.
        guard origin.scheme == "http" || origin.scheme == "https" else { return false }
        if HostAndPort.isLoopback(origin.host) { return true }
        // Host omits the default port of the page's scheme.
        return host.host == origin.host && (host.port ?? origin.defaultPort) == origin.port
    }

    /// Whether a request may use this host.
    ///
    /// Allowed are IP addresses, localhost, and *.localhost, which DNS cannot redirect, and the hosts of the origins in
    /// `allowed`, where `*` allows all.
    static func allowsHost(_ host: HostAndPort, allowed: [String]) -> Bool {
        if allowed.contains("*") || host.isIPAddress || HostAndPort.isLoopback(host.host) { return true }
        return allowed.contains { WebOrigin(parsing: $0)?.host == host.host }
    }

    /// Whether a Referer is a partial URI, which names a page of the same origin (RFC 9110 §10.1.3).
    static func isRelative(_ referrer: String) -> Bool {
        let start = Array(referrer.utf8.prefix(2))
        guard let first = start.first else { return true }
        return first == UInt8(ascii: "/") && (start.count == 1 || !"/\\".utf8.contains(start[1]))
    }

    /// The origin of a URL with a path, or `nil` if it has none.
    static func origin(ofURL url: String) -> String? {
        guard let scheme = URLForm.scheme(of: url) else { return nil }
        let rest = url.utf8.dropFirst(scheme.utf8.count + 1)
        guard rest.starts(with: "//".utf8) else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        return "\(scheme)://\(Substring(authority))"
    }

    /// Whether the text is a serialized origin: `scheme://host[:port]` or `null` (RFC 6454 §6.2).
    package static func isOrigin(_ text: String) -> Bool {
        text == "null" || WebOrigin(parsing: text) != nil
    }

    /// The origin if it is safe to paste into a shell; otherwise the placeholder.
    static func suggestion(_ origin: String, otherwise placeholder: String = "ORIGIN") -> String {
        let isHarmless = origin.utf8.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || ":/.-[]".utf8.contains(byte)
        }
        return isHarmless && WebOrigin(parsing: origin) != nil ? origin : placeholder
    }
}

/// A serialized origin: `scheme://host[:port]` (RFC 6454 §6.2).
struct WebOrigin: Equatable {
    /// The scheme in lower case.
    let scheme: String
    /// The host in lower case, without brackets.
    let host: String
    /// The port, or the scheme's default.
    let port: UInt16?

    /// Parses an origin. Returns `nil` for anything else, such as `null` or a URL with a path.
    init?(parsing text: String) {
        guard let scheme = URLForm.scheme(of: text) else { return nil }
        let rest = Substring(text.utf8.dropFirst(scheme.utf8.count + 1))
        guard rest.utf8.starts(with: "//".utf8),
            let authority = try? HostAndPort(parsing: Substring(rest.utf8.dropFirst(2))), authority.zone == nil
        else { return nil }
        self.scheme = scheme
        host = authority.host
        port = authority.port ?? Self.defaultPort(of: scheme)
    }

    /// The default port of the scheme.
    var defaultPort: UInt16? { Self.defaultPort(of: scheme) }

    private static func defaultPort(of scheme: String) -> UInt16? {
        URLForm.webSchemes[scheme].map { WebSocketURL.defaultPort(isSecure: $0) }
    }
}
