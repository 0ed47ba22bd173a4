/// A cookie as it is kept (RFC 6265 §5.3).
struct Cookie: Sendable {
    let name: String
    let value: String
    /// The host in lower case, or the domain that covers it.
    let domain: String
    /// Whether it goes to the very host that set it alone.
    let isHostOnly: Bool
    let path: String
    /// Whether it goes through TLS alone.
    let isSecure: Bool
    /// Seconds since the beginning of 1970; nil: never.
    let expiry: Int?
    /// Orders cookies by when they were first set.
    private(set) var creation: Int

    /// Takes what a server set, or nothing if it is not the server's to set.
    init?(_ parsed: SetCookie, from url: WebSocketURL, host: CookieHost, creation: Int) {
        // RFC 6265bis §5.7: Secure can be set through TLS alone.
        guard url.isSecure || !parsed.isSecure else { return nil }
        guard let (domain, isHostOnly) = host.domain(for: parsed.domain) else { return nil }
        path = parsed.path ?? CookiePath.defaultPath(of: url)
        // RFC 6265bis §4.1.3: what these names promise must be so; their case does not matter.
        let lowercasedName = ASCII.lowercased(parsed.name)
        if lowercasedName.utf8.starts(with: "__secure-".utf8) {
            guard parsed.isSecure else { return nil }
        }
        if lowercasedName.utf8.starts(with: "__host-".utf8) {
            guard parsed.isSecure, parsed.domain == nil, parsed.path == "/" else { return nil }
        }
        name = parsed.name
        value = parsed.value
        self.domain = domain
        self.isHostOnly = isHostOnly
        isSecure = parsed.isSecure
        expiry = parsed.expiry
        self.creation = creation
    }

    func created(_ creation: Int) -> Cookie {
        var copy = self
        copy.creation = creation
        return copy
    }

    func isExpired(at now: Int) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether one replaces the other.
    func isSame(as other: Cookie) -> Bool {
        domain == other.domain && isHostOnly == other.isHostOnly && name.utf8.elementsEqual(other.name.utf8)
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// RFC 6265 §5.4 step 1.
    func goes(to host: CookieHost, path requestPath: String, isSecure isRequestSecure: Bool) -> Bool {
        let isForHost = isHostOnly ? host.name == domain : CookieHost.isCovered(host.name, by: domain)
        return isForHost && CookiePath.isCovered(requestPath, by: path) && (isRequestSecure || !isSecure)
    }
}

/// The host that a cookie comes from or goes to.
struct CookieHost {
    /// The name or address; for a Unix socket its path, which no name looks like.
    let name: String
    /// Whether it is a name, of which there can be subdomains.
    private let isName: Bool

    /// Takes the host of a URL; there is none for the server inside this process.
    init?(of url: WebSocketURL) {
        switch url.endpoint {
        case .tcp(let host, _):
            name = host
            isName = !host.utf8.contains(ASCII.colon) && IPLiteral.ipv4(host) == nil
        case .unix(let path):
            name = "unix:" + path
            isName = false
        case .embeddedEcho:
            return nil
        }
    }

    /// The domain of a cookie with a Domain attribute or none, and whether it is the host's alone; nil: a domain
    /// that is not the host's to set cookies for.
    func domain(for attribute: String?) -> (domain: String, isHostOnly: Bool)? {
        guard let attribute else { return (name, true) }
        // RFC 6265 §5.1.3: of an address nothing is a subdomain. §5.3 step 5: a public suffix can name itself alone;
        // what has no dot is one.
        let hasDot = attribute.utf8.dropLast().contains(UInt8(ascii: "."))
        guard isName, hasDot else { return attribute == name ? (name, true) : nil }
        // RFC 6265 §5.3 step 6: the domain covers the host.
        return Self.isCovered(name, by: attribute) ? (attribute, false) : nil
    }

    /// RFC 6265 §5.1.3, for two names in lower case.
    static func isCovered(_ name: String, by domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let rest = name.dropLast(domain.count)
        return rest.last == UInt8(ascii: ".") && name.dropFirst(rest.count).elementsEqual(domain)
    }
}

/// The paths of cookies (RFC 6265 §5.1.4).
enum CookiePath {
    /// The path of a request, without its query.
    static func path(of url: WebSocketURL) -> String {
        String(Substring(url.requestTarget.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }

    /// The path of a cookie that names none: the request's up to its last slash.
    static func defaultPath(of url: WebSocketURL) -> String {
        let path = path(of: url)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a cookie of `cookiePath` goes to `path`: it is the path, or the folder of a part of it.
    static func isCovered(_ path: String, by cookiePath: String) -> Bool {
        let (path, cookiePath) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path.dropFirst(cookiePath.count).first == UInt8(ascii: "/")
    }
}
