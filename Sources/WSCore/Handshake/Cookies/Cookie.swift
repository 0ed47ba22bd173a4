/// A stored cookie (RFC 6265 §5.3).
struct Cookie: Sendable {
    let name: String
    let value: String
    /// The host in lower case, or the domain that covers it.
    let domain: String
    /// Whether the cookie is sent only to the host that set it.
    let isHostOnly: Bool
    let path: String
    /// Whether the cookie is sent only over TLS.
    let isSecure: Bool
    /// The expiry time in seconds since 1970-01-01 00:00 UTC, or `nil` if the cookie never expires.
    let expiry: Int?
    /// Whether scripts of web pages may not read the cookie. It is kept for cookie files only.
    let isHTTPOnly: Bool
    /// Orders cookies by their first creation.
    private(set) var creation = 0

    func created(_ creation: Int) -> Cookie {
        var copy = self
        copy.creation = creation
        return copy
    }

    func isExpired(at now: Int) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether one cookie replaces the other.
    func isSame(as other: Cookie) -> Bool {
        domain == other.domain && isHostOnly == other.isHostOnly && name.utf8.elementsEqual(other.name.utf8)
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// Equal for two cookies if one replaces the other; see ``isSame(as:)``.
    var identity: [UInt8] { Array("\(domain)\t\(isHostOnly)\t\(name)\t\(path)".utf8) }

    /// RFC 6265 §5.4 step 1.
    func goes(to host: CookieHost, path requestPath: String, isSecure isRequestSecure: Bool) -> Bool {
        // RFC 6265 §5.1.3: only names have subdomains.
        let isForHost =
            isHostOnly || !host.isName ? host.name == domain : CookieHost.isCovered(host.name, by: domain)
        return isForHost && CookiePath.isCovered(requestPath, by: path) && (isRequestSecure || !isSecure)
    }
}

extension Cookie {
    /// Creates a cookie from a Set-Cookie field. Returns `nil` if the server may not set it.
    init?(_ parsed: SetCookie, from url: WebSocketURL, host: CookieHost) {
        // RFC 6265bis §5.7: only a secure connection may set Secure.
        guard url.isSecure || !parsed.isSecure else { return nil }
        guard let (domain, isHostOnly) = host.domain(for: parsed.domain) else { return nil }
        guard
            Self.isPermitted(
                name: parsed.name, isSecure: parsed.isSecure,
                isForWholeHost: parsed.domain == nil && parsed.path == "/")
        else { return nil }
        self.init(
            name: parsed.name, value: parsed.value, domain: domain, isHostOnly: isHostOnly,
            path: parsed.path ?? CookiePath.defaultPath(of: url), isSecure: parsed.isSecure, expiry: parsed.expiry,
            isHTTPOnly: parsed.isHTTPOnly)
    }

    /// Whether a cookie has the properties that the prefix of its name promises. Prefixes are case-insensitive.
    /// - Parameter isForWholeHost: Whether the cookie is limited to its host, and has the path `/`.
    static func isPermitted(name: String, isSecure: Bool, isForWholeHost: Bool) -> Bool {
        // RFC 6265bis §4.1.3.
        let name = ASCII.lowercased(name).utf8
        if name.starts(with: "__host-".utf8) { return isSecure && isForWholeHost }
        return isSecure || !name.starts(with: "__secure-".utf8)
    }
}

/// The host that sets or receives a cookie.
struct CookieHost {
    /// The name or address, or `unix:` and the path of a Unix domain socket, which cannot be mistaken for a name.
    let name: String
    static let unixPrefix = "unix:"
    /// Whether the host is a name, which can have subdomains.
    fileprivate let isName: Bool

    /// Extracts the host of a URL. Returns `nil` for the server inside this process.
    init?(of url: WebSocketURL) {
        switch url.endpoint {
        case .tcp(let host, _):
            name = host
            isName = Self.isName(host)
        case .unix(let path):
            name = Self.unixPrefix + path
            isName = false
        case .embeddedEcho:
            return nil
        }
    }

    /// The domain of a cookie with the given Domain attribute, and whether the cookie is limited to this host. Returns
    /// `nil` if this host may not set cookies for the domain.
    func domain(for attribute: String?) -> (domain: String, isHostOnly: Bool)? {
        guard let attribute else { return (name, true) }
        // RFC 6265 §5.1.3: addresses have no subdomains. §5.3 step 5: a public suffix may only name itself, and a name
        // without a dot counts as one.
        guard isName, Self.hasInnerDot(attribute) else { return attribute == name ? (name, true) : nil }
        // RFC 6265 §5.3 step 6: the domain must cover the host.
        return Self.isCovered(name, by: attribute) ? (attribute, false) : nil
    }

    /// Whether a domain may cover other hosts than itself.
    static func mayHaveSubdomains(_ domain: String) -> Bool { isName(domain) && hasInnerDot(domain) }

    private static func isName(_ host: String) -> Bool {
        !host.utf8.contains(ASCII.colon) && IPLiteral.ipv4(host) == nil
    }

    private static func hasInnerDot(_ domain: String) -> Bool { domain.utf8.dropLast().contains(UInt8(ascii: ".")) }

    /// RFC 6265 §5.1.3, for two names in lower case.
    static func isCovered(_ name: String, by domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let rest = name.dropLast(domain.count)
        return rest.last == UInt8(ascii: ".") && name.dropFirst(rest.count).elementsEqual(domain)
    }
}

/// Cookie paths (RFC 6265 §5.1.4).
enum CookiePath {
    /// The path of a request, without its query.
    static func path(of url: WebSocketURL) -> String {
        String(Substring(url.requestTarget.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }

    /// The default path of a cookie: the request's path up to its last slash.
    static func defaultPath(of url: WebSocketURL) -> String {
        let path = path(of: url)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether `path` equals `cookiePath` or lies below it.
    static func isCovered(_ path: String, by cookiePath: String) -> Bool {
        let (path, cookiePath) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path.dropFirst(cookiePath.count).first == UInt8(ascii: "/")
    }
}
