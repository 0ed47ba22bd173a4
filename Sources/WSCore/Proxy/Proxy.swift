/// A proxy, as specified by `--proxy` or the environment.
///
/// | form | meaning |
/// | --- | --- |
/// | `http://user:password@host:port`, `host:port` | HTTP CONNECT, default port 1080 |
/// | `https://…` | HTTP CONNECT over TLS, default port 443 |
/// | `socks5://…` | SOCKS5 with an address looked up locally, default port 1080 |
/// | `socks5h://…` | SOCKS5 with a host name, which the proxy looks up, default port 1080 |
///
/// The default ports are those of curl. The user name and password are optional and percent-decoded. Neither may
/// contain control characters, and the user name may not contain a colon.
package struct Proxy: Equatable, Sendable {
    /// The protocol of a proxy.
    package enum Kind: String, CaseIterable, Sendable {
        /// HTTP CONNECT over TCP.
        case http
        /// HTTP CONNECT over TLS.
        case https
        /// SOCKS5 with an address.
        case socks5
        /// SOCKS5 with a host name.
        case socks5h

        fileprivate var defaultPort: UInt16 { self == .https ? 443 : 1080 }
        fileprivate var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    /// The proxy's protocol.
    package let kind: Kind
    /// The proxy's host: a lower-case name, an IPv4 address, or an IPv6 address without brackets (with its zone if it
    /// has one, for example `fe80::1%eth0`).
    package let host: String
    /// The proxy's port, 1 to 65535.
    package let port: UInt16
    /// The user name and password, if any.
    package let credentials: Credentials?

    /// Parses one of the forms above.
    /// - Throws: ``ProxyURLError`` if the text has another form.
    package init(parsing text: String) throws(ProxyURLError) {
        guard !text.isEmpty else { throw .empty }
        guard !text.unicodeScalars.contains(where: { $0 == " " || $0.properties.generalCategory == .control }) else {
            throw .spaceOrControlCharacter
        }
        let (kind, rest) = try Self.kindAndRest(of: text)
        // RFC 3986 §3.2: the authority ends at the first of these characters.
        let authorityEnd = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let path = rest[authorityEnd...]
        // An apparent path may be the rest of a password, so the error does not show it.
        guard !path.utf8.contains(UInt8(ascii: "@")) else { throw .unescapedCredentials }
        guard path.isEmpty || path == "/" else { throw .path }

        var hostAndPort = rest[..<authorityEnd]
        var credentials: Credentials?
        if let at = hostAndPort.utf8.lastIndex(of: UInt8(ascii: "@")) {
            credentials = try Self.credentials(parsing: hostAndPort[..<at], for: kind)
            hostAndPort = hostAndPort[hostAndPort.utf8.index(after: at)...]
        }
        let authority = try Self.authority(parsing: hostAndPort)
        self.kind = kind
        host = authority.zone.map { "\(authority.host)%\($0)" } ?? authority.host
        port = authority.port ?? kind.defaultPort
        self.credentials = credentials
    }

    /// Whether the target's address must be looked up locally.
    package var needsTargetAddress: Bool { kind == .socks5 }

    /// Whether the connection to the proxy itself uses TLS.
    package var isSecure: Bool { kind == .https }
}

extension Proxy: CustomStringConvertible {
    /// The URL with its port, without user name and password.
    package var description: String {
        let parts = host.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1).map { String(Substring($0)) }
        let name = parts.joined(separator: "%25")
        return "\(kind.rawValue)://\(name.utf8.contains(ASCII.colon) ? "[\(name)]" : name):\(port)"
    }
}

// Parsing of the URL's parts.
extension Proxy {
    /// Splits the text at `://`. Without a scheme, the kind is `http`.
    private static func kindAndRest(of text: String) throws(ProxyURLError) -> (Kind, Substring) {
        guard let scheme = URLForm.scheme(of: text) else { return (.http, text[...]) }
        let rest = text.utf8.dropFirst(scheme.utf8.count + 1)
        guard rest.starts(with: "//".utf8) else {
            // If a digit follows, the "scheme" is a host name, and the digits are its port.
            let isPort = rest.first.map(ASCII.isDigit) == true
            guard Kind(rawValue: scheme) == nil || isPort else { throw .missingSlashes(scheme: scheme) }
            return (.http, text[...])
        }
        guard let kind = Kind(rawValue: scheme) else { throw .unsupportedScheme(scheme) }
        return (kind, Substring(rest.dropFirst(2)))
    }

    private static func credentials(
        parsing text: Substring, for kind: Kind
    ) throws(ProxyURLError) -> Credentials? {
        let credentials: Credentials?
        do {
            credentials = try WebSocketURL.parseUserInfo(text)
        } catch {
            if case .invalidCredentials(let error) = error { throw .invalidCredentials(error) }
            throw .unescapedCredentials
        }
        // RFC 1929 §2: user name and password are 1 to 255 bytes each.
        if kind.isSOCKS, let credentials {
            let lengths = [credentials.user.utf8.count, credentials.password.utf8.count]
            guard lengths.allSatisfy((1...255).contains) else { throw .credentialsLength }
        }
        return credentials
    }

    private static func authority(parsing text: Substring) throws(ProxyURLError) -> HostAndPort {
        do {
            return try HostAndPort(parsing: text)
        } catch {
            if case .emptyHost = error { throw .emptyHost }
            throw .invalidHostOrPort(error)
        }
    }
}
